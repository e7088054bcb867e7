package ast

// Query is *With, *Select, *SetOp, *Values or *Paren.
type Query interface {
	Node
	query()
}

// With is WITH name AS (query), … body.
type With struct {
	Pos
	CTEs []CTE
	Body Query
}

// CTE is one named query of WITH.
type CTE struct {
	Pos
	Name    Ident
	Columns []Ident
	Query   Query
}

// Tail is what may stand after any query body. Limit and Offset are *NumberLit or nil;
// LIMIT ALL is nil, FETCH FIRST n ROWS ONLY is a Limit.
type Tail struct {
	OrderBy       []OrderItem
	Limit, Offset Expr
}

// Empty tells whether nothing is there.
func (t Tail) Empty() bool { return len(t.OrderBy) == 0 && t.Limit == nil && t.Offset == nil }

// Select is one SELECT block.
type Select struct {
	Pos
	Distinct bool
	Hints    []Hint
	Items    []SelectItem
	From     TableExpr // nil without FROM
	Where    Expr
	// GroupBy items are expressions, *Grouping, or *Row without items for ().
	// It is nil without GROUP BY.
	GroupBy []Expr
	Having  Expr
	Windows []NamedWindow
	Qualify Expr
	Tail
}

// SelectItem is an expression with its alias, or a *Star.
type SelectItem struct {
	Pos
	X     Expr
	Alias *Ident
}

// Grouping is GROUPING SETS, ROLLUP or CUBE as an item of GROUP BY. Its items are
// expressions, *Row for several columns (empty for ()), or nested *Grouping.
type Grouping struct {
	Pos
	Kind  string // "GROUPING SETS", "ROLLUP", "CUBE"
	Items []Expr
}

// NamedWindow is WINDOW name AS (spec).
type NamedWindow struct {
	Pos
	Name Ident
	Spec *WindowSpec
}

// OrderItem is one item of ORDER BY.
type OrderItem struct {
	Pos
	X     Expr
	Desc  bool
	Nulls NullOrder
}

// NullOrder says where nulls go.
type NullOrder int

// NullsDefault is Flink's: first when ascending, last when descending.
const (
	NullsDefault NullOrder = iota
	NullsFirst
	NullsLast
)

// SetOpKind is UNION, INTERSECT or EXCEPT (MINUS is EXCEPT).
type SetOpKind string

// The set operations.
const (
	Union     SetOpKind = "UNION"
	Intersect SetOpKind = "INTERSECT"
	Except    SetOpKind = "EXCEPT"
)

// SetOp joins two queries. Its position is that of the operator.
type SetOp struct {
	Pos
	Op   SetOpKind
	All  bool
	L, R Query
	Tail
}

// Values is VALUES (…), (…). A row is a *Row, or a single expression.
type Values struct {
	Pos
	Rows []*Row
	Tail
}

// Paren is a query in parentheses with ORDER BY or LIMIT inside and outside;
// parentheses that mean nothing leave no node.
type Paren struct {
	Pos
	Query Query
	Tail
}

func (*With) query()   {}
func (*Select) query() {}
func (*SetOp) query()  {}
func (*Values) query() {}
func (*Paren) query()  {}

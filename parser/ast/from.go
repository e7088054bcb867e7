package ast

// TableExpr is an item of FROM: *TableRef, *Derived, *WindowTVF, *TableFunc, *Unnest, *MatchRecognize or *Join.
type TableExpr interface {
	Node
	tableExpr()
}

// Alias is [AS] name [(columns)].
type Alias struct {
	Name    *Ident // nil without one
	Columns []Ident
}

// TableRef names a table, view or CTE.
type TableRef struct {
	Pos
	Name  Path
	Hints []Hint
	// AsOf is the expression of FOR SYSTEM_TIME AS OF; nil without it.
	AsOf Expr
	Alias
}

// Derived is a query in FROM.
type Derived struct {
	Pos
	Lateral bool
	Query   Query
	Alias
}

// WindowTVF is TUMBLE, HOP, CUMULATE or SESSION, with named arguments sorted into their fields.
type WindowTVF struct {
	Pos
	Kind    string // in upper case
	Input   TableArg
	TimeCol Ident
	// Size: TUMBLE, HOP, CUMULATE. Slide: HOP's slide, CUMULATE's step. Gap: SESSION. Offset: nil if not given.
	Size, Slide, Gap, Offset Expr
	Alias
}

// TableArg is TABLE name [PARTITION BY …] [ORDER BY …], or a query in its place.
// It is an expression only so that table functions may take one.
type TableArg struct {
	Pos
	Name        Path
	Query       Query // nil if Name is set
	PartitionBy []Expr
	OrderBy     []OrderItem
}

// Descriptor is DESCRIPTOR(columns) as an argument.
type Descriptor struct {
	Pos
	Columns []Ident
}

// TableFunc is [LATERAL] TABLE(f(args)).
type TableFunc struct {
	Pos
	Lateral bool
	Call    *Call // arguments may be *TableArg, *Descriptor and *NamedArg
	Alias
}

// Unnest is UNNEST(x) [WITH ORDINALITY].
type Unnest struct {
	Pos
	X          Expr
	Ordinality bool
	Alias
}

// MatchRecognize is a pattern over a table. The clause is kept as written until the engine runs patterns.
type MatchRecognize struct {
	Pos   // of the word MATCH_RECOGNIZE
	Input TableExpr
	// Text stands between the parentheses, as written.
	Text string
	Alias
}

// JoinKind is the kind of a join.
type JoinKind string

// The kinds of joins. A comma is a CrossJoin with Comma set.
const (
	InnerJoin JoinKind = "INNER"
	LeftJoin  JoinKind = "LEFT"
	RightJoin JoinKind = "RIGHT"
	FullJoin  JoinKind = "FULL"
	CrossJoin JoinKind = "CROSS"
)

// Join joins two table expressions. Its position is that of its right side's join words where known.
type Join struct {
	Pos
	Kind    JoinKind
	Comma   bool
	Natural bool
	L, R    TableExpr
	On      Expr    // nil without ON
	Using   []Ident // nil without USING
}

func (*TableRef) tableExpr()       {}
func (*Derived) tableExpr()        {}
func (*WindowTVF) tableExpr()      {}
func (*TableFunc) tableExpr()      {}
func (*Unnest) tableExpr()         {}
func (*MatchRecognize) tableExpr() {}
func (*Join) tableExpr()           {}

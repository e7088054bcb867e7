package ast

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Column is a path that names a column, perhaps with a table before and fields behind it: a, t.a, t.a.f.
type Column struct {
	Pos
	Parts []Ident
}

// Star is * or t.* in a select list.
type Star struct {
	Pos
	Qualifier []Ident
}

// Op is a binary or unary operator, spelt as in SQL.
type Op string

// The operators. || is OpConcat; <> and != are OpNe.
const (
	OpAdd           Op = "+"
	OpSub           Op = "-"
	OpMul           Op = "*"
	OpDiv           Op = "/"
	OpMod           Op = "%"
	OpConcat        Op = "||"
	OpEq            Op = "="
	OpNe            Op = "<>"
	OpLt            Op = "<"
	OpLe            Op = "<="
	OpGt            Op = ">"
	OpGe            Op = ">="
	OpAnd           Op = "AND"
	OpOr            Op = "OR"
	OpNot           Op = "NOT"
	OpIsDistinct    Op = "IS DISTINCT FROM"
	OpIsNotDistinct Op = "IS NOT DISTINCT FROM"
	OpOverlaps      Op = "OVERLAPS"
)

// Unary is OpSub, OpAdd or OpNot before X.
type Unary struct {
	Pos
	Op Op
	X  Expr
}

// Binary is L Op R. Its position is that of L.
type Binary struct {
	Pos
	Op   Op
	L, R Expr
}

// Is is X IS [NOT] What.
type Is struct {
	Pos
	X    Expr
	Not  bool
	What string // NULL, TRUE, FALSE, UNKNOWN, JSON, JSON VALUE, JSON OBJECT, JSON ARRAY, JSON SCALAR
}

// Between is X [NOT] BETWEEN [SYMMETRIC] Low AND High.
type Between struct {
	Pos
	X, Low, High   Expr
	Not, Symmetric bool
}

// LikeExpr is X [NOT] LIKE|SIMILAR TO Pattern [ESCAPE Escape].
type LikeExpr struct {
	Pos
	X, Pattern, Escape Expr
	Not, Similar       bool
}

// In is X [NOT] IN (List) or (Query).
type In struct {
	Pos
	X     Expr
	Not   bool
	List  []Expr
	Query Query // nil if List is set
}

// Exists is EXISTS (query).
type Exists struct {
	Pos
	Query Query
}

// Subquery is a query as a value.
type Subquery struct {
	Pos
	Query Query
}

// Quantified is X Op ANY|ALL (query); SOME is ANY.
type Quantified struct {
	Pos
	X     Expr
	Op    Op
	All   bool
	Query Query
}

// Case is CASE [Operand] WHEN … THEN … [ELSE …] END.
type Case struct {
	Pos
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is one branch of CASE.
type When struct{ Cond, Result Expr }

// Cast is CAST(X AS Type) or TRY_CAST.
type Cast struct {
	Pos
	X    Expr
	Type *TypeName
	Try  bool
}

// Row is ROW(…), or (a, b) when not Explicit.
type Row struct {
	Pos
	Items    []Expr
	Explicit bool
}

// Array is ARRAY[…].
type Array struct {
	Pos
	Items []Expr
}

// Map is MAP[k, v, …]: keys and values in turn.
type Map struct {
	Pos
	Items []Expr
}

// CollectionQuery is ARRAY(query), MULTISET(query) or MAP(query).
type CollectionQuery struct {
	Pos
	Kind  string
	Query Query
}

// Index is X[I].
type Index struct {
	Pos
	X, I Expr
}

// Field is X.Name where X is no plain path: f(x).y, (r).f, a[1].f.
type Field struct {
	Pos
	X    Expr
	Name Ident
}

func (*Column) expr()          {}
func (*Star) expr()            {}
func (*Unary) expr()           {}
func (*Binary) expr()          {}
func (*Is) expr()              {}
func (*Between) expr()         {}
func (*LikeExpr) expr()        {}
func (*In) expr()              {}
func (*Exists) expr()          {}
func (*Subquery) expr()        {}
func (*Quantified) expr()      {}
func (*Case) expr()            {}
func (*Cast) expr()            {}
func (*Row) expr()             {}
func (*Array) expr()           {}
func (*Map) expr()             {}
func (*CollectionQuery) expr() {}
func (*Index) expr()           {}
func (*Field) expr()           {}
func (*Grouping) expr()        {}
func (*TableArg) expr()        {}
func (*Descriptor) expr()      {}

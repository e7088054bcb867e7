// Package expr is the one expression tree of the engine: the planner's
// binder makes it, its rules rewrite it, and Compile turns it into column
// kernels.
package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Expr is a typed expression over the columns of one row. The set is closed:
// Column, Literal, Call, Cast, Case, And, Or, Field. Nodes are immutable.
type Expr interface {
	Type() types.Type
	// String is the expression as EXPLAIN prints it.
	String() string
	expr()
}

// Column is column Index of the input row.
type Column struct {
	Index int
	Name  string // for printing
	T     types.Type
}

// Literal is a constant; V is of the kind that stores T.
type Literal struct {
	T types.Type
	V vec.Value
}

// Call is a bound function applied to arguments that already have the types
// of Bound.Params. NOT, comparisons and arithmetic are calls too ("NOT",
// "=", "+"); so is COALESCE, IS NULL, LIKE …
type Call struct {
	Fn    *fn.Scalar
	Bound *fn.Bound
	Args  []Expr
}

// Cast converts X to T by the rules of CAST; with Try a value that cannot be
// converted becomes NULL, else it fails the job. Implicit marks casts that
// the binder inserted (not printed).
type Cast struct {
	X        Expr
	T        types.Type
	Try      bool
	Implicit bool
}

// Case is CASE WHEN … THEN … ELSE … END: branches are evaluated only for the
// rows that take them. Else is never nil (a NULL literal if it was left out).
type Case struct {
	Whens []When
	Else  Expr
	T     types.Type
}

// When is one branch of a Case.
type When struct{ Cond, Then Expr }

// And is a conjunction in three-valued logic; later terms are evaluated only
// for the rows that earlier ones did not make false.
type And struct{ Terms []Expr }

// Or is a disjunction in three-valued logic.
type Or struct{ Terms []Expr }

// Field is field Index of the row X.
type Field struct {
	X     Expr
	Index int
	Name  string
	T     types.Type // nullable if X is
}

func (e *Column) Type() types.Type  { return e.T }
func (e *Literal) Type() types.Type { return e.T }
func (e *Call) Type() types.Type    { return e.Bound.Result }
func (e *Cast) Type() types.Type    { return e.T }
func (e *Case) Type() types.Type    { return e.T }
func (e *And) Type() types.Type     { return boolOf(e.Terms) }
func (e *Or) Type() types.Type      { return boolOf(e.Terms) }
func (e *Field) Type() types.Type   { return e.T }

// boolOf is BOOLEAN, not null if no term can be null.
func boolOf(terms []Expr) types.Type {
	t := types.Of(types.Boolean).Nullable(false)
	for _, x := range terms {
		if !x.Type().NotNull {
			return t.Nullable(true)
		}
	}
	return t
}

func (*Column) expr()  {}
func (*Literal) expr() {}
func (*Call) expr()    {}
func (*Cast) expr()    {}
func (*Case) expr()    {}
func (*And) expr()     {}
func (*Or) expr()      {}
func (*Field) expr()   {}

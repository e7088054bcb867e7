package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// env is where an expression stands, and so what it may hold.
type env struct {
	b      *Binder
	s      *scope
	clause string // "WHERE", for messages
	// group is set above an aggregation: aggregates are collected in it, and
	// plain columns must be among its keys.
	group *grouping
	// overs collects OVER calls; nil where they may not stand.
	overs *overs
	// subs collects scalar subqueries; nil where they may not stand.
	subs *subqueries
	// aliases are the SELECT items, for the hint that one was meant.
	aliases []ast.SelectItem
	// items are those that QUALIFY sees by their aliases, where FROM has no
	// column of the name.
	items []item
}

// expr binds an expression.
func (e *env) expr(x ast.Expr) expr.Expr {
	if e.group != nil {
		if key, ok := e.group.key(e, x); ok {
			return key
		}
	}
	if l := e.literal(x); l != nil {
		return l
	}
	switch x := x.(type) {
	case *ast.Column:
		return e.plainColumn(x)
	case *ast.Star:
		failf(x.Pos, "* can only be an item of SELECT, or the argument of COUNT")
	case *ast.Unary:
		return e.unary(x)
	case *ast.Binary:
		return e.binary(x)
	case *ast.Is:
		return e.is(x)
	case *ast.Between:
		return e.between(x)
	case *ast.LikeExpr:
		return e.like(x)
	case *ast.In:
		return e.in(x)
	case *ast.Exists:
		return e.existsValue(x)
	case *ast.Subquery:
		return e.scalarSubquery(x)
	case *ast.Quantified:
		return e.inValue(quantified(x), false)
	case *ast.Case:
		return e.caseExpr(x)
	case *ast.Cast:
		return e.cast(x)
	case *ast.Row:
		return e.call(x.Pos, "ROW", e.exprs(x.Items)...)
	case *ast.Array:
		return e.call(x.Pos, "ARRAY", e.exprs(x.Items)...)
	case *ast.Map:
		return e.call(x.Pos, "MAP", e.exprs(x.Items)...)
	case *ast.CollectionQuery:
		fail(perr.NotYet(x.Pos, "%s of a query", x.Kind).WithHint("use ARRAY_AGG in a query of its own"))
	case *ast.Index:
		return e.call(x.I.Position(), "ITEM", e.expr(x.X), e.expr(x.I))
	case *ast.Field:
		return field(e.expr(x.X), x.Name)
	case *ast.Call:
		return e.funcCall(x)
	case *ast.NamedArg:
		failf(x.Pos, "named arguments can only be given to table functions")
	case *ast.Grouping:
		failf(x.Pos, "%s can only stand in GROUP BY", x.Kind)
	case *ast.TableArg, *ast.Descriptor:
		failf(x.Position(), "a table can only be the argument of a table function")
	}
	panic("bind: unknown expression")
}

// quantified spells = ANY as IN and <> ALL as NOT IN.
func quantified(x *ast.Quantified) *ast.In {
	switch {
	case x.Op == ast.OpEq && !x.All:
		return &ast.In{Pos: x.Pos, X: x.X, Query: x.Query}
	case x.Op == ast.OpNe && x.All:
		return &ast.In{Pos: x.Pos, X: x.X, Query: x.Query, Not: true}
	}
	word := " ANY"
	if x.All {
		word = " ALL"
	}
	fail(perr.NotYet(x.Pos, "%s with a subquery", string(x.Op)+word).WithHint("compare with (SELECT MIN or MAX …)"))
	return nil
}

func (e *env) exprs(xs []ast.Expr) []expr.Expr {
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		out[i] = e.expr(x)
	}
	return out
}

// plainColumn is a column outside an aggregate; above GROUP BY it would have
// been found among the keys.
func (e *env) plainColumn(c *ast.Column) expr.Expr {
	if x, ok := e.selectedAs(c); ok {
		return x
	}
	x := e.column(c)
	if e.group != nil && !isOuter(x) {
		fail(e.group.notGrouped(c))
	}
	return x
}

// selectedAs finds an alias of the SELECT list that hides no column.
func (e *env) selectedAs(c *ast.Column) (expr.Expr, bool) {
	if len(c.Parts) > 1 || len(e.items) == 0 || e.s.rel == nil {
		return nil, false
	}
	if _, ok := e.s.rel.plain(c.Parts[0]); ok {
		return nil, false
	}
	for _, it := range e.items {
		if it.name == c.Parts[0].Name {
			return it.x, true
		}
	}
	return nil, false
}

// isOuter tells whether x only uses columns of the queries around.
func isOuter(x expr.Expr) bool {
	for _, i := range expr.Columns(x) {
		if i < outerBase {
			return false
		}
	}
	return true
}

// call makes a call of a function or operator; errors point at pos.
func (e *env) call(pos ast.Pos, name string, args ...expr.Expr) expr.Expr {
	x, err := expr.NewCall(name, args)
	check(pos, err)
	return plainTime(x)
}

// plainTime drops a time attribute that a function's result took over from an
// argument.
func plainTime(x expr.Expr) expr.Expr {
	c, ok := x.(*expr.Call)
	if !ok || c.Bound.Result.Attr == types.NoTime {
		return x
	}
	return withResult(c, c.Bound.Result.WithAttr(types.NoTime))
}

func withResult(c *expr.Call, t types.Type) expr.Expr {
	bound, call := *c.Bound, *c
	bound.Result = t
	call.Bound = &bound
	return &call
}

// condition binds what must be BOOLEAN, where NULL counts as FALSE.
func (e *env) condition(x ast.Expr) expr.Expr { return e.boolean(x, true) }

// boolean binds what must be BOOLEAN; filters says that NULL counts as FALSE.
func (e *env) boolean(x ast.Expr, filters bool) expr.Expr {
	c := e.truth(x, filters)
	t := c.Type()
	if t.Kind == types.Null {
		return expr.NullOf(types.Of(types.Boolean))
	}
	if t.Kind != types.Boolean {
		fail(perr.New(x.Position(), "%s must be a BOOLEAN, not %s", e.clause, t.Text()).WithHint("compare it with something"))
	}
	return c
}

func (e *env) truth(x ast.Expr, filters bool) expr.Expr {
	switch x := x.(type) {
	case *ast.Binary:
		if x.Op == ast.OpAnd || x.Op == ast.OpOr {
			return e.junction(x, filters)
		}
	case *ast.In:
		if x.Query != nil {
			return e.inValue(x, filters)
		}
	case *ast.Quantified:
		return e.inValue(quantified(x), filters)
	}
	return e.expr(x)
}

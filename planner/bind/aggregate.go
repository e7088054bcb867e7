package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// firstAgg is the output column of the first aggregate: behind the keys and,
// with grouping sets, the number of the set.
func (g *grouping) firstAgg() int {
	if g.sets != nil {
		return len(g.keys) + 1
	}
	return len(g.keys)
}

// aggregate binds a call of an aggregate function.
func (e *env) aggregate(c *ast.Call) expr.Expr {
	if e.group == nil {
		fail(e.noAggregate(c))
	}
	return e.group.add(c)
}

func (e *env) noAggregate(c *ast.Call) error {
	switch e.clause {
	case "WHERE":
		return perr.New(c.Pos, "aggregate %s cannot stand in WHERE", c.FuncName()).WithHint("move the condition to HAVING")
	case "the argument of an aggregate":
		return perr.New(c.Pos, "aggregate %s stands inside another aggregate", c.FuncName()).WithHint("compute the inner one in a subquery")
	}
	return perr.New(c.Pos, "aggregate %s cannot stand in %s", c.FuncName(), e.clause)
}

// add makes the aggregate a column of the Aggregate; equal ones are one.
func (g *grouping) add(c *ast.Call) expr.Expr {
	call, t := bindAggregate(g.in, c)
	a := logical.AggCall{Fn: call.fn, Bound: call.bound, Distinct: c.Distinct, Filter: -1, Name: c.FuncName(), At: c.Pos}
	for _, x := range call.args {
		a.Args = append(a.Args, g.addPre(x))
	}
	if c.Filter != nil {
		filter := *g.in
		filter.clause = "FILTER"
		a.Filter = g.addPre(filter.condition(c.Filter))
	}
	if !alwaysValue[call.fn.Name] && (len(g.keys) == 0 && g.window == nil || a.Filter >= 0) {
		t = t.Nullable(true)
	}
	for i, other := range g.aggs {
		if sameAgg(a, other, g.types[i], t) {
			return &expr.Column{Index: g.firstAgg() + i, Name: a.Name, T: t}
		}
	}
	g.aggs, g.types = append(g.aggs, a), append(g.types, t)
	return &expr.Column{Index: g.firstAgg() + len(g.aggs) - 1, Name: a.Name, T: t}
}

// alwaysValue are the aggregates of which an empty group has one too.
var alwaysValue = map[string]bool{"COUNT": true, "APPROX_COUNT_DISTINCT": true}

func sameAgg(a, b logical.AggCall, at, bt types.Type) bool {
	if a.Fn != b.Fn || a.Distinct != b.Distinct || a.Filter != b.Filter || a.Bound.SeesNulls != b.Bound.SeesNulls || len(a.Args) != len(b.Args) || !at.Equal(bt) {
		return false
	}
	for i := range a.Args {
		if a.Args[i] != b.Args[i] {
			return false
		}
	}
	return true
}

// addPre makes x a column below the aggregation. Grouping sets null the
// columns of keys, so that arguments get their own.
func (g *grouping) addPre(x expr.Expr) int {
	first := 0
	if g.sets != nil {
		first = len(g.keys)
	}
	for i := first; i < len(g.pre); i++ {
		if expr.Equal(g.pre[i], x) {
			return i
		}
	}
	g.pre = append(g.pre, x)
	return len(g.pre) - 1
}

// boundAggregate is an aggregate chosen for its arguments.
type boundAggregate struct {
	fn    *fn.Aggregate
	bound *fn.BoundAgg
	args  []expr.Expr // of the types of bound.Params
}

// bindAggregate chooses the overload of an aggregate, also for OVER.
func bindAggregate(in *env, c *ast.Call) (boundAggregate, types.Type) {
	name := c.FuncName()
	f, _ := fn.LookupAggregate(name)
	if c.OrderBy != nil || c.WithinGroup != nil {
		fail(perr.NotYet(c.Pos, "ORDER BY inside %s", name))
	}
	if c.Nulls == ast.RespectNulls && name != "ARRAY_AGG" {
		fail(perr.NotYet(c.Pos, "RESPECT NULLS of %s", name))
	}
	if c.Star && f.Name != "COUNT" {
		failf(c.Pos, "%s(*) does not exist: only COUNT takes *", name)
	}
	var args []expr.Expr
	if !c.Star {
		args = in.exprs(c.Args)
	}
	args = append(args, jsonAggregateArgs(c, f.Name)...)
	as := make([]fn.Arg, len(args))
	for i, x := range args {
		as[i] = fn.Arg{Type: x.Type()}
		if l, ok := x.(*expr.Literal); ok {
			as[i].Literal = &l.V
		}
	}
	bound, err := f.Bind(as)
	check(c.Pos, err)
	if c.Nulls == ast.IgnoreNulls {
		bound.SeesNulls = bound.SeesNulls && name != "ARRAY_AGG"
	}
	if len(bound.Params) != len(args) {
		failf(c.Pos, "%s takes %s, not %d", name, count(len(bound.Params), "argument"), len(args))
	}
	for i, x := range args {
		args[i], err = expr.Coerce(x, bound.Params[i])
		check(c.Pos, err)
	}
	return boundAggregate{f, bound, args}, bound.Result.WithAttr(types.NoTime)
}

// jsonAggregateArgs is the null treatment of JSON_ARRAYAGG and JSON_OBJECTAGG.
func jsonAggregateArgs(c *ast.Call, name string) []expr.Expr {
	def := map[string]string{"JSON_ARRAYAGG": "ABSENT", "JSON_OBJECTAGG": "NULL"}[name]
	if def == "" {
		return nil
	}
	if c.JSON != nil && c.JSON.OnNull != "" {
		def = c.JSON.OnNull
	}
	return []expr.Expr{expr.String(def)}
}

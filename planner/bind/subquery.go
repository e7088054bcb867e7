package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// subqueries collects the scalar subqueries of an expression. Each becomes a
// left join, and its value a column of that.
type subqueries struct {
	joins []scalarJoin
}

// scalarJoin is one scalar subquery: a plan of at most one row for each row
// around, and the conditions that tie it to that row.
type scalarJoin struct {
	plan  logical.Plan
	conds []expr.Expr // over plan's columns and those around
	// equal are pairs of a value around, where the subquery stands, and one of
	// plan's columns that must be equal to it.
	equal [][2]expr.Expr
	value expr.Expr // over plan's columns
	at    ast.Pos
}

// scalarSubquery binds (SELECT …) as a value.
func (e *env) scalarSubquery(x *ast.Subquery) expr.Expr {
	if e.subs == nil {
		fail(perr.NotYet(x.Pos, "a subquery in %s", e.clause).WithHint("join with it instead"))
	}
	plan := e.b.query(x.Query, e.s)
	if n := len(plan.Schema()); n != 1 {
		failf(x.Pos, "a subquery used as a value must have one column, not %d", n)
	}
	j := e.b.scalar(plan, x.Pos)
	e.subs.joins = append(e.subs.joins, j)
	t := j.value.Type().Nullable(true).WithAttr(types.NoTime)
	return &expr.Column{Index: subqueryBase + len(e.subs.joins) - 1, Name: plan.Schema()[0].Name, T: t}
}

// scalar makes the plan yield at most one row for each row around.
func (b *Binder) scalar(plan logical.Plan, at ast.Pos) scalarJoin {
	if p, ok := plan.(*logical.Project); ok && isAggregated(p.Input) {
		inner, conds := b.decorrelate(p.Input)
		j := scalarJoin{plan: inner, conds: conds, value: p.Exprs[0], at: at}
		if len(conds) > 0 {
			j.value = zeroCounts(j.value, p.Input.(*logical.Aggregate))
		}
		return j
	}
	if isCorrelated(plan) {
		inner, conds := b.decorrelate(singleValue(plan, at))
		return scalarJoin{plan: inner, conds: conds, value: columnOf(inner, 0), at: at}
	}
	if !isSingleRow(plan) {
		plan = singleValue(plan, at)
	}
	return scalarJoin{plan: plan, value: columnOf(plan, 0), at: at}
}

// isAggregated tells an aggregation without GROUP BY.
func isAggregated(p logical.Plan) bool {
	a, ok := p.(*logical.Aggregate)
	return ok && len(a.Keys) == 0 && a.GroupWindow == nil
}

// isSingleRow tells whether p has at most one row.
func isSingleRow(p logical.Plan) bool {
	switch n := p.(type) {
	case *logical.Project:
		return isSingleRow(n.Input)
	case *logical.Values:
		return len(n.Rows) <= 1
	case *logical.Sort:
		return n.Limit >= 0 && n.Limit <= 1
	}
	return isAggregated(p)
}

// singleValue checks when the job runs that there is one row.
func singleValue(p logical.Plan, at ast.Pos) logical.Plan {
	if _, ok := fn.LookupAggregate("SINGLE_VALUE"); !ok {
		fail(perr.NotYet(at, "a subquery as a value that is no aggregate").WithHint("aggregate its value, as MAX(…)"))
	}
	return wholeAggregate("SINGLE_VALUE", p, at)
}

// wholeAggregate is an aggregate over the only column of p.
func wholeAggregate(name string, p logical.Plan, at ast.Pos) logical.Plan {
	f, ok := fn.LookupAggregate(name)
	if !ok {
		panic("bind: no aggregate " + name)
	}
	col := p.Schema()[0]
	bound, err := f.Bind([]fn.Arg{{Type: col.Type}})
	check(at, err)
	a := &logical.Aggregate{Input: p, Node: logical.Node{At: at}}
	a.Aggs = []logical.AggCall{{Fn: f, Bound: bound, Args: []int{0}, Filter: -1, Name: name, At: at}}
	a.Cols = []types.Field{{Name: col.Name, Type: bound.Result.Nullable(true).WithAttr(types.NoTime)}}
	return a
}

// zeroCounts makes counts 0 where the join finds no group.
func zeroCounts(x expr.Expr, a *logical.Aggregate) expr.Expr {
	return expr.Rewrite(x, func(y expr.Expr) expr.Expr {
		c, ok := y.(*expr.Column)
		if !ok || c.Index >= len(a.Aggs) || !alwaysValue[a.Aggs[c.Index].Fn.Name] {
			return y
		}
		null := &expr.Column{Index: c.Index, Name: c.Name, T: c.T.Nullable(true)}
		z, err := expr.NewCall("COALESCE", []expr.Expr{null, expr.BigInt(0)})
		check(a.At, err)
		return z
	})
}

// attach joins the collected subqueries to p. outer places the columns that
// they use of the query around; fix replaces the placeholders afterwards.
func (s *subqueries) attach(p logical.Plan, outer func(expr.Expr) expr.Expr) (logical.Plan, []expr.Expr) {
	var values []expr.Expr
	for _, j := range s.joins {
		left := len(p.Schema())
		p = &logical.Join{
			Kind: op.Left, Left: p, Right: j.plan, Cond: j.cond(left, outer),
			Node: logical.Node{Cols: joinCols(op.Left, p, j.plan), At: j.at},
		}
		values = append(values, retyped(expr.Shift(j.value, 0, left), p.Schema()))
	}
	return p, values
}

// joinCond is the conjunction of decorrelated conditions over the columns of
// left and right; nil if there are none.
func joinCond(conds []expr.Expr, left int, outer func(expr.Expr) expr.Expr) expr.Expr {
	if len(conds) == 0 {
		return nil
	}
	terms := make([]expr.Expr, len(conds))
	for i, c := range conds {
		terms[i] = expr.Rewrite(c, func(x expr.Expr) expr.Expr {
			col, ok := x.(*expr.Column)
			if !ok {
				return x
			}
			if col.Index >= outerBase {
				return outer(&expr.Column{Index: col.Index - outerBase, Name: col.Name, T: col.T})
			}
			return &expr.Column{Index: col.Index + left, Name: col.Name, T: col.T}
		})
	}
	x, err := expr.NewAnd(terms...)
	if err != nil {
		panic("bind: " + err.Error())
	}
	return x
}

// asIs leaves the columns around where they are.
func asIs(x expr.Expr) expr.Expr { return x }

// rowsOf is the query of EXISTS. What it selects does not matter, and may use
// columns of the query around.
func (e *env) rowsOf(x *ast.Exists) logical.Plan {
	plan := e.b.query(x.Query, e.s)
	if p, ok := plan.(*logical.Project); ok && usesOuter(p.Exprs...) {
		return p.Input
	}
	return plan
}

// exists makes a semi or anti join of [NOT] EXISTS.
func (e *env) exists(p logical.Plan, x *ast.Exists, not bool) logical.Plan {
	sub, conds := e.b.decorrelate(e.rowsOf(x))
	return semiJoin(p, sub, joinCond(conds, len(p.Schema()), asIs), not, x.Pos)
}

// inQuery makes a semi or anti join of x [NOT] IN (query).
func (e *env) inQuery(p logical.Plan, x *ast.In, not bool) logical.Plan {
	values := []ast.Expr{x.X}
	if row, ok := x.X.(*ast.Row); ok {
		values = row.Items
	}
	plan := e.b.query(x.Query, e.s)
	if n := len(plan.Schema()); n != len(values) {
		failf(x.Pos, "IN compares %s with a subquery of %d", count(len(values), "column"), n)
	}
	sub, conds := e.b.decorrelate(plan)
	left := len(p.Schema())
	nullable := false
	var terms []expr.Expr
	for i, v := range values {
		l, r := e.expr(v), columnOf(sub, i)
		r.Index += left
		nullable = nullable || !l.Type().NotNull || !r.Type().NotNull
		terms = append(terms, e.call(v.Position(), "=", l, r))
	}
	nullAware := not && nullable
	if c := joinCond(conds, left, asIs); c != nil {
		if nullAware {
			terms, nullAware = orNull(terms), false
		}
		terms = append(terms, c)
	}
	cond, err := expr.NewAnd(terms...)
	check(x.Pos, err)
	j := semiJoin(p, sub, cond, not, x.Pos)
	j.NotIn = nullAware
	return j
}

// orNull makes a condition true where it is not known: NOT IN drops a row as
// soon as one comparison is.
func orNull(terms []expr.Expr) []expr.Expr {
	out := make([]expr.Expr, len(terms))
	for i, t := range terms {
		x, err := expr.NewCall("IS NOT FALSE", []expr.Expr{t})
		if err != nil {
			panic("bind: " + err.Error())
		}
		out[i] = x
	}
	return out
}

func semiJoin(left, right logical.Plan, cond expr.Expr, not bool, at ast.Pos) *logical.Join {
	j := &logical.Join{Kind: op.Semi, Left: left, Right: right, Cond: cond, Node: logical.Node{At: at}}
	if not {
		j.Kind = op.Anti
	}
	j.Cols = joinCols(j.Kind, left, right)
	if !keepsTime(j, nil) {
		j.Cols = withoutRowtime(j.Cols)
	}
	return j
}

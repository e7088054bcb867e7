package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// EXISTS and IN that are no conditions of their own (below OR, in CASE, in the
// SELECT list) become a left join with the distinct values of the subquery,
// marked TRUE.

// cond is the condition of the join, if the columns around are left many.
func (j *scalarJoin) cond(left int, outer func(expr.Expr) expr.Expr) expr.Expr {
	var terms []expr.Expr
	for _, pair := range j.equal {
		eq, err := expr.NewCall("=", []expr.Expr{pair[0], expr.Shift(pair[1], 0, left)})
		check(j.at, err)
		terms = append(terms, eq)
	}
	return conjunction(append(terms, expr.Conjuncts(joinCond(j.conds, left, outer))...))
}

// existsValue is EXISTS as a value; it is never NULL.
func (e *env) existsValue(x *ast.Exists) expr.Expr {
	sub, conds := e.b.decorrelate(e.rowsOf(x))
	return e.mark(scalarJoin{plan: sub, conds: conds, at: x.Pos}, nil)
}

// inValue is [NOT] IN as a value; filters says that NULL counts as FALSE.
func (e *env) inValue(x *ast.In, filters bool) expr.Expr {
	values := []ast.Expr{x.X}
	if row, ok := x.X.(*ast.Row); ok {
		values = row.Items
	}
	plan := e.b.query(x.Query, e.s)
	if n := len(plan.Schema()); n != len(values) {
		failf(x.Pos, "IN compares %s with a subquery of %d", count(len(values), "column"), n)
	}
	sub, conds := e.b.decorrelate(plan)
	j := scalarJoin{plan: sub, conds: conds, at: x.Pos}
	nullable := false
	for i, v := range values {
		l, r := e.expr(v), columnOf(sub, i)
		e.call(v.Position(), "=", l, r)
		nullable = nullable || !l.Type().NotNull || !r.T.NotNull
		j.equal = append(j.equal, [2]expr.Expr{l, r})
	}
	var cols []int
	for i := range values {
		cols = append(cols, i)
	}
	if !nullable || filters && !x.Not {
		return e.negated(x.Pos, e.mark(j, cols), x.Not)
	}
	if len(values) > 1 || len(conds) > 0 {
		fail(perr.NotYet(x.Pos, "IN with a subquery over several columns, or correlated, that may be NULL inside %s", e.clause).WithHint("make it a condition of its own, joined by AND, or use EXISTS"))
	}
	return e.negated(x.Pos, e.nullAwareIn(j, cols), x.Not)
}

// nullAwareIn is x IN (query) in three-valued logic: without a match it is NULL
// if x is, or if the query has a NULL; but FALSE if the query is empty.
func (e *env) nullAwareIn(j scalarJoin, cols []int) expr.Expr {
	l, r := j.equal[0][0], j.equal[0][1]
	sub := j.plan
	found := e.mark(j, cols)
	nulls := e.call(j.at, "IS NULL", r)
	state, err := expr.NewCase([]expr.When{{Cond: nulls, Then: expr.Int(withNull)}}, expr.Int(withoutNull))
	check(j.at, err)
	// The maximum changes once at most, so that the join with it is quiet.
	a := wholeAggregate("MAX", project(sub, []expr.Expr{state}, []string{"$nulls"}, j.at), j.at)
	e.subs.joins = append(e.subs.joins, scalarJoin{plan: a, value: columnOf(a, 0), at: j.at})
	s := &expr.Column{Index: subqueryBase + len(e.subs.joins) - 1, Name: "$nulls", T: a.Schema()[0].Type}
	unknown, err := expr.NewOr(e.call(j.at, "IS NULL", l), e.call(j.at, "=", s, expr.Int(withNull)))
	check(j.at, err)
	x, err := expr.NewCase([]expr.When{
		{Cond: found, Then: expr.Bool(true)},
		{Cond: e.call(j.at, "IS NULL", s), Then: expr.Bool(false)},
		{Cond: unknown, Then: expr.NullOf(types.Of(types.Boolean))},
	}, expr.Bool(false))
	check(j.at, err)
	return x
}

// What a query of IN holds; NULL stands for an empty one.
const (
	withoutNull = 1
	withNull    = 2
)

// mark collects the join; cols are those columns of its plan that are compared
// with values around, besides those of its conditions.
func (e *env) mark(j scalarJoin, cols []int) expr.Expr {
	if e.subs == nil {
		fail(perr.NotYet(j.at, "a subquery in %s", e.clause).WithHint("join with it instead"))
	}
	at := map[int]int{}
	var xs []expr.Expr
	plan, conds, keys := keyColumns(j.plan, j.conds, j.at, "EXISTS or IN inside "+e.clause)
	j.plan, j.conds = plan, conds
	for _, c := range append(cols, keys...) {
		if _, ok := at[c]; !ok {
			at[c] = len(xs)
			xs = append(xs, columnOf(j.plan, c))
		}
	}
	if len(xs) == 0 {
		xs = append(xs, expr.Bool(true))
	}
	distinctRows := distinct(project(j.plan, xs, nil, j.at), j.at)
	marked := project(distinctRows, append(columnsOf(distinctRows), expr.Bool(true)), nil, j.at)
	j.conds = remapped(j.conds, at)
	for i, pair := range j.equal {
		j.equal[i][1] = columnOf(marked, at[pair[1].(*expr.Column).Index])
	}
	last := len(marked.Cols) - 1
	j.plan, j.value = logical.Plan(marked), &expr.Column{Index: last, Name: "$mark", T: types.Of(types.Boolean)}
	e.subs.joins = append(e.subs.joins, j)
	col := &expr.Column{Index: subqueryBase + len(e.subs.joins) - 1, Name: "$mark", T: types.Of(types.Boolean)}
	return e.call(j.at, "IS NOT NULL", col)
}

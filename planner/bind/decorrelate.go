package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// expressions of a node itself.
func expressions(p logical.Plan) []expr.Expr {
	switch n := p.(type) {
	case *logical.Project:
		return n.Exprs
	case *logical.Filter:
		return []expr.Expr{n.Cond}
	case *logical.Join:
		return optional(n.Cond)
	case *logical.TemporalJoin:
		return append(optional(n.Cond), n.Time)
	case *logical.Watermark:
		return []expr.Expr{n.Expr}
	case *logical.Unnest:
		return []expr.Expr{n.Collection}
	case *logical.Over:
		var xs []expr.Expr
		for _, c := range n.Calls {
			xs = append(xs, c.Args...)
		}
		return xs
	case *logical.Values:
		return flat(n.Rows)
	case *logical.Expand:
		return flat(n.Projects)
	}
	return nil
}

func optional(x expr.Expr) []expr.Expr {
	if x == nil {
		return nil
	}
	return []expr.Expr{x}
}

func flat(rows [][]expr.Expr) []expr.Expr {
	var xs []expr.Expr
	for _, r := range rows {
		xs = append(xs, r...)
	}
	return xs
}

// usesOuter tells whether an expression uses columns of the query around.
func usesOuter(xs ...expr.Expr) bool {
	cols := expr.Columns(xs...)
	return len(cols) > 0 && cols[len(cols)-1] >= outerBase
}

// isCorrelated tells whether any expression of p does.
func isCorrelated(p logical.Plan) bool {
	if usesOuter(expressions(p)...) {
		return true
	}
	for _, in := range p.Inputs() {
		if isCorrelated(in) {
			return true
		}
	}
	return false
}

// decorrelate takes the conditions on outer columns out of p. The new plan
// has p's columns and behind them those that the conditions need.
func (b *Binder) decorrelate(p logical.Plan) (logical.Plan, []expr.Expr) {
	if !isCorrelated(p) {
		return p, nil
	}
	switch n := p.(type) {
	case *logical.Filter:
		return b.pullFilter(n)
	case *logical.Project:
		return b.pullProject(n)
	case *logical.Aggregate:
		return b.pullAggregate(n)
	case *logical.Sort:
		return b.pullSort(n)
	case *logical.Join:
		return b.pullJoin(n)
	}
	fail(perr.NotYet(p.Pos(), "a column of the query around inside this subquery").WithHint("write it as a join"))
	return nil, nil
}

// pullFilter takes out the terms that use outer columns.
func (b *Binder) pullFilter(n *logical.Filter) (logical.Plan, []expr.Expr) {
	in, conds := b.decorrelate(n.Input)
	var rest []expr.Expr
	for _, t := range expr.Conjuncts(n.Cond) {
		if usesOuter(t) {
			conds = append(conds, t)
		} else {
			rest = append(rest, t)
		}
	}
	return filter(in, rest, n.At), conds
}

// pullProject adds the columns that the conditions need.
func (b *Binder) pullProject(n *logical.Project) (logical.Plan, []expr.Expr) {
	if usesOuter(n.Exprs...) {
		fail(perr.NotYet(n.At, "a column of the query around in the SELECT list of a subquery").WithHint("use it in the query around"))
	}
	in, conds := b.decorrelate(n.Input)
	out := &logical.Project{Input: in, Exprs: append([]expr.Expr{}, n.Exprs...), Node: logical.Node{Cols: append([]types.Field{}, n.Cols...), At: n.At}}
	at := map[int]int{}
	for _, c := range expr.Columns(conds...) {
		if c >= outerBase {
			continue
		}
		at[c] = len(out.Exprs)
		out.Exprs = append(out.Exprs, columnOf(in, c))
		out.Cols = append(out.Cols, in.Schema()[c])
	}
	return out, remapped(conds, at)
}

// remapped moves the inner columns of conditions.
func remapped(conds []expr.Expr, at map[int]int) []expr.Expr {
	out := make([]expr.Expr, len(conds))
	for i, c := range conds {
		out[i] = expr.Remap(c, func(j int) int {
			if to, ok := at[j]; ok {
				return to
			}
			return j
		})
	}
	return out
}

// pullAggregate groups by the columns that outer ones are compared with: the
// conditions must be equalities, for others a row of the query around would
// need the aggregate over several groups.
func (b *Binder) pullAggregate(n *logical.Aggregate) (logical.Plan, []expr.Expr) {
	in, conds := b.decorrelate(n.Input)
	if n.GroupWindow != nil {
		fail(perr.NotYet(n.At, "a group window in a correlated subquery"))
	}
	in, conds, extra := keyColumns(in, conds, n.At, "an aggregate")
	c := *n
	c.Input, c.Keys, c.Cols = in, append([]int{}, n.Keys...), nil
	c.Keys = append(c.Keys, extra...)
	c.Cols = append(c.Cols, n.Cols[:len(n.Keys)]...)
	for _, i := range extra {
		c.Cols = append(c.Cols, types.Field{Name: in.Schema()[i].Name, Type: in.Schema()[i].Type.WithAttr(types.NoTime)})
	}
	c.Cols = append(c.Cols, n.Cols[len(n.Keys):]...)
	return reorder(&c, len(n.Keys), extra, conds)
}

// keyColumns makes the inner side of each condition a column of in: a row of the
// query around then meets one value of each. Conditions other than = cannot.
func keyColumns(in logical.Plan, conds []expr.Expr, at ast.Pos, what string) (logical.Plan, []expr.Expr, []int) {
	cols := columnsOf(in)
	var keys []int
	out := make([]expr.Expr, len(conds))
	for i, c := range conds {
		if !isEquality(c) {
			fail(perr.NotYet(at, "%s over rows that are compared with the query around by other than =", what).WithHint("write it as a join"))
		}
		args := c.(*expr.Call).Args
		inner, outer := args[0], args[1]
		if allOuter(inner) {
			inner, outer = outer, inner
		}
		k := slices.IndexFunc(cols, func(x expr.Expr) bool { return expr.Equal(x, inner) })
		if k < 0 {
			k, cols = len(cols), append(cols, inner)
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
		eq, err := expr.NewCall("=", []expr.Expr{&expr.Column{Index: k, Name: nameOf(inner), T: inner.Type()}, outer})
		check(at, err)
		out[i] = eq
	}
	if len(cols) > len(in.Schema()) {
		in = project(in, cols, nil, at)
	}
	return in, out, keys
}

// reorder puts the extra keys of an aggregation behind its aggregates.
func reorder(a *logical.Aggregate, keys int, extra []int, conds []expr.Expr) (logical.Plan, []expr.Expr) {
	var xs []expr.Expr
	for i := range a.Cols {
		if i < keys || i >= keys+len(extra) {
			xs = append(xs, columnOf(a, i))
		}
	}
	at := map[int]int{}
	for i, c := range extra {
		at[c] = len(xs)
		xs = append(xs, columnOf(a, keys+i))
	}
	return project(a, xs, nil, a.At), remapped(conds, at)
}

// isEquality tells inner = outer, each of one side's columns only.
func isEquality(x expr.Expr) bool {
	c, ok := x.(*expr.Call)
	if !ok || c.Fn.Name != "=" {
		return false
	}
	l, r := c.Args[0], c.Args[1]
	return allOuter(l) != allOuter(r) && (allOuter(l) || allOuter(r)) && !(usesOuter(l) && usesOuter(r))
}

func allOuter(x expr.Expr) bool {
	cols := expr.Columns(x)
	return len(cols) > 0 && cols[0] >= outerBase
}

// pullSort makes ORDER BY … LIMIT n of each outer row a Top-N of each group.
func (b *Binder) pullSort(n *logical.Sort) (logical.Plan, []expr.Expr) {
	in, conds := b.decorrelate(n.Input)
	if n.Limit < 0 {
		return in, conds // an order without limit means nothing inside a join
	}
	in, conds, keys := keyColumns(in, conds, n.At, "LIMIT")
	return &logical.Rank{
		Input: in, Partition: keys, Order: n.Keys, From: n.Offset + 1, To: n.Offset + n.Limit,
		Node: logical.Node{Cols: in.Schema(), At: n.At},
	}, conds
}

// pullJoin takes conditions out of both sides of an inner join, and out of
// the left side of a left join.
func (b *Binder) pullJoin(n *logical.Join) (logical.Plan, []expr.Expr) {
	if n.Kind != op.Inner && (n.Kind == op.Right || n.Kind == op.Full || isCorrelated(n.Right) || usesOuter(optional(n.Cond)...)) {
		fail(perr.NotYet(n.At, "a column of the query around inside a %s of a subquery", n.Kind))
	}
	left, conds := b.decorrelate(n.Left)
	right, more := b.decorrelate(n.Right)
	oldLeft, newLeft := len(n.Left.Schema()), len(left.Schema())
	toNew := func(x expr.Expr) expr.Expr {
		return expr.Remap(x, func(i int) int {
			if i >= oldLeft && i < outerBase {
				return i + newLeft - oldLeft
			}
			return i
		})
	}
	for _, c := range more {
		conds = append(conds, expr.Remap(c, func(i int) int {
			if i < outerBase {
				return i + newLeft
			}
			return i
		}))
	}
	j := *n
	var rest []expr.Expr
	for _, t := range expr.Conjuncts(n.Cond) {
		if t = toNew(t); usesOuter(t) {
			conds = append(conds, t)
		} else {
			rest = append(rest, t)
		}
	}
	j.Left, j.Right, j.Cond = left, right, conjunction(rest)
	j.Cols = joinCols(n.Kind, left, right)
	return b.joinInOrder(&j, n, newLeft, conds)
}

// joinInOrder puts the columns of the old join first again.
func (b *Binder) joinInOrder(j, old *logical.Join, newLeft int, conds []expr.Expr) (logical.Plan, []expr.Expr) {
	oldLeft := len(old.Left.Schema())
	at := map[int]int{}
	var xs []expr.Expr
	add := func(i int) {
		at[i] = len(xs)
		xs = append(xs, columnOf(j, i))
	}
	for i := range old.Cols {
		if i >= oldLeft {
			i += newLeft - oldLeft
		}
		add(i)
	}
	for i := range j.Cols {
		if _, ok := at[i]; !ok {
			add(i)
		}
	}
	return project(j, xs, nil, j.At), remapped(conds, at)
}

// conjunction of terms; nil if there are none.
func conjunction(terms []expr.Expr) expr.Expr {
	if len(terms) == 0 {
		return nil
	}
	x, err := expr.NewAnd(terms...)
	if err != nil {
		panic("bind: " + err.Error())
	}
	return x
}

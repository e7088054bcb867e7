package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pushFilters moves conditions towards the scans, and merges filters.
func pushFilters(_ *context, p logical.Plan) (logical.Plan, error) { return push(p, nil), nil }

// push returns p filtered by conds (over p's columns), each as far below as
// the meaning allows.
func push(p logical.Plan, conds []expr.Expr) logical.Plan {
	switch p := p.(type) {
	case *logical.Filter:
		return push(p.Input, append(append([]expr.Expr(nil), expr.Conjuncts(p.Cond)...), conds...))
	case *logical.Project:
		down, stay := split(conds, func(x expr.Expr) bool { return fixed(x) && fixedColumns(x, p.Exprs) })
		for i, x := range down {
			down[i] = expr.Substitute(x, p.Exprs)
		}
		return filtered(p.With(push(p.Input, down)), stay)
	case *logical.Scan:
		return pushScan(p, conds)
	case *logical.Join:
		return pushJoin(p, conds)
	case *logical.TemporalJoin:
		down, stay := split(conds, func(x expr.Expr) bool { return fixed(x) && within(x, 0, len(p.Left.Schema())) })
		return filtered(p.With(push(p.Left, down), push(p.Right, nil)), stay)
	case *logical.SetOp:
		return pushSetOp(p, conds)
	case *logical.Aggregate:
		return pushAggregate(p, conds)
	}
	if ok := passes(p); ok != nil {
		down, stay := split(conds, func(x expr.Expr) bool { return fixed(x) && ok(x) })
		return filtered(p.With(push(p.Inputs()[0], down)), stay)
	}
	return filtered(pushBelow(p), conds)
}

// pushBelow goes on below a node that no condition passes.
func pushBelow(p logical.Plan) logical.Plan {
	in := p.Inputs()
	if len(in) == 0 {
		return p
	}
	out := make([]logical.Plan, len(in))
	for i, q := range in {
		out[i] = push(q, nil)
	}
	return p.With(out...)
}

// passes says which conditions may be tested before a node whose output
// begins with the columns of its only input; nil: none.
func passes(p logical.Plan) func(expr.Expr) bool {
	switch p := p.(type) {
	case *logical.Window:
		// A row that is filtered out could have joined two sessions.
		if p.Window.Kind == op.Session {
			return func(x expr.Expr) bool { return among(x, p.Window.Partition) }
		}
		return func(x expr.Expr) bool { return within(x, 0, len(p.Input.Schema())) }
	case *logical.Unnest:
		return func(x expr.Expr) bool { return within(x, 0, len(p.Input.Schema())) }
	case *logical.Over:
		return func(x expr.Expr) bool { return among(x, p.Partition) }
	case *logical.Rank:
		return func(x expr.Expr) bool { return among(x, p.Partition) }
	case *logical.Sort:
		if p.Limit < 0 && p.Offset == 0 {
			return func(expr.Expr) bool { return true }
		}
	}
	return nil
}

func split(conds []expr.Expr, ok func(expr.Expr) bool) (yes, no []expr.Expr) {
	for _, x := range conds {
		if ok(x) {
			yes = append(yes, x)
		} else {
			no = append(no, x)
		}
	}
	return yes, no
}

// fixedColumns: what x uses of the expressions below may be computed twice.
func fixedColumns(x expr.Expr, below []expr.Expr) bool {
	for _, c := range expr.Columns(x) {
		if !fixed(below[c]) {
			return false
		}
	}
	return true
}

// pushScan lets the scan test what depends on the row alone.
func pushScan(p *logical.Scan, conds []expr.Expr) logical.Plan {
	down, stay := split(conds, immutable)
	if len(down) == 0 {
		return filtered(p, stay)
	}
	n := *p
	n.Filter = conjunction(append(append([]expr.Expr(nil), expr.Conjuncts(p.Filter)...), down...))
	return filtered(&n, stay)
}

// pushSetOp: a set operation of filtered inputs is the filtered operation.
func pushSetOp(p *logical.SetOp, conds []expr.Expr) logical.Plan {
	down, stay := split(conds, fixed)
	in := make([]logical.Plan, len(p.In))
	for i, q := range p.In {
		in[i] = push(q, down)
	}
	return filtered(p.With(in...), stay)
}

// pushAggregate tests conditions on keys before grouping, but for those on
// the columns of a window: the aggregation assigns the windows itself.
func pushAggregate(p *logical.Aggregate, conds []expr.Expr) logical.Plan {
	down, stay := split(conds, func(x expr.Expr) bool {
		if cols := expr.Columns(x); !fixed(x) || len(cols) == 0 {
			return false
		}
		for _, c := range expr.Columns(x) {
			if c >= len(p.Keys) || ofWindow(p.Input, p.Keys[c]) {
				return false
			}
		}
		return true
	})
	for i, x := range down {
		down[i] = expr.Remap(x, func(c int) int { return p.Keys[c] })
	}
	return filtered(p.With(push(p.Input, down)), stay)
}

// ofWindow tells whether column c of p is a column that a window function
// added.
func ofWindow(p logical.Plan, c int) bool {
	switch p := p.(type) {
	case *logical.Project:
		for _, i := range expr.Columns(p.Exprs[c]) {
			if ofWindow(p.Input, i) {
				return true
			}
		}
	case *logical.Filter:
		return ofWindow(p.Input, c)
	case *logical.Expand:
		for _, row := range p.Projects {
			for _, i := range expr.Columns(row[c]) {
				if ofWindow(p.Input, i) {
					return true
				}
			}
		}
	case *logical.Aggregate:
		return c < len(p.Keys) && ofWindow(p.Input, p.Keys[c])
	case *logical.Window:
		return c >= len(p.Input.Schema())
	}
	return false
}

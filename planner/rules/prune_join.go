package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

func pruneJoin(p *logical.Join, need columns) (logical.Plan, moved) {
	all := joinNeeds(need, p.Left, p.Right, p.Cond)
	width := len(p.Left.Schema())
	left, l := prune(p.Left, all[:width])
	right, r := prune(p.Right, all[width:])
	both := joined(l, r, left)
	n := *p
	n.Left, n.Right, n.Cond = left, right, both.expr(p.Cond)
	if p.Kind == op.Semi || p.Kind == op.Anti {
		n.Cols = left.Schema()
		return &n, l
	}
	n.Cols = joinedCols(p.Cols, both, len(left.Schema())+len(right.Schema()), left, right)
	return &n, both
}

func pruneTemporal(p *logical.TemporalJoin, need columns) (logical.Plan, moved) {
	all := joinNeeds(need, p.Left, p.Right, p.Cond)
	width := len(p.Left.Schema())
	all.add(expr.Columns(p.Time)...)
	// Versions are ordered by their own row time.
	for i, f := range p.Right.Schema() {
		if f.Type.Attr == types.Rowtime {
			all.add(width + i)
		}
	}
	left, l := prune(p.Left, all[:width])
	right, r := prune(p.Right, all[width:])
	both := joined(l, r, left)
	n := *p
	n.Left, n.Right, n.Cond, n.Time = left, right, both.expr(p.Cond), l.expr(p.Time)
	n.Cols = joinedCols(p.Cols, both, len(left.Schema())+len(right.Schema()), left, right)
	return &n, both
}

// joinNeeds are the needed columns of both sides; for a semi join need has
// the left ones only.
func joinNeeds(need columns, left, right logical.Plan, cond expr.Expr) columns {
	all := need.clone(len(left.Schema()) + len(right.Schema()))
	if cond != nil {
		all.add(expr.Columns(cond)...)
	}
	return all
}

func joined(l, r moved, left logical.Plan) moved {
	both := append(moved(nil), l...)
	for _, c := range r {
		if c >= 0 {
			c += len(left.Schema())
		}
		both = append(both, c)
	}
	return both
}

// joinedCols are the join's own fields (nullable where a side is), and for
// columns that were kept beyond need those of the inputs.
func joinedCols(old []types.Field, at moved, width int, left, right logical.Plan) []types.Field {
	cols := append(append([]types.Field(nil), left.Schema()...), right.Schema()...)
	for i, c := range at {
		if c >= 0 {
			cols[c] = old[i]
		}
	}
	return cols[:width]
}

package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// foldConstants computes constant sub-expressions, and drops conditions that
// are always true.
func foldConstants(c *context, p logical.Plan) (logical.Plan, error) {
	fold := func(x expr.Expr) expr.Expr {
		if x == nil {
			return nil
		}
		return expr.Fold(x, c.env)
	}
	return simply(p, func(q logical.Plan) logical.Plan {
		switch q := q.(type) {
		case *logical.Project:
			n := *q
			n.Exprs = mapExprs(q.Exprs, fold)
			return &n
		case *logical.Filter:
			return foldFilter(q, fold(q.Cond))
		case *logical.Join:
			n := *q
			n.Cond = fold(q.Cond)
			if isTrue(n.Cond) {
				n.Cond = nil
			}
			return &n
		case *logical.Values:
			n := *q
			n.Rows = mapRows(q.Rows, fold)
			return &n
		case *logical.Expand:
			n := *q
			n.Projects = mapRows(q.Projects, fold)
			return &n
		case *logical.Watermark:
			n := *q
			n.Expr = fold(q.Expr)
			return &n
		}
		return q
	})
}

func mapExprs(xs []expr.Expr, f func(expr.Expr) expr.Expr) []expr.Expr {
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

func mapRows(rows [][]expr.Expr, f func(expr.Expr) expr.Expr) [][]expr.Expr {
	out := make([][]expr.Expr, len(rows))
	for i, r := range rows {
		out[i] = mapExprs(r, f)
	}
	return out
}

func foldFilter(q *logical.Filter, cond expr.Expr) logical.Plan {
	if isTrue(cond) {
		return q.Input
	}
	n := *q
	n.Cond = cond
	return &n
}

func isTrue(x expr.Expr) bool {
	l, ok := x.(*expr.Literal)
	return ok && l.T.Kind == types.Boolean && !l.V.Null && l.V.I != 0
}

package rules

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// mergeProjects makes one project of two, and drops those that change
// nothing. Compiled programs compute a common sub-expression once, so that
// what is written twice by this costs nothing.
func mergeProjects(_ *context, p logical.Plan) (logical.Plan, error) {
	top := p
	return simply(p, func(q logical.Plan) logical.Plan {
		u, ok := q.(*logical.Project)
		if !ok {
			return q
		}
		if l, ok := u.Input.(*logical.Project); ok && !slices.ContainsFunc(l.Exprs, unsteady) {
			n := *u
			n.Input = l.Input
			n.Exprs = mapExprs(u.Exprs, func(x expr.Expr) expr.Expr { return expr.Substitute(x, l.Exprs) })
			u = &n
		}
		if q != top && isIdentity(u) {
			return u.Input
		}
		return u
	})
}

func unsteady(x expr.Expr) bool { return !fixed(x) }

// isIdentity: same columns, names and time attributes.
func isIdentity(p *logical.Project) bool {
	in := p.Input.Schema()
	if len(p.Exprs) != len(in) {
		return false
	}
	for i, x := range p.Exprs {
		c, ok := x.(*expr.Column)
		if !ok || c.Index != i || p.Cols[i].Name != in[i].Name || p.Cols[i].Type.Attr != in[i].Type.Attr {
			return false
		}
	}
	return true
}

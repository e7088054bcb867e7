package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pushJoin moves conditions from above a join, and those of its ON, to the
// sides. Below an outer join a condition from above goes to the side whose
// rows are all kept, and one of ON to the other side.
func pushJoin(p *logical.Join, above []expr.Expr) logical.Plan {
	width := len(p.Left.Schema())
	isLeft := func(x expr.Expr) bool { return fixed(x) && within(x, 0, width) }
	isRight := func(x expr.Expr) bool { return fixed(x) && within(x, width, width+len(p.Right.Schema())) }
	never := func(expr.Expr) bool { return false }

	aboveLeft, aboveRight := isLeft, isRight
	onLeft, onRight := isLeft, isRight
	switch p.Kind {
	case op.Left:
		aboveRight, onLeft = never, never
	case op.Right:
		aboveLeft, onRight = never, never
	case op.Full:
		aboveLeft, aboveRight, onLeft, onRight = never, never, never, never
	case op.Semi:
		aboveRight = never
	case op.Anti:
		aboveRight, onLeft = never, never
		if p.NotIn {
			onRight = never
		}
	}
	on := expr.Conjuncts(p.Cond)
	if p.Kind == op.Inner {
		both, stay := split(above, fixed)
		on, above = append(append([]expr.Expr(nil), on...), both...), stay
	}
	left, above := split(above, aboveLeft)
	right, above := split(above, aboveRight)
	l, on := split(on, onLeft)
	r, on := split(on, onRight)
	left, right = append(left, l...), append(right, r...)
	for i, x := range right {
		right[i] = expr.Shift(x, width, -width)
	}
	n := p.With(push(p.Left, left), push(p.Right, right)).(*logical.Join)
	n.Cond = nil
	if len(on) > 0 {
		n.Cond = conjunction(on)
	}
	return filtered(n, above)
}

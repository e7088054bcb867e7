package rules

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// dropWatermarks takes the watermark from the scans above which nothing
// depends on event time, so that its columns need not be read.
func dropWatermarks(_ *context, p logical.Plan) (logical.Plan, error) {
	return dropWatermark(p, false), nil
}

// dropWatermark: needed says that an operator above needs the watermark.
func dropWatermark(p logical.Plan, needed bool) logical.Plan {
	if s, ok := p.(*logical.Scan); ok {
		if needed || s.Watermark == nil {
			return s
		}
		n := *s
		n.Watermark = nil
		return &n
	}
	needed = needed || usesWatermark(p)
	in := p.Inputs()
	if len(in) == 0 {
		return p
	}
	out := make([]logical.Plan, len(in))
	for i, q := range in {
		out[i] = dropWatermark(q, needed)
	}
	return p.With(out...)
}

// usesWatermark errs on the side of yes: what operator a node becomes is
// decided later.
func usesWatermark(p logical.Plan) bool {
	switch p := p.(type) {
	case *logical.Window, *logical.TemporalJoin, *logical.Watermark:
		return true
	case *logical.Aggregate:
		return p.GroupWindow != nil
	case *logical.Over:
		return len(p.Order) > 0 && isRowtime(p.Input, p.Order[0].Col)
	case *logical.Rank:
		return len(p.Order) > 0 && isRowtime(p.Input, p.Order[0].Col)
	case *logical.Sort:
		return len(p.Keys) > 0 && isRowtime(p.Input, p.Keys[0].Col)
	case *logical.Join:
		return comparesTimes(p)
	case *logical.Project:
		return slices.ContainsFunc(p.Exprs, unsteady)
	case *logical.Filter:
		return unsteady(p.Cond)
	}
	return false
}

func isRowtime(p logical.Plan, col int) bool { return p.Schema()[col].Type.Attr == types.Rowtime }

// comparesTimes: the condition uses row times, or columns of windows, of both
// sides.
func comparesTimes(p *logical.Join) bool {
	if p.Cond == nil {
		return false
	}
	width := len(p.Left.Schema())
	var left, right bool
	for _, c := range expr.Columns(p.Cond) {
		if c < width {
			left = left || isRowtime(p.Left, c) || ofWindow(p.Left, c)
		} else {
			right = right || isRowtime(p.Right, c-width) || ofWindow(p.Right, c-width)
		}
	}
	return left && right
}

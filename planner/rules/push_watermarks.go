package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pushWatermarks gives the watermark to the scan below, with the computed
// columns that it needs: a source makes watermarks per split, and a row that a
// filter drops moves them too.
func pushWatermarks(_ *context, p logical.Plan) (logical.Plan, error) {
	return simply(p, func(q logical.Plan) logical.Plan {
		w, ok := q.(*logical.Watermark)
		if !ok {
			return q
		}
		if r := pushWatermark(w.Input, w.Expr, column(w.Time, w.Schema()), w); r != nil {
			return r
		}
		return q
	})
}

// pushWatermark returns p with the watermark in its scan, nil if there is
// something other than projects in between.
func pushWatermark(p logical.Plan, mark, time expr.Expr, w *logical.Watermark) logical.Plan {
	switch p := p.(type) {
	case *logical.Scan:
		n := *p
		n.Watermark, n.Rowtime, n.RowtimeName = mark, time, w.Schema()[w.Time].Name
		if p == w.Input {
			n.Cols = w.Cols
		}
		return &n
	case *logical.Project:
		in := pushWatermark(p.Input, expr.Substitute(mark, p.Exprs), expr.Substitute(time, p.Exprs), w)
		if in == nil {
			return nil
		}
		n := *p
		n.Input = in
		if p == w.Input {
			n.Cols = w.Cols
		}
		return &n
	}
	return nil
}

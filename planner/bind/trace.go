package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// below follows column i of p to the input that it comes from unchanged;
// input is nil where it is computed by p.
func below(p logical.Plan, i int) (input logical.Plan, col int) {
	switch n := p.(type) {
	case *logical.Project:
		if c, ok := n.Exprs[i].(*expr.Column); ok && c.Index < len(n.Input.Schema()) {
			return n.Input, c.Index
		}
	case *logical.Filter, *logical.Sort, *logical.Watermark:
		return p.Inputs()[0], i
	case *logical.Window, *logical.Over, *logical.Unnest, *logical.Rank:
		if in := p.Inputs()[0]; i < len(in.Schema()) {
			return in, i
		}
	case *logical.Aggregate:
		if i < len(n.Keys) {
			return n.Input, n.Keys[i]
		}
	case *logical.Expand:
		return belowExpand(n, i)
	case *logical.Join:
		return side(n.Left, n.Right, i)
	case *logical.TemporalJoin:
		return side(n.Left, n.Right, i)
	case *logical.SetOp:
		return n.In[0], i
	}
	return nil, 0
}

func side(left, right logical.Plan, i int) (logical.Plan, int) {
	if w := len(left.Schema()); i >= w {
		return right, i - w
	}
	return left, i
}

// belowExpand follows a column that all grouping sets hold.
func belowExpand(n *logical.Expand, i int) (logical.Plan, int) {
	col := -1
	for _, xs := range n.Projects {
		c, ok := xs[i].(*expr.Column)
		if !ok || col >= 0 && c.Index != col {
			return nil, 0
		}
		col = c.Index
	}
	return n.Input, col
}

// windowColumn tells whether column i of p is the start, end or time of a
// window table function, and of which.
func windowColumn(p logical.Plan, i int) (*logical.Window, op.WindowProperty) {
	for p != nil {
		if w, ok := p.(*logical.Window); ok {
			if first := len(w.Input.Schema()); i >= first {
				return w, op.WindowProperty(i - first)
			}
		}
		p, i = below(p, i)
	}
	return nil, 0
}

// groupsByWindow tells whether keys hold the start and end of one window. It
// refuses windows that cannot be aggregated.
func groupsByWindow(p logical.Plan, keys []expr.Expr) bool {
	starts := map[*logical.Window]bool{}
	ends := map[*logical.Window]bool{}
	for _, k := range keys {
		c, ok := k.(*expr.Column)
		if !ok || c.Index >= len(p.Schema()) {
			continue
		}
		switch w, prop := windowColumn(p, c.Index); {
		case w == nil:
		case prop == op.WindowStart:
			starts[w] = true
		case prop == op.WindowEnd:
			ends[w] = true
		}
	}
	for w := range starts {
		if ends[w] {
			checkMultiple(w)
			return true
		}
	}
	return false
}

// checkMultiple refuses to aggregate hopping windows that are no multiple of
// their slide.
func checkMultiple(w *logical.Window) {
	k := w.Window.Kind
	if k != op.Hop && k != op.Cumulate || w.Window.Size%w.Window.Slide == 0 {
		return
	}
	what := "slide"
	if k == op.Cumulate {
		what = "step"
	}
	fail(perr.New(w.At, "an aggregation over %s needs a size that is a multiple of the %s: %d ms is none of %d ms", k, what, w.Window.Size, w.Window.Slide).WithHint("change the size or the %s", what))
}

// timeLost says why column i of p is no time attribute although a window was
// meant to use it; nil if it never was one.
func timeLost(p logical.Plan, i int, name string, pos ast.Pos) *perr.Error {
	for p != nil {
		in, j := below(p, i)
		if in == nil {
			return lostIn(p, i, name, pos)
		}
		if in.Schema()[j].Type.Attr != types.NoTime {
			return lostAt(p, pos, name)
		}
		p, i = in, j
	}
	return nil
}

// lostAt is about a node that takes the attribute from a column.
func lostAt(p logical.Plan, pos ast.Pos, name string) *perr.Error {
	switch n := p.(type) {
	case *logical.Join:
		return perr.New(pos, "%q is no time attribute any more: it was lost in the join at %s, whose rows come out in no order of time", name, n.At).WithHint("join within a time interval (… AND a.time BETWEEN b.time AND b.time + INTERVAL '1' HOUR), or apply the window before the join")
	case *logical.Aggregate:
		return perr.New(pos, "%q is no time attribute any more: it was lost in the GROUP BY at %s", name, n.At).WithHint("group by window_start, window_end and window_time of a window, and use window_time")
	}
	return perr.New(pos, "%q is no time attribute any more: it was lost at %s", name, p.Pos())
}

// lostIn is about a node that computes the column.
func lostIn(p logical.Plan, i int, name string, pos ast.Pos) *perr.Error {
	switch n := p.(type) {
	case *logical.Project:
		for _, c := range expr.Columns(n.Exprs[i]) {
			if c < len(n.Input.Schema()) && n.Input.Schema()[c].Type.Attr != types.NoTime {
				return perr.New(pos, "%q is no time attribute: it is computed, as %s, and only a plain column keeps the attribute", name, n.Exprs[i]).WithHint("pass the column %q through as it is", n.Input.Schema()[c].Name)
			}
		}
	case *logical.Aggregate:
		return perr.New(pos, "%q is no time attribute: it is the result of the GROUP BY at %s", name, n.At).WithHint("group by window_start, window_end and window_time of a window, and use window_time")
	}
	return nil
}

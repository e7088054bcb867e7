package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

func withoutTime(cols []types.Field) []types.Field {
	out := make([]types.Field, len(cols))
	for i, f := range cols {
		f.Type.Attr = types.NoTime
		out[i] = f
	}
	return out
}

// withoutRowtime leaves the processing time, which no order of rows can harm.
func withoutRowtime(cols []types.Field) []types.Field {
	out := make([]types.Field, len(cols))
	for i, f := range cols {
		if f.Type.Attr == types.Rowtime {
			f.Type.Attr = types.NoTime
		}
		out[i] = f
	}
	return out
}

// settle drops the row times of the joins of one FROM that are neither
// interval joins nor joins of windows: their rows come out in no order of
// time. What bounds the times may stand in WHERE, hence it is done last.
func settle(p logical.Plan) logical.Plan { return settleWith(p, nil) }

// settleWith is given the terms known to hold above p, over its columns.
func settleWith(p logical.Plan, known []expr.Expr) logical.Plan {
	switch n := p.(type) {
	case *logical.Filter:
		in := settleWith(n.Input, append(known, expr.Conjuncts(n.Cond)...))
		if in == n.Input {
			return p
		}
		return &logical.Filter{Input: in, Cond: n.Cond, Node: logical.Node{Cols: in.Schema(), At: n.At}}
	case *logical.Join:
		return settleJoin(n, known)
	case *logical.TemporalJoin:
		return settleTemporal(n, known)
	case *logical.Unnest:
		in := settleWith(n.Input, nil)
		c := *n
		c.Input = in
		c.Cols = append(append([]types.Field{}, in.Schema()...), n.Cols[len(in.Schema()):]...)
		return &c
	}
	return p
}

func settleJoin(n *logical.Join, known []expr.Expr) logical.Plan {
	width := len(n.Left.Schema())
	c := *n
	c.Left = settleWith(n.Left, within(known, 0, width))
	c.Right = settleWith(n.Right, within(known, width, len(n.Cols)))
	c.Cols = joinCols(n.Kind, c.Left, c.Right)
	if !keepsTime(&c, known) {
		c.Cols = withoutRowtime(c.Cols)
	}
	return &c
}

func settleTemporal(n *logical.TemporalJoin, known []expr.Expr) logical.Plan {
	c := *n
	c.Left = settleWith(n.Left, within(known, 0, len(n.Left.Schema())))
	c.Cols = temporalCols(&c)
	if col, ok := n.Time.(*expr.Column); ok && c.Left.Schema()[col.Index].Type.Attr == types.NoTime {
		if err := timeLost(c.Left, col.Index, col.Name, n.At); err != nil {
			fail(err)
		}
	}
	return &c
}

// within are the terms over columns from…to only, moved to begin at 0.
func within(terms []expr.Expr, from, to int) []expr.Expr {
	var out []expr.Expr
	for _, t := range terms {
		cols := expr.Columns(t)
		if len(cols) > 0 && cols[0] >= from && cols[len(cols)-1] < to {
			out = append(out, expr.Shift(t, from, -from))
		}
	}
	return out
}

// keepsTime tells whether the rows of a join come out in the order of their
// time attributes: the times of both sides are bounded by each other, or the
// sides are joined by window.
func keepsTime(n *logical.Join, known []expr.Expr) bool {
	terms := append(expr.Conjuncts(n.Cond), known...)
	return isIntervalJoin(n, terms) || isWindowJoin(n, terms)
}

// isIntervalJoin looks for a lower and an upper bound between a time
// attribute of the left side and one of the right side.
func isIntervalJoin(n *logical.Join, terms []expr.Expr) bool {
	var lower, upper bool
	for _, t := range terms {
		c, ok := t.(*expr.Call)
		if !ok || len(c.Args) != 2 {
			continue
		}
		l, r := timeSide(n, c.Args[0]), timeSide(n, c.Args[1])
		if l == r || l == 0 || r == 0 {
			continue
		}
		name := c.Fn.Name
		if l > r {
			name = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}[name]
		}
		lower = lower || name == ">" || name == ">=" || name == "="
		upper = upper || name == "<" || name == "<=" || name == "="
	}
	return lower && upper
}

// timeSide is 1 or 2 for a time attribute of the left or right side, plus or
// minus a constant; else 0.
func timeSide(n *logical.Join, x expr.Expr) int {
	x = expr.Uncast(x)
	if c, ok := x.(*expr.Call); ok && (c.Fn.Name == "+" || c.Fn.Name == "-") && len(c.Args) == 2 {
		l, r := expr.Uncast(c.Args[0]), expr.Uncast(c.Args[1])
		if expr.IsConstant(r) {
			return timeSide(n, l)
		}
		if expr.IsConstant(l) && c.Fn.Name == "+" {
			return timeSide(n, r)
		}
		return 0
	}
	col, ok := x.(*expr.Column)
	if !ok {
		return 0
	}
	width := len(n.Left.Schema())
	switch {
	case col.Index < width && n.Left.Schema()[col.Index].Type.Attr != types.NoTime:
		return 1
	case col.Index >= width && col.Index-width < len(n.Right.Schema()) && n.Right.Schema()[col.Index-width].Type.Attr != types.NoTime:
		return 2
	}
	return 0
}

// isWindowJoin looks for equal window starts and equal window ends.
func isWindowJoin(n *logical.Join, terms []expr.Expr) bool {
	found := map[op.WindowProperty]bool{}
	width := len(n.Left.Schema())
	for _, t := range terms {
		c, ok := t.(*expr.Call)
		if !ok || c.Fn.Name != "=" {
			continue
		}
		l, okL := expr.Uncast(c.Args[0]).(*expr.Column)
		r, okR := expr.Uncast(c.Args[1]).(*expr.Column)
		if !okL || !okR {
			continue
		}
		if l.Index > r.Index {
			l, r = r, l
		}
		if l.Index >= width || r.Index < width || r.Index-width >= len(n.Right.Schema()) {
			continue
		}
		lw, lp := windowColumn(n.Left, l.Index)
		rw, rp := windowColumn(n.Right, r.Index-width)
		if lw != nil && rw != nil && lp == rp {
			found[lp] = true
		}
	}
	return found[op.WindowStart] && found[op.WindowEnd]
}

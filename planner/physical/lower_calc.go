package physical

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/rules"
)

func (l *lowerer) project(p *logical.Project) (*Node, error) {
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	return l.calc(in, p.Pos(), nil, p.Exprs, p.Schema()), nil
}

func (l *lowerer) filter(p *logical.Filter) (*Node, error) {
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	return l.calc(in, p.Pos(), p.Cond, nil, p.Schema()), nil
}

// calc filters and projects in; exprs nil: the columns as they are. out gives
// names and types. A Calc below is merged, and one that does nothing is left
// out.
func (l *lowerer) calc(in *Node, at ast.Pos, filter expr.Expr, exprs []expr.Expr, out []types.Field) *Node {
	if exprs == nil {
		exprs = identity(in.Output)
	}
	if below, ok := in.Op.(*Calc); ok && mergeable(below, filter, exprs) {
		filter = conjunction(below.Filter, substitute(filter, below.Exprs))
		merged := make([]expr.Expr, len(exprs))
		for i, x := range exprs {
			merged[i] = expr.Substitute(x, below.Exprs)
		}
		exprs, in = merged, in.in(0)
	}
	if filter == nil && isIdentity(exprs, len(in.Output)) && sameNames(out, in.Output) {
		return in
	}
	n := &Node{Op: &Calc{op.CalcSpec{Filter: renamed(filter, in.Output), Exprs: renamedAll(exprs, in.Output)}}, At: at,
		Inputs: forward(in), Output: l.calcOutput(filter, exprs, in, out), Changes: in.Changes}
	moved := movedColumns(exprs, len(in.Output))
	n.Keys = movedKeys(in.Keys, movedValues(exprs, len(in.Output)))
	n.Windows = movedWindows(in.Windows, moved)
	n.rowtime = movedExpr(in.rowtime, moved)
	return l.add(n)
}

func identity(fields []types.Field) []expr.Expr {
	exprs := make([]expr.Expr, len(fields))
	for i, f := range fields {
		exprs[i] = &expr.Column{Index: i, Name: f.Name, T: f.Type}
	}
	return exprs
}

func isIdentity(exprs []expr.Expr, width int) bool {
	for i, x := range exprs {
		c, ok := x.(*expr.Column)
		if !ok || c.Index != i {
			return false
		}
	}
	return len(exprs) == width
}

func sameNames(a, b []types.Field) bool {
	return slices.EqualFunc(a, b, func(x, y types.Field) bool { return x.Name == y.Name })
}

// mergeable: what the lower Calc draws anew for each row may be used once
// only.
func mergeable(below *Calc, filter expr.Expr, exprs []expr.Expr) bool {
	return !volatile(below.Filter) && !slices.ContainsFunc(below.Exprs, volatile)
}

func substitute(x expr.Expr, cols []expr.Expr) expr.Expr {
	if x == nil {
		return nil
	}
	return expr.Substitute(x, cols)
}

// conjunction is a AND b, either of which may be nil.
func conjunction(xs ...expr.Expr) expr.Expr {
	var terms []expr.Expr
	for _, x := range xs {
		terms = append(terms, expr.Conjuncts(x)...)
	}
	terms = absorbed(terms)
	switch len(terms) {
	case 0:
		return nil
	case 1:
		return terms[0]
	}
	return &expr.And{Terms: terms}
}

// absorbed leaves out the terms that others imply: a second time the same,
// and A OR B beside A (a shared scan tests what any consumer wants).
func absorbed(terms []expr.Expr) []expr.Expr {
	var kept []expr.Expr
	for i, t := range terms {
		implied := slices.ContainsFunc(kept, func(u expr.Expr) bool { return expr.Equal(t, u) })
		if o, ok := t.(*expr.Or); ok {
			for j, u := range terms {
				implied = implied || j != i && slices.ContainsFunc(o.Terms, func(v expr.Expr) bool { return expr.Equal(u, v) })
			}
		}
		if !implied {
			kept = append(kept, t)
		}
	}
	return kept
}

// renamed gives columns the names of the input.
func renamed(x expr.Expr, in []types.Field) expr.Expr {
	if x == nil {
		return nil
	}
	return expr.Rewrite(x, func(y expr.Expr) expr.Expr {
		c, ok := y.(*expr.Column)
		if !ok || c.Name == in[c.Index].Name {
			return y
		}
		return &expr.Column{Index: c.Index, Name: in[c.Index].Name, T: c.T}
	})
}

func renamedAll(xs []expr.Expr, in []types.Field) []expr.Expr {
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		out[i] = renamed(x, in)
	}
	return out
}

// calcOutput types the columns; a time attribute survives where its column is
// passed on as it is.
func (l *lowerer) calcOutput(filter expr.Expr, exprs []expr.Expr, in *Node, out []types.Field) []types.Field {
	fields := make([]types.Field, len(exprs))
	for i, x := range exprs {
		t := x.Type()
		t.Attr = types.NoTime
		switch x := x.(type) {
		case *expr.Column:
			t.Attr = in.Output[x.Index].Type.Attr
		case *expr.Call:
			if x.Fn.Name == "PROCTIME" {
				t.Attr = types.Proctime
			}
		}
		if l.isRowtime(x, in, filter) {
			t.Attr = types.Rowtime
		}
		fields[i] = types.Field{Name: out[i].Name, Type: t, Doc: out[i].Doc}
	}
	return fields
}

// isRowtime tells whether x is the event time of the scan below, perhaps as
// the filters above the scan have simplified it.
func (l *lowerer) isRowtime(x expr.Expr, in *Node, filter expr.Expr) bool {
	if in.rowtime == nil {
		return false
	}
	conds := slices.Clone(expr.Conjuncts(filter))
	if s, ok := in.Op.(*Scan); ok {
		conds = append(conds, expr.Conjuncts(s.Filter)...)
	}
	return expr.Equal(x, in.rowtime) || expr.Equal(x, rules.Decided(in.rowtime, conds, &fn.Env{Zone: l.cfg.Zone}))
}

// movedColumns tells where each input column is passed on; −1: it is not.
func movedColumns(exprs []expr.Expr, width int) []int {
	moved := make([]int, width)
	for i := range moved {
		moved[i] = -1
	}
	for i, x := range exprs {
		if c, ok := x.(*expr.Column); ok && moved[c.Index] < 0 {
			moved[c.Index] = i
		}
	}
	return moved
}

// movedValues is movedColumns, also through casts that keep values apart.
func movedValues(exprs []expr.Expr, width int) []int {
	bare := make([]expr.Expr, len(exprs))
	for i, x := range exprs {
		for {
			c, ok := x.(*expr.Cast)
			if !ok || !keepsApart(c.X.Type(), c.T) {
				break
			}
			x = c.X
		}
		bare[i] = x
	}
	return movedColumns(bare, width)
}

// keepsApart: different values of a stay different as values of b.
func keepsApart(a, b types.Type) bool {
	switch {
	case a.Equal(b):
		return true
	case a.IsInteger() && b.IsInteger():
		return a.Kind <= b.Kind
	case a.Kind == types.Varchar && b.Kind == types.Varchar, a.Kind == types.Char && b.Kind == types.Varchar:
		return a.Precision <= b.Precision
	case a.Kind == b.Kind && (a.Kind == types.Timestamp || a.Kind == types.TimestampLTZ):
		return a.Precision <= b.Precision
	case a.Kind == types.Decimal && b.Kind == types.Decimal:
		return a.Scale <= b.Scale && a.Precision-a.Scale <= b.Precision-b.Scale
	}
	return false
}

func movedKeys(keys [][]int, moved []int) [][]int {
	var out [][]int
	for _, k := range keys {
		if m := movedAll(k, moved); m != nil {
			out = append(out, m)
		}
	}
	return out
}

// movedAll is nil if one of the columns is gone.
func movedAll(cols []int, moved []int) []int {
	m := make([]int, len(cols))
	for i, c := range cols {
		if m[i] = moved[c]; m[i] < 0 {
			return nil
		}
	}
	return m
}

func movedWindows(w *WindowColumns, moved []int) *WindowColumns {
	if w == nil {
		return nil
	}
	at := func(c int) int {
		if c < 0 {
			return -1
		}
		return moved[c]
	}
	m := &WindowColumns{at(w.Start), at(w.End), at(w.Time), w.LTZ}
	if m.Start < 0 && m.End < 0 && m.Time < 0 {
		return nil
	}
	return m
}

// movedExpr is x over the moved columns, nil if one of its columns is gone.
func movedExpr(x expr.Expr, moved []int) expr.Expr {
	if x == nil {
		return nil
	}
	for _, c := range expr.Columns(x) {
		if moved[c] < 0 {
			return nil
		}
	}
	return expr.Remap(x, func(c int) int { return moved[c] })
}

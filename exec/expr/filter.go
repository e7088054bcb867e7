package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Filter is a condition that selects rows. For one goroutine.
type Filter struct {
	terms  []term
	scopes []scope
	sel    []int32
}

// term is one conjunct: by a selector where the function has one, else by
// its column of booleans.
type term struct {
	node      *node
	args      []*node
	in        []*vec.Vector
	selector  fn.Selector
	nullAware bool
}

// CompileFilter makes a filter of a condition; nil selects all rows.
func CompileFilter(e Expr) (*Filter, error) {
	f, c := &Filter{sel: []int32{}}, compiler{}
	if e != nil {
		e = Fold(e, nil)
	}
	for _, x := range Conjuncts(e) {
		t, err := c.term(x)
		if err != nil {
			return nil, err
		}
		f.terms = append(f.terms, t)
	}
	f.scopes = make([]scope, len(f.terms)+1)
	return f, nil
}

func (c *compiler) term(x Expr) (term, error) {
	if call, ok := x.(*Call); ok && call.Bound.NewSelect != nil {
		if s := call.Bound.NewSelect(constantArgs(call.Args)); s != nil {
			args, err := c.nodes(call.Args)
			return term{args: args, in: make([]*vec.Vector, len(args)), selector: s, nullAware: call.Bound.NullAware}, err
		}
	}
	n, err := c.node(x)
	return term{node: n}, err
}

// Select returns those of the selected rows of b for which the condition is
// true. The result is not nil and valid until the next call.
func (f *Filter) Select(env *fn.Env, b *vec.Batch) ([]int32, error) {
	at := &f.scopes[0]
	at.open(nil, env, b, b.Rows())
	if len(f.terms) == 0 {
		f.sel = append(f.sel[:0], at.rows...)
		return f.sel, nil
	}
	for i := range f.terms {
		if cap(f.sel) < len(at.rows) {
			f.sel = make([]int32, 0, len(at.rows))
		}
		sel, err := f.terms[i].refine(at, f.sel[:0])
		if err != nil {
			return nil, &ValueError{err}
		}
		f.sel = sel
		next := &f.scopes[i+1]
		next.open(at, env, b, sel)
		at = next
	}
	return f.sel, nil
}

func (t *term) refine(s *scope, dst []int32) ([]int32, error) {
	if len(s.rows) == 0 {
		return dst, nil
	}
	if t.selector == nil {
		v, err := t.node.get(s)
		if err != nil {
			return nil, err
		}
		return selectTrue(v, s.rows, dst), nil
	}
	rows := s.rows
	for i, a := range t.args {
		v, err := a.get(s)
		if err != nil {
			return nil, err
		}
		t.in[i] = v
	}
	if !t.nullAware {
		for _, v := range t.in {
			if v.Nulls != nil {
				rows = selectNotNull(v.Nulls, rows, dst)
			}
		}
	}
	return t.selector(s.env, t.in, rows, dst)
}

func selectTrue(v *vec.Vector, rows, dst []int32) []int32 {
	if v.Nulls == nil {
		dst = dst[:len(rows)]
		n := 0
		for _, r := range rows {
			dst[n] = r
			if v.Bool[r] {
				n++
			}
		}
		return dst[:n]
	}
	for _, r := range rows {
		if v.Bool[r] && !v.IsNull(int(r)) {
			dst = append(dst, r)
		}
	}
	return dst
}

package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// partCast casts a child column.
type partCast struct {
	kernel fn.Kernel // nil: a copy
	total  bool
	live   []int32
}

func newPartCast(from, to types.Type, try bool) (*partCast, bool) {
	if isNoop(from, to) {
		return &partCast{}, true
	}
	k, total := castKernel(from, to, try)
	return &partCast{kernel: k, total: total}, k != nil
}

func (p *partCast) run(env *fn.Env, src, dst *vec.Vector, rows []int32) error {
	dst.Resize(src.Len())
	if p.kernel == nil {
		dst.CopyRows(src, rows)
		return nil
	}
	if src.Nulls != nil {
		dst.OrNulls(src)
		if !p.total {
			p.live = selectNotNull(dst.Nulls, rows, p.live[:0])
			rows = p.live
		}
	}
	return p.kernel(env, []*vec.Vector{src}, rows, dst)
}

// toNested casts arrays, maps and rows part by part.
func (c conversion) toNested() fn.Kernel {
	var parts []*partCast
	ok := true
	add := func(from, to types.Type) {
		p, good := newPartCast(from, to, c.try)
		parts, ok = append(parts, p), ok && good
	}
	switch c.to.Kind {
	case types.Array:
		add(*c.from.Elem, *c.to.Elem)
	case types.Multiset:
		add(*c.from.Elem, *c.to.Elem)
		add(types.Of(types.Int), types.Of(types.Int))
	case types.Map:
		add(*c.from.Key, *c.to.Key)
		add(*c.from.Elem, *c.to.Elem)
	case types.Row:
		for i := range c.to.Fields {
			add(c.from.Fields[i].Type, c.to.Fields[i].Type)
		}
		return rowCast(parts, ok)
	default:
		return nil
	}
	return listCast(parts, ok)
}

func rowCast(parts []*partCast, ok bool) fn.Kernel {
	if !ok {
		return nil
	}
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for i, p := range parts {
			if err := p.run(env, args[0].Kids[i], out.Kids[i], rows); err != nil {
				return err
			}
		}
		return nil
	}
}

// listCast keeps the spans: elements of rows that were not asked for stay
// undefined.
func listCast(parts []*partCast, ok bool) fn.Kernel {
	if !ok {
		return nil
	}
	var elements []int32
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		elements = elements[:0]
		for _, r := range rows {
			s := args[0].Spans[r]
			out.Spans[r] = s
			for j := s.Off; j < s.Off+s.Len; j++ {
				elements = append(elements, int32(j))
			}
		}
		for i, p := range parts {
			if err := p.run(env, args[0].Kids[i], out.Kids[i], elements); err != nil {
				return err
			}
		}
		return nil
	}
}

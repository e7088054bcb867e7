package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "IN_SET", Syntax: "a IN (list)", Doc: "Whether a value is one of a list of constants. If it is not and the list has a NULL, the result is NULL.", Bind: bindIn})
}

// bindIn is given arguments that were cast to one type already; all but the
// first are constants.
func bindIn(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bindAll("a IN (list)", args, 2, anyArg)
	if err != nil {
		return nil, err
	}
	set := newValueSet(ts[0], args[1:])
	b := &fn.Bound{Params: ts, Result: strict(boolean, args), NullAware: true}
	b.New = func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			set.find(args[0], rows, out)
			return nil
		}
	}
	if vec.KindOf(ts[0]) == vec.I64 {
		b.NewSelect = func([]*vec.Value) fn.Selector {
			return func(_ *fn.Env, args []*vec.Vector, rows, dst []int32) ([]int32, error) {
				if args[0].Nulls != nil {
					rows = nullSelect(args[0].Nulls, false, rows, dst[:0])
				}
				return set.ints.selects(args[0].I64, rows, dst[:0]), nil
			}
		}
	}
	return b, nil
}

// valueSet is a set of constants of one storage kind.
type valueSet struct {
	ints    *intSet
	wides   map[vec.Int128]struct{}
	texts   map[string]struct{}
	lengths uint64 // bit n mod 64: there is a text of n bytes
	hasNull bool
}

func newValueSet(t types.Type, items []fn.Arg) *valueSet {
	s := &valueSet{wides: map[vec.Int128]struct{}{}, texts: map[string]struct{}{}}
	ints := map[int64]struct{}{}
	for _, a := range items {
		switch v := a.Literal; {
		case v == nil || v.Null:
			s.hasNull = true
		case vec.KindOf(t) == vec.Bytes:
			s.texts[v.S] = struct{}{}
			s.lengths |= 1 << (len(v.S) & 63)
		case vec.KindOf(t) == vec.I128:
			s.wides[v.W] = struct{}{}
		default:
			ints[v.I] = struct{}{}
		}
	}
	s.ints = newIntSet(ints)
	return s
}

func (s *valueSet) find(v *vec.Vector, rows []int32, out *vec.Vector) {
	switch v.Kind {
	case vec.I64:
		s.ints.find(v.I64, rows, out.Bool)
	case vec.I128:
		for _, r := range rows {
			_, out.Bool[r] = s.wides[v.I128[r]]
		}
	case vec.Bytes:
		for _, r := range rows {
			ok := s.lengths>>(v.Spans[r].Len&63)&1 != 0
			if ok {
				_, ok = s.texts[string(v.BytesAt(int(r)))]
			}
			out.Bool[r] = ok
		}
	case vec.Bool:
		for _, r := range rows {
			_, out.Bool[r] = s.ints.all[int64(sign(v.Bool[r]))]
		}
	}
	if v.Nulls == nil && !s.hasNull {
		return
	}
	for _, r := range rows {
		if v.IsNull(int(r)) || (s.hasNull && !out.Bool[r]) {
			out.SetNull(int(r))
		}
	}
}

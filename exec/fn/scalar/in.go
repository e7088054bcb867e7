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
	return &fn.Bound{Params: ts, Result: strict(boolean, args), NullAware: true,
		New: func() fn.Kernel {
			return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
				set.find(args[0], rows, out)
				return nil
			}
		}}, nil
}

// valueSet is a set of constants of one storage kind.
type valueSet struct {
	ints    map[int64]struct{}
	wides   map[vec.Int128]struct{}
	texts   map[string]struct{}
	few     []int64 // ints, if they are few
	hasNull bool
}

func newValueSet(t types.Type, items []fn.Arg) *valueSet {
	s := &valueSet{ints: map[int64]struct{}{}, wides: map[vec.Int128]struct{}{}, texts: map[string]struct{}{}}
	for _, a := range items {
		switch v := a.Literal; {
		case v == nil || v.Null:
			s.hasNull = true
		case vec.KindOf(t) == vec.Bytes:
			s.texts[v.S] = struct{}{}
		case vec.KindOf(t) == vec.I128:
			s.wides[v.W] = struct{}{}
		default:
			s.ints[v.I] = struct{}{}
		}
	}
	if len(s.ints) <= 8 {
		for n := range s.ints {
			s.few = append(s.few, n)
		}
	}
	return s
}

func (s *valueSet) find(v *vec.Vector, rows []int32, out *vec.Vector) {
	for _, r := range rows {
		out.Bool[r] = false
	}
	switch v.Kind {
	case vec.I64:
		s.findInts(v.I64, rows, out.Bool)
	case vec.I128:
		for _, r := range rows {
			_, out.Bool[r] = s.wides[v.I128[r]]
		}
	case vec.Bytes:
		for _, r := range rows {
			_, out.Bool[r] = s.texts[string(v.BytesAt(int(r)))]
		}
	case vec.Bool:
		for _, r := range rows {
			_, out.Bool[r] = s.ints[int64(sign(v.Bool[r]))]
		}
	}
	for _, r := range rows {
		if v.IsNull(int(r)) || (s.hasNull && !out.Bool[r]) {
			out.SetNull(int(r))
		}
	}
}

func (s *valueSet) findInts(a []int64, rows []int32, out []bool) {
	if s.few == nil {
		for _, r := range rows {
			_, out[r] = s.ints[a[r]]
		}
		return
	}
	for _, k := range s.few {
		for _, r := range rows {
			out[r] = out[r] || a[r] == k
		}
	}
}

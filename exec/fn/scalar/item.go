package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "ITEM", Syntax: "x[i]", Doc: "Element i of an array, counted from 1, or the value of a map's key; NULL if there is none.", Bind: bindItem})
}

func bindItem(args []fn.Arg) (*fn.Bound, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("x[i] takes one index")
	}
	x, i := args[0].Type, args[1].Type
	switch {
	case x.Kind == types.Array && (i.IsInteger() || i.Kind == types.Null):
		if i.Kind == types.Null {
			i = types.Of(types.Int)
		}
		return &fn.Bound{Params: []types.Type{x, i}, Result: x.Elem.Nullable(true), New: func() fn.Kernel { return elementAt }}, nil
	case x.Kind == types.Map:
		return bindKey(args)
	case x.Kind == types.Row:
		return nil, fmt.Errorf("fields of a ROW are taken by name: x.name")
	case x.Kind == types.Array:
		return nil, fmt.Errorf("the index of an array must be an integer, not %s", i.Text())
	}
	return nil, fmt.Errorf("%s has no elements", x.Text())
}

func bindKey(args []fn.Arg) (*fn.Bound, error) {
	x := args[0].Type
	t, err := fn.CommonCompared("[]", fn.Arg{Type: *x.Key}, args[1])
	if err != nil || !castFree(*x.Key, t) || args[1].Type.IsString() != x.Key.IsString() {
		return nil, fmt.Errorf("the key of this map must be %s, not %s", x.Key.Text(), args[1].Type.Text())
	}
	key := *x.Key
	if key.IsString() || key.IsBinary() {
		key = args[1].Type
	}
	return &fn.Bound{Params: []types.Type{x, key}, Result: x.Elem.Nullable(true), New: func() fn.Kernel { return valueOf }}, nil
}

// castFree tells whether values of type t can be compared with those of own
// as they are stored.
func castFree(own, t types.Type) bool { return comparedAs(own, t).Equal(own) }

func elementAt(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	list, kid := args[0], args[0].Kids[0]
	for _, r := range rows {
		s, i := list.Spans[r], args[1].I64[r]
		if i < 1 || i > int64(s.Len) {
			out.SetNull(int(r))
			continue
		}
		setFrom(out, r, kid, int(s.Off)+int(i)-1)
	}
	return nil
}

func valueOf(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	m, keys, values := args[0], args[0].Kids[0], args[0].Kids[1]
	for _, r := range rows {
		s, found := m.Spans[r], false
		for j := s.Off; j < s.Off+s.Len && !found; j++ {
			if found = sameAt(keys, int(j), args[1], int(r)); found {
				setFrom(out, r, values, int(j))
			}
		}
		if !found {
			out.SetNull(int(r))
		}
	}
	return nil
}

// setFrom sets row r of out to row i of src.
func setFrom(out *vec.Vector, r int32, src *vec.Vector, i int) {
	if src.IsNull(i) {
		out.SetNull(int(r))
		return
	}
	switch out.Kind {
	case vec.Bool:
		out.Bool[r] = src.Bool[i]
	case vec.I64:
		out.I64[r] = src.I64[i]
	case vec.F64:
		out.F64[r] = src.F64[i]
	case vec.I128:
		out.I128[r] = src.I128[i]
	case vec.Bytes:
		out.SetBytes(int(r), src.BytesAt(i))
	case vec.List:
		s := src.Spans[i]
		out.Spans[r] = vec.Span{Off: uint32(out.Kids[0].Len()), Len: s.Len}
		for c, k := range out.Kids {
			for j := s.Off; j < s.Off+s.Len; j++ {
				k.AppendFrom(src.Kids[c], int(j))
			}
		}
	case vec.Row:
		for c, k := range out.Kids {
			setFrom(k, r, src.Kids[c], i)
		}
	}
}

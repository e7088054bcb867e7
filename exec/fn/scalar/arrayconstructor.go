package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "ARRAY", Syntax: "ARRAY[a, b …]", Doc: "An array of the given elements, which get a common type.", Bind: bindArray})
	fn.Register(&fn.Scalar{Name: "MAP", Syntax: "MAP[key, value …]", Doc: "A map of the given keys and values in turn.", Bind: bindMap})
}

func bindArray(args []fn.Arg) (*fn.Bound, error) {
	elem, err := commonArg("ARRAY[…]", args)
	if err != nil {
		return nil, err
	}
	ts := make([]types.Type, len(args))
	for i := range ts {
		ts[i] = elem
	}
	return &fn.Bound{Params: ts, Result: types.ArrayOf(elem).Nullable(false), NullAware: true,
		New: func() fn.Kernel { return makeLists }}, nil
}

func commonArg(what string, args []fn.Arg) (types.Type, error) {
	ts := make([]types.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type
	}
	t, err := fn.Common(ts...)
	if err != nil {
		return t, fmt.Errorf("%s: %w", what, err)
	}
	if t.Kind == types.Null {
		return t, fmt.Errorf("%s: the type is unknown, for all are NULL; CAST one of them", what)
	}
	return t, nil
}

// makeLists fills the children with the arguments in turn.
func makeLists(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	n := uint32(len(args) / len(out.Kids))
	for _, r := range rows {
		out.Spans[r] = vec.Span{Off: uint32(out.Kids[0].Len()), Len: n}
		for i, a := range args {
			out.Kids[i%len(out.Kids)].AppendFrom(a, int(r))
		}
	}
	return nil
}

func bindMap(args []fn.Arg) (*fn.Bound, error) {
	if len(args) == 0 || len(args)%2 != 0 {
		return nil, fmt.Errorf("MAP[…] takes keys and values in turn")
	}
	var keys, values []fn.Arg
	for i := 0; i < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	key, err := commonArg("keys of MAP[…]", keys)
	if err != nil {
		return nil, err
	}
	value, err := commonArg("values of MAP[…]", values)
	if err != nil {
		return nil, err
	}
	b := &fn.Bound{Result: types.MapOf(key, value).Nullable(false), NullAware: true, New: func() fn.Kernel { return makeMaps }}
	for range keys {
		b.Params = append(b.Params, key, value)
	}
	return b, nil
}

// makeMaps is makeLists in which the last value of a key wins.
func makeMaps(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	keys, values := out.Kids[0], out.Kids[1]
	for _, r := range rows {
		start := keys.Len()
		for i := 0; i < len(args); i += 2 {
			if !lastOfKey(args, i, int(r)) {
				continue
			}
			keys.AppendFrom(args[i], int(r))
			values.AppendFrom(args[i+1], int(r))
		}
		out.Spans[r] = vec.Span{Off: uint32(start), Len: uint32(keys.Len() - start)}
	}
	return nil
}

func lastOfKey(args []*vec.Vector, i, r int) bool {
	for j := i + 2; j < len(args); j += 2 {
		if sameAt(args[i], r, args[j], r) {
			return false
		}
	}
	return true
}

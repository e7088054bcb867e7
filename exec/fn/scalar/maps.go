package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	simple{name: "MAP_KEYS", syntax: "MAP_KEYS(map)", doc: "Array of the keys.", params: []param{mapArg},
		resultOf: func(ts []types.Type) types.Type { return types.ArrayOf(*ts[0].Key) }, kernel: mapPart(0)}.register()
	simple{name: "MAP_VALUES", syntax: "MAP_VALUES(map)", doc: "Array of the values.", params: []param{mapArg},
		resultOf: func(ts []types.Type) types.Type { return types.ArrayOf(*ts[0].Elem) }, kernel: mapPart(1)}.register()
	simple{name: "MAP_ENTRIES", syntax: "MAP_ENTRIES(map)", doc: "Array of the entries as rows of key and value.", params: []param{mapArg},
		resultOf: func(ts []types.Type) types.Type {
			return types.ArrayOf(types.RowOf(types.Field{Name: "key", Type: *ts[0].Key}, types.Field{Name: "value", Type: *ts[0].Elem}))
		}, kernel: func() fn.Kernel { return mapEntries }}.register()
	simple{name: "MAP_FROM_ARRAYS", syntax: "MAP_FROM_ARRAYS(keys, values)", doc: "Map of the elements of two arrays of one length.", params: []param{arrayArg, arrayArg},
		resultOf: func(ts []types.Type) types.Type { return types.MapOf(*ts[0].Elem, *ts[1].Elem) },
		kernel:   func() fn.Kernel { return mapFromArrays }}.register()
	fn.Register(&fn.Scalar{Name: "MAP_UNION", Syntax: "MAP_UNION(a, b …)", Doc: "The entries of all maps; of a key that occurs twice the last value.", Bind: bindMapUnion})
}

// mapPart is the array of child c of a map.
func mapPart(c int) func() fn.Kernel {
	return arrayRowsOf(func(r row) list {
		s := r.args[0].Spans[r.i]
		return list{r.args[0].Kids[c], int(s.Off), int(s.Len)}
	})
}

func arrayRowsOf(of func(r row) list) func() fn.Kernel {
	return arrayRows(func(b builder, r row) bool {
		b.addAll(of(r))
		return true
	})
}

func mapEntries(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	entries := out.Kids[0]
	for _, i := range rows {
		s := args[0].Spans[i]
		out.Spans[i] = vec.Span{Off: uint32(entries.N), Len: s.Len}
		for j := s.Off; j < s.Off+s.Len; j++ {
			entries.N++
			for c, k := range entries.Kids {
				k.AppendFrom(args[0].Kids[c], int(j))
			}
		}
	}
	return nil
}

// putEntry adds an entry to the map that starts at start, or replaces its
// value.
func putEntry(out *vec.Vector, start int, keys *vec.Vector, k int, values *vec.Vector, v int) {
	for j := start; j < out.Kids[0].Len(); j++ {
		if sameAt(out.Kids[0], j, keys, k) {
			out.Kids[1].ClearNull(j)
			setFrom(out.Kids[1], int32(j), values, v)
			return
		}
	}
	out.Kids[0].AppendFrom(keys, k)
	out.Kids[1].AppendFrom(values, v)
}

func mapFromArrays(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	for _, i := range rows {
		r := row{args, int(i)}
		keys, values, start := r.list(0), r.list(1), out.Kids[0].Len()
		if keys.n != values.n {
			return fmt.Errorf("MAP_FROM_ARRAYS: %d keys for %d values", keys.n, values.n)
		}
		for j := range keys.n {
			putEntry(out, start, keys.v, keys.off+j, values.v, values.off+j)
		}
		out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(out.Kids[0].Len() - start)}
	}
	return nil
}

func bindMapUnion(args []fn.Arg) (*fn.Bound, error) {
	if _, err := bindAll("MAP_UNION(a, b …)", args, 1, mapArg); err != nil {
		return nil, err
	}
	t, err := commonArg("MAP_UNION(a, b …)", args)
	if err != nil {
		return nil, err
	}
	return &fn.Bound{Params: same(t, len(args)), Result: t, New: func() fn.Kernel { return mapUnion }}, nil
}

func mapUnion(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	for _, i := range rows {
		start := out.Kids[0].Len()
		for _, m := range args {
			s := m.Spans[i]
			for j := s.Off; j < s.Off+s.Len; j++ {
				putEntry(out, start, m.Kids[0], int(j), m.Kids[1], int(j))
			}
		}
		out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(out.Kids[0].Len() - start)}
	}
	return nil
}

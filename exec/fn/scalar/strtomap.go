package scalar

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	simple{name: "STR_TO_MAP", syntax: "STR_TO_MAP(string [, entry separator, value separator])", doc: "Map of the entries k=v, separated by commas, of a string.",
		params: []param{stringArg, stringArg, stringArg}, opt: 2, result: types.MapOf(types.String(), types.String()),
		kernel: func() fn.Kernel { return strToMap }}.register()
}

func strToMap(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	keys, values := vec.New(types.String()), vec.New(types.String())
	for _, i := range rows {
		r, entry, value := row{args, int(i)}, ",", "="
		if len(args) > 1 {
			entry = r.text(1)
		}
		if len(args) > 2 {
			value = r.text(2)
		}
		start := out.Kids[0].Len()
		if text := r.text(0); text != "" {
			for _, e := range strings.Split(text, entry) {
				k, v, ok := strings.Cut(e, value)
				keys.Reset()
				values.Reset()
				keys.AppendBytes([]byte(k))
				if ok {
					values.AppendBytes([]byte(v))
				} else {
					values.AppendNull()
				}
				putEntry(out, start, keys, 0, values, 0)
			}
		}
		out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(out.Kids[0].Len() - start)}
	}
	return nil
}

package scalar

import (
	"regexp"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	simple{name: "REGEXP", syntax: "REGEXP(string, pattern)", doc: "Whether a regular expression matches somewhere; false for an empty pattern, NULL for an invalid one.",
		params: []param{stringArg, stringArg}, result: boolean, nullable: true,
		kernel: func() fn.Kernel {
			var ps patterns
			return boolRows(func(r row) (bool, bool) {
				re := ps.of(r.bytes(1))
				return re != nil && len(r.bytes(1)) > 0 && re.Match(r.bytes(0)), re != nil
			})()
		}}.register()
	simple{name: "REGEXP_COUNT", syntax: "REGEXP_COUNT(string, pattern)", doc: "Number of matches.",
		params: []param{stringArg, stringArg}, result: types.Of(types.Int), nullable: true,
		kernel: func() fn.Kernel {
			var ps patterns
			return intRows(func(r row) (int64, bool) {
				re := ps.of(r.bytes(1))
				if re == nil {
					return 0, false
				}
				return int64(len(re.FindAllIndex(r.bytes(0), -1))), true
			})()
		}}.register()
	simple{name: "REGEXP_INSTR", syntax: "REGEXP_INSTR(string, pattern)", doc: "Where the first match begins, counted from 1; 0 if there is none.",
		params: []param{stringArg, stringArg}, result: types.Of(types.Int), nullable: true,
		kernel: func() fn.Kernel {
			var ps patterns
			return intRows(func(r row) (int64, bool) {
				re := ps.of(r.bytes(1))
				if re == nil {
					return 0, false
				}
				at := re.FindIndex(r.bytes(0))
				if at == nil {
					return 0, true
				}
				return int64(length(r.bytes(0)[:at[0]])) + 1, true
			})()
		}}.register()
	simple{name: "REGEXP_SUBSTR", syntax: "REGEXP_SUBSTR(string, pattern)", doc: "The first match; NULL if there is none.",
		params: []param{stringArg, stringArg}, result: types.String(), nullable: true,
		kernel: func() fn.Kernel {
			var ps patterns
			return textRows(func(dst []byte, r row) ([]byte, bool) {
				return appendGroup(dst, ps.of(r.bytes(1)), r.bytes(0), 0)
			})()
		}}.register()
	simple{name: "REGEXP_EXTRACT_ALL", syntax: "REGEXP_EXTRACT_ALL(string, pattern [, group])", doc: "Array of a group (1) of all matches.",
		params: []param{stringArg, stringArg, bigArg}, opt: 1, result: types.ArrayOf(types.String()), nullable: true,
		kernel: regexpExtractAll}.register()
}

// appendGroup appends a group of the first match; not ok if there is none or
// the group took no part in it.
func appendGroup(dst []byte, re *regexp.Regexp, s []byte, group int64) ([]byte, bool) {
	if re == nil || group < 0 || group > int64(re.NumSubexp()) {
		return dst, false
	}
	m := re.FindSubmatchIndex(s)
	if m == nil || m[2*group] < 0 {
		return dst, false
	}
	return append(dst, s[m[2*group]:m[2*group+1]]...), true
}

func regexpExtractAll() fn.Kernel {
	var ps patterns
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, i := range rows {
			r := row{args, int(i)}
			re, group := ps.of(r.bytes(1)), int(r.intOr(2, 1))
			if re == nil || group < 0 || group > re.NumSubexp() {
				out.SetNull(int(i))
				continue
			}
			start := out.Kids[0].Len()
			s := r.bytes(0)
			for _, m := range re.FindAllSubmatchIndex(s, -1) {
				x := vec.NullValue(vec.Bytes)
				if m[2*group] >= 0 {
					x = vec.Value{Kind: vec.Bytes, S: string(s[m[2*group]:m[2*group+1]])}
				}
				out.Kids[0].AppendValue(x)
			}
			out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(out.Kids[0].Len() - start)}
		}
		return nil
	}
}

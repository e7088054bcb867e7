package scalar

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "JSON_QUOTE", syntax: "JSON_QUOTE(string)", doc: "A string as a JSON string in ASCII.", params: []param{stringArg}, result: types.String(),
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) { return quoteASCII(dst, r.text(0)), true })}.register()
	simple{name: "JSON_UNQUOTE", syntax: "JSON_UNQUOTE(string)", doc: "The value of a JSON string; other text stays as it is.", params: []param{stringArg}, result: types.String(),
		kernel: func() fn.Kernel {
			var d jsonDoc
			return textRows(func(dst []byte, r row) ([]byte, bool) {
				if s := r.bytes(0); len(s) > 1 && s[0] == '"' && d.parse(s) {
					return unquote(dst, s), true
				}
				return append(dst, r.bytes(0)...), true
			})()
		}}.register()
	for what, kinds := range map[string]string{"": "{[\"0tfn", " VALUE": "{[\"0tfn", " OBJECT": "{", " ARRAY": "[", " SCALAR": "\"0tfn"} {
		registerIsJSON("IS JSON"+what, kinds, true)
		registerIsJSON("IS NOT JSON"+what, kinds, false)
	}
}

func quoteASCII(dst []byte, s string) []byte {
	start := len(dst)
	dst = quoteJSON(dst, []byte(s))
	quoted := strings.ReplaceAll(string(dst[start:]), "/", `\/`)
	dst = dst[:start]
	for _, c := range quoted {
		if c < 0x80 {
			dst = append(dst, byte(c))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, c) {
			dst = fmt.Appendf(dst, `\u%04x`, unit)
		}
	}
	return dst
}

// registerIsJSON: NULL is no JSON.
func registerIsJSON(name, kinds string, yes bool) {
	fn.Register(&fn.Scalar{Name: name, Syntax: "a " + name, Doc: "Whether a string is JSON text of that kind; never NULL.", Bind: func(args []fn.Arg) (*fn.Bound, error) {
		ts, err := bind("a "+name, args, 0, stringArg)
		return &fn.Bound{Params: ts, Result: boolean.Nullable(false), NullAware: true, New: func() fn.Kernel {
			var d jsonDoc
			return boolRows(func(r row) (bool, bool) {
				is := !r.null(0) && d.parse(r.bytes(0))
				if is {
					is = false
					for i := range len(kinds) {
						is = is || kinds[i] == d.nodes[0].kind
					}
				}
				return is == yes, true
			})()
		}}, err
	}})
}

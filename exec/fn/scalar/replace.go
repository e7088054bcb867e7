package scalar

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "REPLACE", syntax: "REPLACE(string, search, replacement)", doc: "With all occurrences replaced.",
		params: []param{stringArg, stringArg, stringArg}, result: types.String(),
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			return append(dst, bytes.ReplaceAll(r.bytes(0), r.bytes(1), r.bytes(2))...), true
		})}.register()
	simple{name: "TRANSLATE", syntax: "TRANSLATE(string, from, to)", doc: "With each character of from replaced by that at its place in to, or left out if to is shorter.",
		params: []param{stringArg, stringArg, stringArg}, result: types.String(),
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			return translate(dst, r.text(0), []rune(r.text(1)), []rune(r.text(2))), true
		})}.register()
	simple{name: "OVERLAY", syntax: "OVERLAY(string PLACING part FROM start [FOR length])", doc: "With the characters from a position on replaced by a part.",
		params: []param{stringArg, stringArg, bigArg, bigArg}, opt: 1, resultOf: bothLengths,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			s, part := r.bytes(0), r.bytes(1)
			return overlay(dst, s, part, r.int(2), r.intOr(3, int64(length(part)))), true
		})}.register()
}

// bothLengths is VARCHAR of the lengths of two arguments together.
func bothLengths(ts []types.Type) types.Type {
	n := int64(ts[0].Precision) + int64(ts[1].Precision)
	return types.Type{Kind: types.Varchar, Precision: int(min(n, types.MaxLength))}
}

func translate(dst []byte, s string, from, to []rune) []byte {
	for _, c := range s {
		i := strings.IndexRune(string(from), c)
		if i >= 0 {
			if i = utf8.RuneCountInString(string(from)[:i]); i >= len(to) {
				continue
			}
			c = to[i]
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

func overlay(dst, s, part []byte, start, n int64) []byte {
	if start < 1 || start > int64(length(s)) {
		return append(dst, s...)
	}
	a := offset(s, clamp(start-1))
	dst = append(append(dst, s[:a]...), part...)
	return append(dst, s[a+offset(s[a:], clamp(n)):]...)
}

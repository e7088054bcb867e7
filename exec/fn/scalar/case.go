package scalar

import (
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	keep := func(ts []types.Type) types.Type { return ts[0] }
	simple{name: "UPPER", syntax: "UPPER(string)", doc: "In upper case.", params: []param{stringArg}, resultOf: keep,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			return mapped(dst, r.bytes(0), 'a', upper), true
		})}.register()
	simple{name: "LOWER", syntax: "LOWER(string)", doc: "In lower case.", params: []param{stringArg}, resultOf: keep,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			return mapped(dst, r.bytes(0), 'A', lower), true
		})}.register()
	simple{name: "INITCAP", syntax: "INITCAP(string)",
		doc:    "First letters of words in upper case, the others in lower case. Everything but ASCII letters and digits ends a word.",
		params: []param{stringArg}, resultOf: keep,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) { return initcap(dst, r.bytes(0)), true })}.register()
}

// mapped changes the case of ASCII letters from first on in place; other text
// goes through convert.
func mapped(dst, s []byte, first byte, convert func([]byte) []byte) []byte {
	if !isASCII(s) {
		return append(dst, convert(s)...)
	}
	dst = append(dst, s...)
	out := dst[len(dst)-len(s):]
	for i, c := range out {
		if c-first < 26 {
			out[i] = c ^ 0x20
		}
	}
	return dst
}

func initcap(dst, s []byte) []byte {
	inWord := false
	for _, c := range s {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if letter && inWord {
			c |= 0x20
		} else if letter {
			c &^= 0x20
		}
		inWord = letter || c-'0' <= 9
		dst = append(dst, c)
	}
	return dst
}

package scalar

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	simple{name: "TO_BASE64", syntax: "TO_BASE64(string)", doc: "A string in base 64.", params: []param{textual}, result: types.String(),
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			return base64.StdEncoding.AppendEncode(dst, r.bytes(0)), true
		})}.register()
	simple{name: "FROM_BASE64", syntax: "FROM_BASE64(string)", doc: "The string that a text in base 64 stands for.", params: []param{stringArg}, result: types.String(), nullable: false,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			dst, err := base64.StdEncoding.AppendDecode(dst, r.bytes(0))
			return dst, err == nil
		})}.register()
	simple{name: "URL_ENCODE", syntax: "URL_ENCODE(string)", doc: "A string as application/x-www-form-urlencoded.", params: []param{stringArg}, result: types.String(),
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) { return append(dst, url.QueryEscape(r.text(0))...), true })}.register()
	simple{name: "URL_DECODE", syntax: "URL_DECODE(string)", doc: "The string that URL_ENCODE made; NULL if it is none.", params: []param{stringArg}, result: types.String(), nullable: true,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			s, err := url.QueryUnescape(r.text(0))
			return append(dst, s...), err == nil
		})}.register()
	fn.Register(&fn.Scalar{Name: "HEX", Syntax: "HEX(x)", Doc: "An integer, or the bytes of a string, in upper-case hexadecimal.", Bind: bindHex})
	simple{name: "UNHEX", syntax: "UNHEX(string)", doc: "The bytes of hexadecimal digits; NULL if they are none.", params: []param{stringArg}, result: types.Bytes(), nullable: true,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			dst, err := hex.AppendDecode(dst, r.bytes(0))
			return dst, err == nil
		})}.register()
	simple{name: "BIN", syntax: "BIN(n)", doc: "An integer in binary digits.", params: []param{bigArg}, result: types.String(),
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) { return strconv.AppendUint(dst, uint64(r.int(0)), 2), true })}.register()
	simple{name: "ENCODE", syntax: "ENCODE(string, charset)", doc: "The bytes of a string in a character set: UTF-8, US-ASCII, ISO-8859-1, UTF-16BE or UTF-16LE.", params: []param{stringArg, stringArg}, result: types.Bytes(), nullable: true,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) { return encode(dst, r.text(0), r.text(1)) })}.register()
	simple{name: "DECODE", syntax: "DECODE(bytes, charset)", doc: "The string of bytes in a character set; see ENCODE.", params: []param{textual, stringArg}, result: types.String(), nullable: true,
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) { return decode(dst, r.bytes(0), r.text(1)) })}.register()
}

func bindHex(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("HEX(x)", args, 0, param{"an integer or string", func(t types.Type) bool { return t.IsInteger() || stringOrBytes(t) }, types.String()})
	if err != nil {
		return nil, err
	}
	b := &fn.Bound{Params: ts, Result: strict(types.String(), args)}
	b.New = textRows(func(dst []byte, r row) ([]byte, bool) { return fmt.Appendf(dst, "%X", r.bytes(0)), true })
	if ts[0].IsInteger() {
		b.New = textRows(func(dst []byte, r row) ([]byte, bool) { return fmt.Appendf(dst, "%X", uint64(r.int(0))), true })
	}
	return b, nil
}

func encode(dst []byte, s, charset string) ([]byte, bool) {
	switch strings.ToUpper(charset) {
	case "UTF-8":
		return append(dst, s...), true
	case "US-ASCII", "ISO-8859-1":
		limit := map[bool]rune{true: 0x7f, false: 0xff}[strings.EqualFold(charset, "US-ASCII")]
		for _, c := range s {
			if c > limit {
				c = '?'
			}
			dst = append(dst, byte(c))
		}
		return dst, true
	case "UTF-16BE", "UTF-16LE":
		for _, u := range utf16.Encode([]rune(s)) {
			hi, lo := byte(u>>8), byte(u)
			if strings.EqualFold(charset, "UTF-16LE") {
				hi, lo = lo, hi
			}
			dst = append(dst, hi, lo)
		}
		return dst, true
	}
	return dst, false
}

func decode(dst, b []byte, charset string) ([]byte, bool) {
	switch strings.ToUpper(charset) {
	case "UTF-8", "US-ASCII":
		return append(dst, b...), true
	case "ISO-8859-1":
		for _, c := range b {
			dst = append(dst, string(rune(c))...)
		}
		return dst, true
	case "UTF-16BE", "UTF-16LE":
		var units []uint16
		for i := 0; i+1 < len(b); i += 2 {
			u := uint16(b[i])<<8 | uint16(b[i+1])
			if strings.EqualFold(charset, "UTF-16LE") {
				u = u<<8 | u>>8
			}
			units = append(units, u)
		}
		return append(dst, string(utf16.Decode(units))...), true
	}
	return dst, false
}

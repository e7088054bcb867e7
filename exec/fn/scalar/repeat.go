package scalar

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	simple{name: "REPEAT", syntax: "REPEAT(string, n)", doc: "The string n times; empty if n is negative.",
		params: []param{stringArg, bigArg}, result: types.String(), kernel: func() fn.Kernel { return repeat }}.register()
	simple{name: "REVERSE", syntax: "REVERSE(string)", doc: "The characters from the last to the first.",
		params: []param{stringArg}, result: types.String(),
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			for s := r.bytes(0); len(s) > 0; {
				c, size := utf8.DecodeLastRune(s)
				if c == utf8.RuneError && size == 1 {
					dst = append(dst, s[len(s)-1])
				} else {
					dst = utf8.AppendRune(dst, c)
				}
				s = s[:len(s)-size]
			}
			return dst, true
		})}.register()
	simple{name: "ASCII", syntax: "ASCII(string)", doc: "Code of the first character; 0 of an empty string.",
		params: []param{stringArg}, result: types.Of(types.Int),
		kernel: intRows(func(r row) (int64, bool) {
			if s := r.bytes(0); len(s) > 0 {
				return int64(int8(s[0])), true
			}
			return 0, true
		})}.register()
	simple{name: "CHR", syntax: "CHR(n)", doc: "Character of a code modulo 256; empty if it is negative.",
		params: []param{bigArg}, result: types.String(),
		kernel: textRows(func(dst []byte, r row) ([]byte, bool) {
			if n := r.int(0); n >= 0 {
				dst = utf8.AppendRune(dst, rune(n&0xff))
			}
			return dst, true
		})}.register()
}

func repeat(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	for _, i := range rows {
		s, n := args[0].BytesAt(int(i)), args[1].I64[i]
		if n > 0 && int64(len(s))*min(n, math.MaxInt32) > 16*maxPad {
			return fmt.Errorf("REPEAT of %d bytes %d times is too long", len(s), n)
		}
		start := len(out.Data)
		for ; n > 0 && len(s) > 0; n-- {
			out.Data = append(out.Data, s...)
		}
		out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(len(out.Data) - start)}
	}
	return nil
}

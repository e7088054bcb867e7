package scalar

import (
	"fmt"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	for _, left := range []bool{true, false} {
		name, side := "RPAD", "right"
		if left {
			name, side = "LPAD", "left"
		}
		simple{name: name, syntax: name + "(string, length, pad)",
			doc:    "Filled up with the pad on the " + side + ", or cut, to a length. NULL if the length is negative or the pad empty.",
			params: []param{stringArg, bigArg, stringArg}, result: types.String(), nullable: true,
			kernel: func() fn.Kernel {
				k := textRows(func(dst []byte, r row) ([]byte, bool) {
					return pad(dst, r.bytes(0), r.int(1), r.bytes(2), left)
				})()
				return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
					for _, i := range rows {
						if n := args[1].I64[i]; n > maxPad {
							return fmt.Errorf("%s to %d characters is too long; at most %d", name, n, maxPad)
						}
					}
					return k(env, args, rows, out)
				}
			}}.register()
	}
}

// maxPad keeps one value from taking all memory.
const maxPad = 1 << 20

func pad(dst, s []byte, n int64, fill []byte, left bool) ([]byte, bool) {
	if n < 0 || len(fill) == 0 {
		return dst, false
	}
	missing := clamp(n) - length(s)
	if missing <= 0 {
		return append(dst, cut(s, 0, clamp(n))...), true
	}
	if !left {
		dst = append(dst, s...)
	}
	for at := 0; missing > 0; missing-- {
		_, size := utf8.DecodeRune(fill[at:])
		dst = append(dst, fill[at:at+size]...)
		at = (at + size) % len(fill)
	}
	if left {
		dst = append(dst, s...)
	}
	return dst, true
}

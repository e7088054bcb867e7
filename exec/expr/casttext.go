package expr

import (
	"strconv"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// toString renders values; VARCHAR(n) cuts, CHAR(n) cuts and pads with
// blanks.
func (c conversion) toString() fn.Kernel {
	if c.from.IsInteger() && c.to.Precision >= len("-9223372036854775808") && c.to.Kind == types.Varchar {
		return integerToString
	}
	fit := func(dst []byte, _ int) []byte { return dst }
	if c.to.Kind == types.Char || c.to.Precision < types.MaxLength {
		fit = func(dst []byte, start int) []byte { return fitLength(dst, start, c.to) }
	}
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		text := vec.Text{Zone: env.Zone}
		for _, r := range rows {
			start := len(out.Data)
			out.Data = fit(text.Append(out.Data, args[0], int(r), c.from), start)
			out.Spans[r] = vec.Span{Off: uint32(start), Len: uint32(len(out.Data) - start)}
		}
		return nil
	}
}

func integerToString(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	a, data := args[0].I64, out.Data
	for _, r := range rows {
		start := len(data)
		data = strconv.AppendInt(data, a[r], 10)
		out.Spans[r] = vec.Span{Off: uint32(start), Len: uint32(len(data) - start)}
	}
	out.Data = data
	return nil
}

// fitLength makes what was appended to dst from start on fit the type t, in
// characters.
func fitLength(dst []byte, start int, t types.Type) []byte {
	n := utf8.RuneCount(dst[start:])
	if n > t.Precision {
		end := start
		for range t.Precision {
			_, size := utf8.DecodeRune(dst[end:])
			end += size
		}
		return dst[:end]
	}
	if t.Kind == types.Char {
		for ; n < t.Precision; n++ {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// toBinary cuts to the length; BINARY(n) pads with zero bytes.
func (c conversion) toBinary() fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			b := args[0].BytesAt(int(r))
			out.SetBytes(int(r), b[:min(len(b), c.to.Precision)])
			for c.to.Kind == types.Binary && int(out.Spans[r].Len) < c.to.Precision {
				out.Data = append(out.Data, 0)
				out.Spans[r].Len++
			}
		}
		return nil
	}
}

package scalar

import (
	"bytes"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "SPLIT_INDEX", Syntax: "SPLIT_INDEX(string, separator, index)",
		Doc: "Part of a string between separators, counted from 0; NULL if there is none. The separator may be a character's code.", Bind: bindSplitIndex})
	simple{name: "SPLIT", syntax: "SPLIT(string, separator)", doc: "Array of the parts between separators; of the characters if the separator is empty.",
		params: []param{stringArg, stringArg}, result: types.ArrayOf(types.String()),
		kernel: func() fn.Kernel { return split }}.register()
}

func bindSplitIndex(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "SPLIT_INDEX(string, separator, index)"
	separator, code := stringArg, len(args) > 1 && args[1].Type.IsInteger()
	if code {
		separator = bigArg
	}
	ts, err := bind(syntax, args, 0, stringArg, separator, bigArg)
	if err != nil {
		return nil, err
	}
	return &fn.Bound{Params: ts, Result: types.String(), New: func() fn.Kernel { return splitIndexKernel(code) }}, nil
}

func splitIndexKernel(code bool) fn.Kernel {
	var buf [utf8.UTFMax]byte
	return pieceRows(0, func(r row) ([]byte, bool) {
		if code {
			return splitIndex(r.bytes(0), utf8.AppendRune(buf[:0], rune(r.int(1))), r.int(2))
		}
		return splitIndex(r.bytes(0), r.bytes(1), r.int(2))
	})()
}

// splitIndex: an empty separator stands for blanks.
func splitIndex(s, separator []byte, n int64) ([]byte, bool) {
	if len(s) == 0 || n < 0 {
		return nil, false
	}
	if len(separator) == 0 {
		return wordAt(s, n)
	}
	if len(separator) == 1 {
		return splitByte(s, separator[0], n)
	}
	for ; n > 0; n-- {
		i := bytes.Index(s, separator)
		if i < 0 {
			return nil, false
		}
		s = s[i+len(separator):]
	}
	if i := bytes.Index(s, separator); i >= 0 {
		s = s[:i]
	}
	return s, true
}

func wordAt(s []byte, n int64) ([]byte, bool) {
	const blanks = " \t\r\n"
	for {
		s = bytes.TrimLeft(s, blanks)
		end := bytes.IndexAny(s, blanks)
		if end < 0 {
			end = len(s)
		}
		if n == 0 || end == 0 {
			return s[:end], end > 0
		}
		s = s[end:]
		n--
	}
}

func splitByte(s []byte, separator byte, n int64) ([]byte, bool) {
	for ; n > 0; n-- {
		i := bytes.IndexByte(s, separator)
		if i < 0 {
			return nil, false
		}
		s = s[i+1:]
	}
	if i := bytes.IndexByte(s, separator); i >= 0 {
		s = s[:i]
	}
	return s, true
}

func split(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	parts := out.Kids[0]
	for _, i := range rows {
		start := parts.Len()
		if s := args[0].BytesAt(int(i)); len(s) > 0 {
			for _, p := range bytes.Split(s, args[1].BytesAt(int(i))) {
				parts.AppendBytes(p)
			}
		}
		out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(parts.Len() - start)}
	}
	return nil
}

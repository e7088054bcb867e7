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
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, i := range rows {
			var separator []byte
			if code {
				separator = utf8.AppendRune(buf[:0], rune(args[1].I64[i]))
			} else {
				separator = args[1].BytesAt(int(i))
			}
			part, ok := splitIndex(args[0].BytesAt(int(i)), separator, args[2].I64[i])
			if !ok {
				out.SetNull(int(i))
				continue
			}
			out.SetBytes(int(i), part)
		}
		return nil
	}
}

// splitIndex: an empty separator stands for blanks.
func splitIndex(s, separator []byte, n int64) ([]byte, bool) {
	if len(s) == 0 || n < 0 {
		return nil, false
	}
	if len(separator) == 0 {
		words := bytes.Fields(s)
		if n >= int64(len(words)) {
			return nil, false
		}
		return words[n], true
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

package scalar

import (
	"bytes"
	"regexp/syntax"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	simple{name: "REGEXP_EXTRACT", syntax: "REGEXP_EXTRACT(string, pattern [, group])",
		doc:    "A group (0: all) of the first match of a regular expression; NULL if there is none.",
		params: []param{stringArg, stringArg, bigArg}, opt: 1, result: types.String(), nullable: true,
		kernel: func() fn.Kernel {
			var ps patterns
			return textRows(func(dst []byte, r row) ([]byte, bool) {
				return appendGroup(dst, ps.of(r.bytes(1)), r.bytes(0), r.intOr(2, 0))
			})()
		},
		constant: constantExtract}.register()
}

// constantExtract recognises the forms that need no regular expression
// engine.
func constantExtract(consts []*vec.Value) fn.Kernel {
	if consts[1] == nil || len(consts) == 3 && consts[2] == nil {
		return nil
	}
	group := int64(0)
	if len(consts) == 3 {
		group = consts[2].I
	}
	s := scanOf(consts[1].S, group)
	if s == nil {
		return nil
	}
	return pieceRows(0, func(r row) ([]byte, bool) { return s.find(r.bytes(0)) })()
}

// scan is the form "key=value behind a separator": an optional group of a
// character or the start of the text, a literal, and a group of all
// characters but some; the last group is wanted. (&|^)id=([^&]*) is one.
type scan struct {
	separator byte // 0: the literal may stand anywhere
	literal   []byte
	stop      []byte // characters that end the value
	nonEmpty  bool
}

// scanOf is nil for patterns of another form.
func scanOf(pattern string, group int64) *scan {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat {
		return nil
	}
	s, parts := &scan{}, re.Sub
	if first := parts[0]; first.Op == syntax.OpCapture {
		if s.separator = startOr(first.Sub[0]); s.separator == 0 {
			return nil
		}
		parts = parts[1:]
	}
	if len(parts) != 2 || parts[0].Op != syntax.OpLiteral || parts[0].Flags&syntax.FoldCase != 0 {
		return nil
	}
	s.literal = []byte(string(parts[0].Rune))
	last := parts[1]
	if last.Op != syntax.OpCapture || int64(last.Cap) != group {
		return nil
	}
	return s.value(last.Sub[0])
}

// startOr is c if re is (c|^) or (^|c).
func startOr(re *syntax.Regexp) byte {
	if re.Op != syntax.OpAlternate || len(re.Sub) != 2 {
		return 0
	}
	a, b := re.Sub[0], re.Sub[1]
	if a.Op == syntax.OpBeginText {
		a, b = b, a
	}
	if b.Op != syntax.OpBeginText || a.Op != syntax.OpLiteral || len(a.Rune) != 1 || a.Rune[0] >= 0x80 || a.Flags&syntax.FoldCase != 0 {
		return 0
	}
	return byte(a.Rune[0])
}

// value takes [^abc]* and [^abc]+ of ASCII characters.
func (s *scan) value(re *syntax.Regexp) *scan {
	if re.Op != syntax.OpStar && re.Op != syntax.OpPlus || re.Flags&syntax.NonGreedy != 0 {
		return nil
	}
	s.nonEmpty = re.Op == syntax.OpPlus
	class := re.Sub[0]
	if class.Op != syntax.OpCharClass || len(class.Rune) < 2 || class.Rune[len(class.Rune)-1] != 0x10ffff {
		return nil
	}
	next := rune(0)
	for i := 0; i < len(class.Rune); i += 2 {
		for ; next < class.Rune[i]; next++ {
			if next >= 0x80 || len(s.stop) > 8 {
				return nil
			}
			s.stop = append(s.stop, byte(next))
		}
		next = class.Rune[i+1] + 1
	}
	return s
}

func (s *scan) find(text []byte) ([]byte, bool) {
	for at := 0; ; {
		i := bytes.Index(text[at:], s.literal)
		if i < 0 {
			return nil, false
		}
		i += at
		at = i + 1
		if s.separator != 0 && i > 0 && text[i-1] != s.separator {
			continue
		}
		v := s.until(text[i+len(s.literal):])
		if s.nonEmpty && len(v) == 0 {
			continue
		}
		return v, true
	}
}

func (s *scan) until(v []byte) []byte {
	if len(s.stop) == 1 {
		if i := bytes.IndexByte(v, s.stop[0]); i >= 0 {
			return v[:i]
		}
		return v
	}
	for i, c := range v {
		if bytes.IndexByte(s.stop, c) >= 0 {
			return v[:i]
		}
	}
	return v
}

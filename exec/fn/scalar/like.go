package scalar

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "LIKE", Syntax: "a LIKE pattern [ESCAPE character]", Doc: "Whether a string matches a pattern in which % stands for any characters and _ for one.", Bind: bindLike})
}

func bindLike(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("a LIKE pattern [ESCAPE character]", args, 1, stringArg, stringArg, stringArg)
	if err != nil {
		return nil, err
	}
	if len(args) == 3 && args[2].Literal != nil && length([]byte(args[2].Literal.S)) != 1 {
		return nil, fmt.Errorf("ESCAPE takes one character, not '%s'", args[2].Literal.S)
	}
	b := &fn.Bound{Params: ts, Result: strict(boolean, args), New: likeKernel}
	b.NewConst = func(consts []*vec.Value) fn.Kernel {
		p, err := constantPattern(consts)
		if p == nil || err != nil {
			return nil
		}
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, r := range rows {
				out.Bool[r] = p.match(args[0].BytesAt(int(r)))
			}
			return nil
		}
	}
	return b, nil
}

// constantPattern compiles the pattern if it, and the escape, are constant.
func constantPattern(consts []*vec.Value) (*likePattern, error) {
	if consts[1] == nil || len(consts) == 3 && consts[2] == nil {
		return nil, nil
	}
	var escape string
	if len(consts) == 3 {
		escape = consts[2].S
	}
	return compileLike(consts[1].S, escape)
}

// likeKernel compiles each pattern that differs from the row before.
func likeKernel() fn.Kernel {
	var last, lastEscape string
	var p *likePattern
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			pattern, escape := args[1].BytesAt(int(r)), []byte(nil)
			if len(args) == 3 {
				escape = args[2].BytesAt(int(r))
			}
			if p == nil || string(pattern) != last || string(escape) != lastEscape {
				last, lastEscape = string(pattern), string(escape)
				var err error
				if p, err = compileLike(last, lastEscape); err != nil {
					return err
				}
			}
			out.Bool[r] = p.match(args[0].BytesAt(int(r)))
		}
		return nil
	}
}

// likePattern is the text between the % signs. The first segment stands at
// the start, the last one at the end, those between are found one after the
// other.
type likePattern struct {
	segments []segment
}

// segment is literal text; where any is set, a character of any kind.
type segment struct {
	text []rune
	any  []bool
	raw  []byte // the text, if there is no wildcard in it
}

func compileLike(pattern, escape string) (*likePattern, error) {
	esc, _ := utf8.DecodeRuneInString(escape)
	if escape == "" {
		esc = -1
	}
	p, at, escaped := &likePattern{}, segment{}, false
	for _, c := range pattern {
		switch {
		case escaped:
			if c != '%' && c != '_' && c != esc {
				return nil, fmt.Errorf("LIKE pattern '%s': %%, _ or the escape must follow the escape", pattern)
			}
			at.add(c, false)
			escaped = false
		case c == esc:
			escaped = true
		case c == '%':
			p.segments, at = append(p.segments, at.done()), segment{}
		default:
			at.add(c, c == '_')
		}
	}
	if escaped {
		return nil, fmt.Errorf("LIKE pattern '%s' ends with the escape", pattern)
	}
	p.segments = append(p.segments, at.done())
	return p, nil
}

func (s *segment) add(c rune, any bool) {
	s.text, s.any = append(s.text, c), append(s.any, any)
}

func (s segment) done() segment {
	for _, a := range s.any {
		if a {
			return s
		}
	}
	s.raw = []byte(string(s.text))
	if s.raw == nil {
		s.raw = []byte{}
	}
	return s
}

func (p *likePattern) match(s []byte) bool {
	first, last := &p.segments[0], &p.segments[len(p.segments)-1]
	n := first.matchAt(s)
	if n < 0 {
		return false
	}
	if len(p.segments) == 1 {
		return n == len(s)
	}
	s = s[n:]
	for i := 1; i < len(p.segments)-1; i++ {
		end := p.segments[i].find(s)
		if end < 0 {
			return false
		}
		s = s[end:]
	}
	return last.endsWith(s)
}

// matchAt is how many bytes of s the segment covers at its start; −1 if it
// does not stand there.
func (g *segment) matchAt(s []byte) int {
	if g.raw != nil {
		if bytes.HasPrefix(s, g.raw) {
			return len(g.raw)
		}
		return -1
	}
	at := 0
	for i, want := range g.text {
		if at >= len(s) {
			return -1
		}
		c, size := utf8.DecodeRune(s[at:])
		if !g.any[i] && c != want {
			return -1
		}
		at += size
	}
	return at
}

// find is the end of the first occurrence.
func (g *segment) find(s []byte) int {
	if g.raw != nil {
		i := bytes.Index(s, g.raw)
		if i < 0 {
			return -1
		}
		return i + len(g.raw)
	}
	for at := 0; at <= len(s); {
		if n := g.matchAt(s[at:]); n >= 0 {
			return at + n
		}
		_, size := utf8.DecodeRune(s[at:])
		at += max(size, 1)
	}
	return -1
}

func (g *segment) endsWith(s []byte) bool {
	if g.raw != nil {
		return bytes.HasSuffix(s, g.raw)
	}
	at := len(s)
	for range g.text {
		if at == 0 {
			return false
		}
		_, size := utf8.DecodeLastRune(s[:at])
		at -= size
	}
	return g.matchAt(s[at:]) == len(s)-at
}

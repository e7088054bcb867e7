package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// ErrorKind tells a mistake of the user from a thing that the engine lacks.
type ErrorKind int

// The kinds of errors.
const (
	User ErrorKind = iota
	Unsupported
)

// Error is a refusal of a text, at a place in it.
type Error struct {
	Pos  ast.Pos
	Msg  string // lower case, no full stop
	Hint string // what to change; may be empty
	// Token is the text that was found at Pos, "" at the end of the text.
	Token string
	Kind  ErrorKind
	// Incomplete: the text ended too early, so more text could make it right. The shell goes on reading.
	Incomplete bool
}

// Error gives "line 3:14: message; hint".
func (e *Error) Error() string {
	s := e.Msg
	if e.Pos.IsValid() {
		s = e.Pos.String() + ": " + s
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Render gives the message and below it the line of source with a caret under the place.
func (e *Error) Render(source string) string {
	caret := e.Caret(source)
	if caret == "" {
		return e.Error()
	}
	return e.Error() + "\n" + caret
}

// Caret gives the line of source that e is about, and a line with a caret under
// the place; "" if source has no such line.
func (e *Error) Caret(source string) string {
	lines := strings.Split(source, "\n")
	if e.Pos.Line < 1 || e.Pos.Line > len(lines) {
		return ""
	}
	line := strings.TrimSuffix(lines[e.Pos.Line-1], "\r")
	return "    " + line + "\n    " + indent(line, e.Pos.Col-1) + "^"
}

// indent is blanks as wide as the first n characters of line; tabs stay tabs, so that the caret lines up.
func indent(line string, n int) string {
	var b strings.Builder
	for _, r := range line {
		if n <= 0 {
			break
		}
		n--
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	for ; n > 0; n-- {
		b.WriteByte(' ')
	}
	return b.String()
}

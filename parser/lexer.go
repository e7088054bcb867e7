package parser

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// lexer cuts a text into tokens. Comments and blanks leave none.
type lexer struct {
	src       string
	off       int
	line, col int  // of off
	fresh     bool // nothing but blanks on this line so far
	inHint    bool
	hintStart token
	toks      []token
	err       *Error
}

// lex gives the tokens of src. After a mistake the list ends with a tokBad, else
// with a tokEnd; semicolons are tokEnds with text.
func lex(src string) ([]token, *Error) {
	l := &lexer{src: src, line: 1, col: 1, fresh: true, toks: make([]token, 0, len(src)/4+8)}
	if strings.HasPrefix(src, "\ufeff") {
		l.off = len("\ufeff")
	}
	for l.err == nil && l.next() {
	}
	if l.err == nil && l.inHint {
		l.fail(l.hintStart, "this hint is never closed", "end it with */", true)
	}
	last := token{kind: tokEnd, off: l.off, end: l.off, pos: l.pos()}
	if l.err != nil {
		last.kind, last.pos = tokBad, l.err.Pos
	}
	l.toks = append(l.toks, last)
	return l.toks, l.err
}

func (l *lexer) pos() ast.Pos { return ast.Pos{Line: l.line, Col: l.col} }

// byteAt is the byte n behind the current one, 0 past the end.
func (l *lexer) byteAt(n int) byte {
	if l.off+n < len(l.src) {
		return l.src[l.off+n]
	}
	return 0
}

// advance moves n bytes on and keeps line and column.
func (l *lexer) advance(n int) {
	for end := l.off + n; l.off < end; {
		c := l.src[l.off]
		switch {
		case c == '\n':
			l.line, l.col, l.fresh = l.line+1, 1, true
			l.off++
		case c < utf8.RuneSelf:
			l.col++
			l.off++
		default:
			_, size := utf8.DecodeRuneInString(l.src[l.off:])
			l.col++
			l.off += size
		}
	}
}

// next takes one token, blank or comment; false at the end.
func (l *lexer) next() bool {
	c := l.byteAt(0)
	switch {
	case l.off >= len(l.src):
		return false
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
		l.advance(1)
	case c == '-' && l.byteAt(1) == '-':
		l.lineComment()
	case c == '/' && l.byteAt(1) == '*':
		l.blockComment()
	case c == '\'':
		l.stringLit(0)
	case c == '`':
		l.quotedName()
	case c >= '0' && c <= '9', c == '.' && isDigit(l.byteAt(1)) && !l.afterPath():
		l.number()
	case isWordStart(c):
		l.word()
	case c >= utf8.RuneSelf:
		l.wide()
	default:
		l.operator()
	}
	return true
}

// emit adds the token that began at t and ends at the current place.
func (l *lexer) emit(t token, kind tokenKind, val string) {
	t.kind, t.val, t.end = kind, val, l.off
	t.text = l.src[t.off:t.end]
	l.toks = append(l.toks, t)
}

// begin notes where a token starts.
func (l *lexer) begin() token {
	t := token{off: l.off, pos: l.pos(), firstOnLine: l.fresh}
	l.fresh = false
	return t
}

// fail ends lexing with an error at t.
func (l *lexer) fail(t token, msg, hint string, incomplete bool) {
	l.err = &Error{Pos: t.pos, Msg: msg, Hint: hint, Token: shorten(l.src[t.off:l.off]), Incomplete: incomplete}
}

func (l *lexer) lineComment() {
	n := strings.IndexByte(l.src[l.off:], '\n')
	if n < 0 {
		n = len(l.src) - l.off
	}
	l.advance(n)
}

func (l *lexer) blockComment() {
	if l.byteAt(2) == '+' && !l.inHint {
		t := l.begin()
		l.advance(3)
		l.emit(t, tokOp, "")
		l.inHint, l.hintStart = true, t
		return
	}
	t, fresh := l.begin(), l.fresh
	n := strings.Index(l.src[l.off+2:], "*/")
	if n < 0 {
		l.advance(len(l.src) - l.off)
		l.fail(t, "this comment is never closed", "end it with */", true)
		return
	}
	l.advance(n + 4)
	l.fresh = l.fresh || fresh
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func isWordPart(c byte) bool { return isWordStart(c) || isDigit(c) }

// afterPath tells whether a dot here goes on with a name, as in t.1st.
func (l *lexer) afterPath() bool {
	if len(l.toks) == 0 {
		return false
	}
	last := &l.toks[len(l.toks)-1]
	return last.end == l.off && (last.kind == tokWord || last.kind == tokQuoted || last.op(")") || last.op("]"))
}

// word takes a keyword or name, or a string with a prefix: X'…', U&'…'.
func (l *lexer) word() {
	switch c := l.byteAt(0); {
	case (c == 'X' || c == 'x') && l.byteAt(1) == '\'':
		l.binaryLit()
		return
	case (c == 'U' || c == 'u') && l.byteAt(1) == '&' && l.byteAt(2) == '\'':
		l.stringLit(2)
		return
	case c == '$' && l.byteAt(1) == '{':
		l.variable()
		return
	}
	l.name()
}

// name takes a word from the current place; its first character is known to fit.
func (l *lexer) name() {
	t := l.begin()
	n := 1
	if l.src[l.off] >= utf8.RuneSelf {
		_, n = utf8.DecodeRuneInString(l.src[l.off:])
	}
	for l.off+n < len(l.src) {
		c := l.src[l.off+n]
		if isWordPart(c) {
			n++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRuneInString(l.src[l.off+n:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		n += size
	}
	l.advance(n)
	l.emit(t, tokWord, strings.ToUpper(l.src[t.off:l.off]))
}

// wide takes what begins with a character beyond ASCII.
func (l *lexer) wide() {
	r, size := utf8.DecodeRuneInString(l.src[l.off:])
	if unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' {
		l.advance(size)
		return
	}
	if unicode.IsLetter(r) {
		l.name()
		return
	}
	t := l.begin()
	l.advance(size)
	switch {
	case strings.ContainsRune("‘’‚‛′´", r):
		l.fail(t, "a typographic quote cannot enclose a string", "write the plain quote ' instead", false)
	case strings.ContainsRune("“”„‟″", r):
		l.fail(t, "a typographic quote is not part of SQL", "write 'text' for a string and `name` for a name", false)
	case r == '–' || r == '—' || r == '−':
		l.fail(t, "this dash is not a minus sign", "write the plain - instead", false)
	case r == utf8.RuneError:
		l.fail(t, "the text is not valid UTF-8 here", "save the file as UTF-8", false)
	default:
		l.fail(t, "unexpected character "+string(r), "", false)
	}
}

// operators of two characters; all others have one.
var twoCharOps = [...]string{"<>", "<=", ">=", "!=", "||", "=>", "*/", ":=", "&&", "<<", ">>", "::", "->"}

// operator takes an operator or punctuation mark.
func (l *lexer) operator() {
	t := l.begin()
	rest := l.src[l.off:]
	if l.inHint && strings.HasPrefix(rest, "*/") {
		l.advance(2)
		l.emit(t, tokOp, "")
		l.inHint = false
		return
	}
	for _, op := range twoCharOps {
		// In MAP<STRING, ARRAY<INT>> the brackets close one by one.
		if op != ">>" && op != "*/" && strings.HasPrefix(rest, op) {
			l.advance(2)
			l.emit(t, tokOp, "")
			return
		}
	}
	l.advance(1)
	switch c := rest[0]; {
	case c == ';':
		l.emit(t, tokEnd, "")
	case strings.IndexByte("()[]{},.+-*/%<>=:|&^~!?@", c) >= 0:
		l.emit(t, tokOp, "")
	default:
		l.stray(t, rest)
	}
}

// stray refuses a character that begins nothing in SQL, with what its writer meant.
func (l *lexer) stray(t token, rest string) {
	switch {
	case rest[0] == '#' && t.firstOnLine && isHeading(rest):
		l.fail(t, "this looks like a Markdown heading, which is not SQL", "delete the line, or write -- before it", false)
	case rest[0] == '#':
		l.fail(t, "# does not begin a comment in SQL", "write -- instead", false)
	case rest[0] == '"':
		l.fail(t, "double quotes are not used in Flink SQL", "write 'text' for a string and `name` for a name", false)
	case rest[0] == '\\':
		l.fail(t, `unexpected \`, "strings need no backslash: a quote inside is written twice, 'It''s'", false)
	default:
		l.fail(t, "unexpected character "+string(rest[0]), "", false)
	}
}

// isHeading tells ## x, or # Upper-case words, from a # comment: the latter mostly goes on in lower case or holds SQL.
func isHeading(rest string) bool {
	text := strings.TrimLeft(rest, "#")
	level := len(rest) - len(text)
	if !strings.HasPrefix(text, " ") {
		return false
	}
	text = strings.TrimSpace(text)
	return level > 1 || text != "" && text[0] >= 'A' && text[0] <= 'Z'
}

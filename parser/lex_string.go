package parser

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quotedEnd finds the quote that closes the text from l.off+from on; a doubled
// quote is content. It returns the index behind it, or -1.
func (l *lexer) quotedEnd(from int, quote byte) int {
	for i := l.off + from; i < len(l.src); i++ {
		if l.src[i] != quote {
			continue
		}
		if i+1 < len(l.src) && l.src[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return -1
}

// quoted takes prefix, quote, content, quote, and returns the content with doubled quotes resolved.
func (l *lexer) quoted(t token, prefix int, quote byte, what, remedy string) (string, bool) {
	end := l.quotedEnd(prefix+1, quote)
	if end < 0 {
		l.advance(len(l.src) - l.off)
		l.fail(t, what+" is never closed", l.unclosedRemedy(t, remedy), true)
		return "", false
	}
	body := l.src[l.off+prefix+1 : end-1]
	l.advance(end - l.off)
	if strings.IndexByte(body, quote) >= 0 {
		q := string(quote)
		body = strings.ReplaceAll(body, q+q, q)
	}
	if !utf8.ValidString(body) {
		l.fail(t, what+" is not valid UTF-8", "save the file as UTF-8", false)
		return "", false
	}
	return body, true
}

// unclosedRemedy looks for the earlier string that is to blame for the open quote at t.
func (l *lexer) unclosedRemedy(t token, remedy string) string {
	for i := len(l.toks) - 1; i >= 0; i-- {
		s := &l.toks[i]
		if s.kind != tokString {
			continue
		}
		if s.pos.Line == t.pos.Line && strings.HasSuffix(s.text, `\'`) {
			return `a backslash does not escape a quote: write it twice, 'It''s'`
		}
		if strings.Contains(s.text, "\n") {
			return remedy + "; or one is missing where the string at " + s.pos.String() + " should end, which now runs over several lines"
		}
	}
	return remedy
}

// stringLit takes '…', or U&'…' with a prefix of 2 bytes.
func (l *lexer) stringLit(prefix int) {
	t := l.begin()
	body, ok := l.quoted(t, prefix, '\'', "this string", "add the closing ' (a quote inside a string is written twice)")
	if !ok {
		return
	}
	if prefix > 0 {
		if body, ok = decodeUnicode(body, l.unicodeEscape()); !ok {
			l.fail(t, "a Unicode string takes \\ and four hexadecimal digits, or \\+ and six", "", false)
			return
		}
	}
	l.emit(t, tokString, body)
}

// unicodeEscape takes UESCAPE 'c' behind U&'…'; the default is a backslash.
func (l *lexer) unicodeEscape() rune {
	rest := strings.TrimLeft(l.src[l.off:], " \t\r\n")
	if len(rest) < len("UESCAPE") || !strings.EqualFold(rest[:len("UESCAPE")], "UESCAPE") {
		return '\\'
	}
	after := strings.TrimLeft(rest[len("UESCAPE"):], " \t\r\n")
	if len(after) < 3 || after[0] != '\'' {
		return '\\'
	}
	r, size := utf8.DecodeRuneInString(after[1:])
	if len(after) <= 1+size || after[1+size] != '\'' {
		return '\\'
	}
	l.advance(len(l.src) - l.off - len(after) + size + 2)
	return r
}

// decodeUnicode resolves \XXXX, \+XXXXXX and the doubled escape character.
func decodeUnicode(s string, escape rune) (string, bool) {
	var b strings.Builder
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		if runes[i] != escape {
			b.WriteRune(runes[i])
			continue
		}
		if i+1 < len(runes) && runes[i+1] == escape {
			b.WriteRune(escape)
			i++
			continue
		}
		from, n := i+1, 4
		if from < len(runes) && runes[from] == '+' {
			from, n = from+1, 6
		}
		if from+n > len(runes) {
			return "", false
		}
		code, err := strconv.ParseUint(string(runes[from:from+n]), 16, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return "", false
		}
		b.WriteRune(rune(code))
		i = from + n - 1
	}
	return b.String(), true
}

// binaryLit takes X'AB'.
func (l *lexer) binaryLit() {
	t := l.begin()
	body, ok := l.quoted(t, 1, '\'', "this binary string", "add the closing '")
	if !ok {
		return
	}
	if len(body)%2 != 0 || strings.Trim(body, "0123456789abcdefABCDEF") != "" {
		l.fail(t, "a binary string needs an even number of hexadecimal digits", "", false)
		return
	}
	l.emit(t, tokBinary, strings.ToUpper(body))
}

// quotedName takes `name`.
func (l *lexer) quotedName() {
	t := l.begin()
	if strings.HasPrefix(l.src[l.off:], "```") {
		l.advance(3)
		l.fail(t, "this is a Markdown code fence, which is not SQL", "delete the line", false)
		return
	}
	body, ok := l.quoted(t, 0, '`', "this quoted name", "add the closing `")
	if !ok {
		return
	}
	if body == "" {
		l.fail(t, "a quoted name cannot be empty", "", false)
		return
	}
	l.emit(t, tokQuoted, body)
}

// variable refuses ${name}: whoever runs a file replaces its variables first.
func (l *lexer) variable() {
	t := l.begin()
	end := strings.IndexByte(l.src[l.off:], '}')
	if end < 0 {
		end = 1
	}
	l.advance(end + 1)
	l.fail(t, "the variable "+shorten(l.src[t.off:l.off])+" has no value", "give it one with --define name=value", false)
}

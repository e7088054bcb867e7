package parser

// number takes 12, 1.50, .5, 1. and 1e-3.
func (l *lexer) number() {
	t := l.begin()
	n := l.digits(0)
	if l.byteAt(n) == '.' && !isWordStart(l.byteAt(n+1)) {
		n = l.digits(n + 1)
	}
	if c := l.byteAt(n); c == 'e' || c == 'E' {
		m := n + 1
		if s := l.byteAt(m); s == '+' || s == '-' {
			m++
		}
		if isDigit(l.byteAt(m)) {
			n = l.digits(m)
		}
	}
	l.advance(n)
	if isWordStart(l.byteAt(0)) {
		end := 1
		for isWordPart(l.byteAt(end)) {
			end++
		}
		l.advance(end)
		l.emit(t, tokOdd, "")
		return
	}
	l.emit(t, tokNumber, "")
}

// digits returns the index behind the digits from n on.
func (l *lexer) digits(n int) int {
	for isDigit(l.byteAt(n)) {
		n++
	}
	return n
}

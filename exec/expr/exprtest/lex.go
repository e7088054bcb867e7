// Package exprtest reads expressions and types from text, so that tests of
// functions are scripts. It knows just enough syntax for that; SQL is read by
// package parser.
package exprtest

import (
	"fmt"
	"strings"
)

type token struct {
	kind byte // 'w' word, 'n' number, 's' string, 'q' quoted name, 'p' punctuation, 'e' end
	text string
}

type lexer struct {
	src string
	tok []token
}

func lex(src string) ([]token, error) {
	l := lexer{src: src}
	for l.src != "" {
		if err := l.next(); err != nil {
			return nil, err
		}
	}
	return append(l.tok, token{kind: 'e'}), nil
}

func (l *lexer) take(kind byte, n int) {
	l.tok = append(l.tok, token{kind, l.src[:n]})
	l.src = l.src[n:]
}

func (l *lexer) next() error {
	c := l.src[0]
	switch {
	case c == ' ' || c == '\n' || c == '\t':
		l.src = l.src[1:]
	case c == '\'' || c == '`':
		return l.quoted(c)
	case isDigit(c) || c == '.' && len(l.src) > 1 && isDigit(l.src[1]):
		l.take('n', l.number())
	case isLetter(c):
		n := 1
		for n < len(l.src) && (isLetter(l.src[n]) || isDigit(l.src[n])) {
			n++
		}
		l.take('w', n)
	default:
		n := 1
		for _, two := range []string{"<=", ">=", "<>", "||"} {
			if strings.HasPrefix(l.src, two) {
				n = 2
			}
		}
		l.take('p', n)
	}
	return nil
}

func (l *lexer) quoted(q byte) error {
	var b strings.Builder
	for i := 1; i < len(l.src); i++ {
		if l.src[i] != q {
			b.WriteByte(l.src[i])
			continue
		}
		if i+1 < len(l.src) && l.src[i+1] == q {
			b.WriteByte(q)
			i++
			continue
		}
		kind := byte('s')
		if q == '`' {
			kind = 'q'
		}
		l.tok = append(l.tok, token{kind, b.String()})
		l.src = l.src[i+1:]
		return nil
	}
	return fmt.Errorf("string never ends")
}

func (l *lexer) number() int {
	n := 0
	for n < len(l.src) {
		c := l.src[n]
		exponent := (c == 'e' || c == 'E') && n > 0
		sign := (c == '-' || c == '+') && n > 0 && (l.src[n-1] == 'e' || l.src[n-1] == 'E')
		if !isDigit(c) && c != '.' && !exponent && !sign {
			break
		}
		n++
	}
	return n
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

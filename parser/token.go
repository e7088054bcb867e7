package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

type tokenKind uint8

const (
	tokEnd    tokenKind = iota // of the statement: its semicolon, or the end of the text
	tokWord                    // a keyword or a name
	tokQuoted                  // `a name`
	tokString                  // '…' and U&'…'
	tokBinary                  // X'…'
	tokNumber
	tokOdd // 10s: neither number nor name, but a value in SET a = 10s
	tokOp  // operators, punctuation, /*+ and */ of a hint
	tokBad // the lexer stopped here; only ever the last
)

// token is one token of the text.
type token struct {
	kind tokenKind
	// firstOnLine: only blanks stand before it.
	firstOnLine bool
	text        string // as written
	// val is the content of strings and quoted names, the upper-case form of words.
	val      string
	off, end int // bytes of the source
	pos      ast.Pos
}

// is tells whether t is the unquoted word, given in upper case.
func (t *token) is(word string) bool { return t.kind == tokWord && t.val == word }

// op tells whether t is the operator or punctuation.
func (t *token) op(s string) bool { return t.kind == tokOp && t.text == s }

// ident is the name that a word or quoted name stands for.
func (t *token) ident() ast.Ident {
	if t.kind == tokQuoted {
		return ast.Ident{Pos: t.pos, Name: t.val, Quoted: true}
	}
	return ast.Ident{Pos: t.pos, Name: t.text}
}

// describe names t in a message.
func (t *token) describe() string {
	switch t.kind {
	case tokEnd:
		if t.text == ";" {
			return "the end of the statement"
		}
		return "the end of the text"
	case tokString, tokBinary:
		return "the string " + shorten(t.text)
	case tokNumber:
		return "the number " + shorten(t.text)
	case tokQuoted:
		return "the name " + shorten(t.text)
	default:
		return `"` + shorten(t.text) + `"`
	}
}

// shorten keeps messages on one line.
func shorten(s string) string {
	const limit = 40
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

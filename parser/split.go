package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// Fragment is one statement's text in a longer one.
type Fragment struct {
	ast.Pos
	// Text is the statement as written, without its semicolon.
	Text string
	// Terminated: its semicolon was there.
	Terminated bool
}

// Split cuts text into its statements, without parsing them. Semicolons inside
// strings, comments and statement sets do not count. On a mistake of the lexer
// the statements before it are returned with the *Error.
func Split(text string) ([]Fragment, error) {
	toks, err := lex(text)
	var fragments []Fragment
	for _, st := range split(toks) {
		fragments = append(fragments, Fragment{
			Pos: st[0].pos, Text: sourceOf(text, st), Terminated: st[len(st)-1].text == ";",
		})
	}
	if err != nil {
		return fragments, err
	}
	return fragments, nil
}

// Complete tells whether text ends with a finished statement, so that a shell
// need not read on. QUIT, EXIT, HELP and CLEAR need no semicolon.
func Complete(text string) bool {
	toks, err := lex(text)
	if err != nil {
		return !err.Incomplete && strings.HasSuffix(strings.TrimSpace(text), ";")
	}
	statements := split(toks)
	if len(statements) == 0 {
		return false
	}
	last := statements[len(statements)-1]
	if last[len(last)-1].text == ";" {
		return true
	}
	return len(statements) == 1 && len(last) == 2 && isCommand(last[0].val)
}

func isCommand(word string) bool {
	switch word {
	case "QUIT", "EXIT", "HELP", "CLEAR":
		return true
	}
	return false
}

// split cuts tokens into statements. Each ends with its tokEnd (or tokBad);
// empty statements leave none.
func split(toks []token) [][]token {
	var statements [][]token
	start, block, cases := 0, false, 0
	for i := range toks {
		t := &toks[i]
		switch {
		case t.is("BEGIN") && (i == start || i > 0 && toks[i-1].is("SET")):
			block = true
		case t.is("CASE"):
			cases++
		case t.is("END") && cases > 0:
			cases--
		case t.is("END"):
			block = false
		case t.kind == tokBad || t.kind == tokEnd && (!block || t.text == ""):
			if i > start || t.kind == tokBad {
				statements = append(statements, toks[start:i+1])
			}
			start, block, cases = i+1, false, 0
		}
	}
	return statements
}

// sourceOf is the text of a statement's tokens, without the last one.
func sourceOf(src string, st []token) string {
	if len(st) < 2 {
		return ""
	}
	return src[st[0].off:st[len(st)-2].end]
}

// Package parser turns the text of a job file into ast.Statements. It works in
// four steps, each in its own files: lexer, splitter, statements (our own
// recursive descent) and queries, whose tokens are normalised (norm_*.go) and
// given to the TiDB parser (tidb.go), which decides precedence, joins, set
// operations and window specifications; its tree is turned into ours at once
// (conv_*.go). Nothing of TiDB is visible outside this package.
package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// Parse parses all statements of text. The error is an *Error about the first
// statement that is wrong; the statements before it are returned with it.
func Parse(text string) ([]ast.Statement, error) {
	toks, lexErr := lex(text)
	var stmts []ast.Statement
	for _, st := range split(toks) {
		if lexErr != nil && st[len(st)-1].kind == tokBad {
			return stmts, lexErr
		}
		s, err := parseStatement(text, st)
		if err != nil {
			return stmts, err
		}
		stmts = append(stmts, s)
	}
	return stmts, nil
}

// parseStatement parses the one statement whose tokens are st.
func parseStatement(text string, st []token) (s ast.Statement, err error) {
	err = guard(func() {
		c := newCursor(text, st)
		s = c.statement()
		c.end()
	})
	return s, err
}

// ParseQuery parses one query, without a semicolon.
func ParseQuery(text string) (q ast.Query, err error) {
	err = parseWhole(text, func(c *cursor) { q = c.queryTree() })
	return q, err
}

// ParseExpr parses one expression.
func ParseExpr(text string) (x ast.Expr, err error) {
	err = parseWhole(text, func(c *cursor) { x = c.exprTree() })
	return x, err
}

// ParseType parses one type name.
func ParseType(text string) (t *ast.TypeName, err error) {
	err = parseWhole(text, func(c *cursor) { t = c.typeName() })
	return t, err
}

// parseWhole gives all tokens of text to f.
func parseWhole(text string, f func(*cursor)) error {
	toks, lexErr := lex(text)
	if lexErr != nil {
		return lexErr
	}
	for i := range toks[:len(toks)-1] {
		if toks[i].kind == tokEnd {
			toks[i].kind = tokOp // a semicolon goes nowhere here
		}
	}
	return guard(func() {
		c := newCursor(text, toks)
		f(c)
		c.end()
	})
}

// end fails unless the statement ends here.
func (c *cursor) end() {
	if !c.atEnd() {
		c.failEnd()
	}
}

// failEnd refuses a token behind what would be a whole statement.
func (c *cursor) failEnd() {
	t := c.tok()
	if t.op(",") && (c.peek(1).kind == tokEnd || c.peek(1).op(")")) {
		c.failAt(t, "a comma before "+c.peek(1).describe()+" has nothing behind it", "delete the comma")
	}
	if t.is("FOR") && c.peek(1).is("UPDATE") {
		c.failAt(t, "FOR UPDATE is not part of Flink SQL", "delete it")
	}
	if t.kind == tokString && c.i > 0 && c.toks[c.i-1].is("AS") {
		c.failAt(t, "an alias is a name, not a string", "write `"+shorten(t.val)+"`")
	}
	switch {
	case t.kind == tokNumber && c.i > 0 && c.toks[c.i-1].is("TOP"):
		c.failAt(&c.toks[c.i-1], "TOP is not part of Flink SQL", "write LIMIT "+t.text+" at the end")
	case t.is("INTO"):
		c.failAt(t, "INTO belongs to INSERT", "write INSERT INTO table SELECT …")
	case t.is("WITH") && c.peek(1).is("ROLLUP"):
		c.failAt(t, "WITH ROLLUP is MySQL's", "write GROUP BY ROLLUP (…)")
	}
	c.fail(";")
}

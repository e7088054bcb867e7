package parser

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// statementWords begin statements.
var statementWords = map[string]bool{
	"CREATE": true, "DROP": true, "ALTER": true, "INSERT": true, "SELECT": true, "WITH": true, "EXECUTE": true, "BEGIN": true,
	"EXPLAIN": true, "SET": true, "RESET": true, "SHOW": true, "DESCRIBE": true, "DESC": true, "USE": true, "STOP": true,
	"HELP": true, "QUIT": true, "EXIT": true, "CLEAR": true, "PRINT": true, "VALUES": true,
}

// failBeyond looks for the mistakes that make the current token look wrong though it is not:
// a semicolon that was forgotten, a bracket that was never closed.
func (c *cursor) failBeyond(expected []string) {
	t := c.tok()
	if c.i > 0 && t.firstOnLine && t.kind == tokWord && beginsStatement(t.val, expected) {
		c.missingSemicolon(t)
	}
	if t.op(")") || t.op("]") {
		if c.match[c.i] < 0 {
			c.failAt(t, `this "`+t.text+`" closes nothing`, "delete it, or add the opening bracket")
		}
		return
	}
	if open := c.unclosed(); open != nil && (t.kind == tokEnd || clauseBegins(t)) {
		c.failAt(open, `this "`+open.text+`" is never closed`, `add "`+closing(open.text)+`" before `+t.describe()+" ("+t.pos.String()+")")
	}
}

// beginsStatement tells whether word, which is not what was expected, begins a statement of its own.
// Words that also stand inside statements do so only where the statement could have ended.
func beginsStatement(word string, expected []string) bool {
	if !statementWords[word] {
		return false
	}
	switch word {
	case "CREATE", "INSERT", "ALTER", "EXECUTE", "EXPLAIN":
		return true
	}
	return slices.Contains(expected, ";")
}

// missingSemicolon refuses t, which begins a statement inside another one.
func (c *cursor) missingSemicolon(t *token) {
	prev := &c.toks[c.i-1]
	if open := c.unclosed(); open != nil {
		c.failAt(open, `this "`+open.text+`" is never closed`, t.text+" on line "+strconv.Itoa(t.pos.Line)+" begins a new statement")
	}
	c.failAt(t, t.text+" begins a new statement, but the one before it has no semicolon",
		"end line "+strconv.Itoa(prev.pos.Line+strings.Count(prev.text, "\n"))+` with ";"`)
}

// unclosed is the innermost bracket before the current token without a partner.
func (c *cursor) unclosed() *token {
	for i := c.i - 1; i >= 0; i-- {
		t := &c.toks[i]
		if (t.op("(") || t.op("[")) && c.match[i] < 0 {
			return t
		}
	}
	return nil
}

// clauseBegins tells words at which an open parenthesis shows.
func clauseBegins(t *token) bool {
	if t.kind != tokWord {
		return false
	}
	switch t.val {
	case "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WITH", "UNION", "JOIN", "AS", "VALUES":
		return true
	}
	return false
}

// remedy guesses what to change where one of expected is missing.
func (c *cursor) remedy(expected []string) string {
	t := c.tok()
	for _, e := range expected {
		if t.kind == tokWord && similar(t.val, e) {
			return `did you mean ` + e + `?`
		}
	}
	if t.kind == tokWord && slices.Contains(expected, ";") {
		if w := nearest(t.val, clauseWords); w != "" {
			return "did you mean " + w + "?"
		}
		if statementWords[t.val] && ast.Reserved(t.val) {
			return `is a ";" missing before it?`
		}
	}
	if c.i == 0 {
		return ""
	}
	prev := &c.toks[c.i-1]
	if prev.kind == tokString && t.pos.Line > prev.pos.Line && strings.Contains(prev.text, "\n") {
		return "the string that begins at " + prev.pos.String() + " runs over several lines: is a quote missing?"
	}
	if prev.kind == tokWord && !ast.Reserved(prev.val) {
		if w := nearest(prev.val, clauseWords); w != "" {
			return `did you mean ` + w + ` instead of "` + prev.text + `" (` + prev.pos.String() + `)?`
		}
	}
	return c.aliasRemedy(prev, expected)
}

// aliasRemedy says that prev was read as an alias, where an operand follows it.
func (c *cursor) aliasRemedy(prev *token, expected []string) string {
	if c.i < 2 || !slices.Contains(expected, ";") || prev.kind != tokQuoted && (prev.kind != tokWord || !ast.BareAlias(prev.val)) {
		return ""
	}
	switch before := &c.toks[c.i-2]; {
	case before.kind == tokWord && !ast.Reserved(before.val), before.kind == tokQuoted, before.op(")"), before.kind == tokNumber:
		return `"` + prev.text + `" is read as an alias: is a comma or an operator missing before it?`
	}
	return ""
}

// clauseWords are those that a misspelling turns into an alias, so that the error shows one token later.
var clauseWords = []string{
	"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "JOIN", "LEFT", "RIGHT", "INNER", "CROSS", "WINDOW",
	"QUALIFY", "BETWEEN", "LIKE", "AND", "CASE", "WHEN", "THEN", "ELSE", "INTERVAL", "SELECT", "VALUES", "DISTINCT", "OFFSET", "DESC",
}

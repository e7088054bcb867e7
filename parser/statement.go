package parser

import (
	"slices"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// statements are the parsers of statements by their first word.
var statements map[string]func(*cursor) ast.Statement

func init() {
	statements = map[string]func(*cursor) ast.Statement{
		"SELECT": (*cursor).queryStatement, "VALUES": (*cursor).queryStatement, "WITH": (*cursor).queryStatement,
		"CREATE": (*cursor).create, "DROP": (*cursor).drop, "ALTER": (*cursor).alter,
		"INSERT": (*cursor).insertStatement, "EXECUTE": (*cursor).execute, "BEGIN": (*cursor).beginSet,
		"STATEMENT": (*cursor).bareSet, "EXPLAIN": (*cursor).explain,
		"SET": (*cursor).set, "RESET": (*cursor).reset, "USE": (*cursor).use, "SHOW": (*cursor).show,
		"DESCRIBE": (*cursor).describe, "DESC": (*cursor).describe, "STOP": (*cursor).stopJob, "PRINT": (*cursor).print,
		"HELP": (*cursor).help, "CLEAR": (*cursor).clear, "QUIT": (*cursor).quit, "EXIT": (*cursor).quit,
	}
}

// notYet are statements of Flink that this engine lacks.
var notYet = []string{"UPDATE", "DELETE", "MERGE", "TRUNCATE", "CALL", "LOAD", "UNLOAD", "ANALYZE", "ADD", "REMOVE", "COMPILE"}

// statement takes one statement; the caller sees to its end.
func (c *cursor) statement() ast.Statement {
	t := c.tok()
	if t.op("(") && c.isQuery(c.i) {
		return c.queryStatement()
	}
	if t.kind == tokWord {
		if f := statements[t.val]; f != nil {
			return f(c)
		}
		if slices.Contains(notYet, t.val) {
			c.unsupported(t, t.val)
		}
	}
	c.unknownStatement(t)
	return nil
}

func (c *cursor) unknownStatement(t *token) {
	words := make([]string, 0, len(statements))
	for w := range statements {
		words = append(words, w)
	}
	slices.Sort(words)
	hint := ""
	if t.kind == tokWord {
		if w := nearest(t.val, words); w != "" {
			hint = "did you mean " + w + "?"
		}
	}
	if hint == "" {
		hint = "statements begin with CREATE, INSERT, SELECT, SET, …; HELP lists them"
	}
	c.failAt(t, t.describe()+" does not begin a statement", hint)
}

// source is the text of a statement from the token with index start to the last one taken.
func (c *cursor) source(start int) ast.Source {
	return ast.Source{Pos: c.toks[start].pos, Text: c.textFrom(start)}
}

func (c *cursor) queryStatement() ast.Statement {
	start := c.i
	s := &ast.QueryStmt{Query: c.queryTree()}
	s.Source = c.source(start)
	return s
}

// oneOf takes one of the words, or fails with all of them.
func (c *cursor) oneOf(words ...string) string {
	for _, w := range words {
		if c.accept(w) {
			return w
		}
	}
	c.fail(words...)
	return ""
}

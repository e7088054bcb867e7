package parser

import (
	"strconv"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// print takes PRINT 'topic' [FROM BEGINNING] [LIMIT n].
func (c *cursor) print() ast.Statement {
	start := c.i
	c.take()
	s := &ast.PrintTopic{Topic: c.str("a topic")}
	if c.accept("FROM") {
		c.expect("BEGINNING")
		s.FromBeginning = true
	}
	if c.accept("LIMIT") {
		t := c.tok()
		n, err := strconv.ParseInt(t.text, 10, 64)
		if t.kind != tokNumber || err != nil {
			c.fail("a whole number")
		}
		c.take()
		s.Limit = &n
	}
	s.Source = c.source(start)
	return s
}

// help takes HELP and anything behind it.
func (c *cursor) help() ast.Statement {
	start := c.i
	c.take()
	from := c.i
	for !c.atEnd() {
		c.take()
	}
	s := &ast.Help{Topic: c.textFrom(from)}
	s.Source = c.source(start)
	return s
}

func (c *cursor) clear() ast.Statement {
	c.take()
	return &ast.Clear{Source: c.source(c.i - 1)}
}

func (c *cursor) quit() ast.Statement {
	c.take()
	return &ast.Quit{Source: c.source(c.i - 1)}
}

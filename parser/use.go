package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// use takes USE database and USE CATALOG catalog.
func (c *cursor) use() ast.Statement {
	start := c.i
	c.take()
	s := &ast.Use{}
	if t := c.tok(); t.is("MODULES") {
		c.unsupported(t, "USE MODULES")
	}
	if c.tok().is("CATALOG") && c.peek(1).kind != tokEnd {
		c.take()
		s.Catalog = true
	}
	s.Name = c.path("a database")
	s.Source = c.source(start)
	return s
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// describe takes DESCRIBE|DESC [EXTENDED] name, and DESCRIBE JOB 'id'.
func (c *cursor) describe() ast.Statement {
	start := c.i
	c.take()
	if c.tok().is("JOB") && c.peek(1).kind == tokString {
		c.take()
		s := &ast.DescribeJob{ID: c.str("the job's id")}
		s.Source = c.source(start)
		return s
	}
	s := &ast.Describe{}
	if c.tok().is("EXTENDED") && c.peek(1).kind != tokEnd {
		c.take()
		s.Extended = true
	}
	if t := c.tok(); t.is("DATABASE") || t.is("CATALOG") || t.is("FUNCTION") {
		if n := c.peek(1); n.kind == tokWord || n.kind == tokQuoted {
			c.unsupported(t, "DESCRIBE "+t.val)
		}
	}
	s.Name = c.path("a table or view")
	s.Source = c.source(start)
	return s
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// drop takes DROP [TEMPORARY [SYSTEM]] object [IF EXISTS] name [RESTRICT|CASCADE].
func (c *cursor) drop() ast.Statement {
	start := c.i
	c.take()
	s := &ast.Drop{Temporary: c.accept("TEMPORARY")}
	s.System = s.Temporary && c.accept("SYSTEM")
	s.Kind = c.oneOf("TABLE", "VIEW", "DATABASE", "FUNCTION", "CATALOG")
	s.IfExists = c.ifExists()
	s.Name = c.path("a name")
	if s.Cascade = c.accept("CASCADE"); !s.Cascade {
		c.accept("RESTRICT")
	}
	s.Source = c.source(start)
	return s
}

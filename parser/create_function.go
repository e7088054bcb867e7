package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// createFunction takes CREATE FUNCTION f AS 'class', or f(a INT, …) [RETURNS type] [LANGUAGE SQL] RETURN|AS expr.
func (c *cursor) createFunction(cr creation) ast.Statement {
	c.take()
	s := &ast.CreateFunction{Temporary: cr.temporary, System: cr.system, IfNotExists: c.ifNotExists(), Name: c.path("a function")}
	if c.acceptOp("(") && !c.acceptOp(")") {
		c.list(func() { s.Params = append(s.Params, ast.Param{Name: c.fieldName(), Type: c.typeName()}) })
	}
	if c.accept("RETURNS") {
		s.Returns = c.typeName()
	}
	c.language(s)
	switch {
	case c.at("AS") && c.peek(1).kind == tokString && s.Params == nil && s.Returns == nil:
		c.take()
		s.Class = c.str("a class")
		c.language(s)
	case c.accept("AS"), c.accept("RETURN"):
		s.Body, s.BodyText = c.expressionWithText()
	default:
		c.fail("AS", "RETURN", "RETURNS")
	}
	if t := c.tok(); t.is("USING") {
		c.unsupported(t, "CREATE FUNCTION … USING")
	}
	s.Source = c.source(cr.start)
	return s
}

func (c *cursor) language(s *ast.CreateFunction) {
	if c.accept("LANGUAGE") {
		s.Language = c.oneOf("SQL", "JAVA", "SCALA", "PYTHON")
	}
}

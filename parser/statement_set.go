package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// execute takes EXECUTE INSERT …, EXECUTE SELECT … and EXECUTE STATEMENT SET BEGIN … END.
func (c *cursor) execute() ast.Statement {
	start := c.i
	c.take()
	switch t := c.tok(); {
	case t.is("INSERT"):
		return c.insert(start)
	case t.is("STATEMENT"):
		return c.statementSet(start)
	case t.is("SELECT"), t.is("WITH"), t.is("VALUES"):
		s := &ast.QueryStmt{Query: c.queryTree()}
		s.Source = c.source(start)
		return s
	case t.is("PLAN"):
		c.unsupported(t, "EXECUTE PLAN")
	}
	c.fail("INSERT", "STATEMENT SET", "SELECT")
	return nil
}

// statementSet takes STATEMENT SET BEGIN INSERT …; … END.
func (c *cursor) statementSet(start int) ast.Statement {
	c.expect("STATEMENT", "SET")
	begin := c.tok()
	if !c.accept("BEGIN") {
		c.failAt(begin, "expected BEGIN, found "+begin.describe(), "write EXECUTE STATEMENT SET BEGIN INSERT …; INSERT …; END;")
	}
	return c.setBody(start, begin)
}

// beginSet takes the older BEGIN STATEMENT SET; INSERT …; … END.
func (c *cursor) beginSet() ast.Statement {
	start := c.i
	begin := c.take()
	if !c.tok().is("STATEMENT") {
		c.failAt(begin, "BEGIN alone begins nothing", "write BEGIN STATEMENT SET; INSERT …; END;")
	}
	c.expect("STATEMENT", "SET")
	c.semicolon()
	return c.setBody(start, begin)
}

// bareSet takes STATEMENT SET BEGIN … END, which Flink knows only behind EXECUTE or EXPLAIN.
func (c *cursor) bareSet() ast.Statement {
	c.failAt(c.tok(), "a statement set begins with EXECUTE", "write EXECUTE STATEMENT SET BEGIN … END;")
	return nil
}

// setBody takes INSERT …; … END.
func (c *cursor) setBody(start int, begin *token) ast.Statement {
	s := &ast.StatementSet{}
	for !c.accept("END") {
		switch t := c.tok(); {
		case c.atEnd():
			c.failAt(begin, "this statement set has no END", "write END; behind its last INSERT")
		case t.is("INSERT"), t.is("EXECUTE") && c.peek(1).is("INSERT"):
			from := c.i
			c.accept("EXECUTE")
			s.Inserts = append(s.Inserts, c.insert(from))
		default:
			c.fail("INSERT", "END")
		}
		c.semicolon()
	}
	if len(s.Inserts) == 0 {
		c.failAt(begin, "this statement set holds no INSERT", "")
	}
	s.Source = c.source(start)
	return s
}

// semicolon takes the one that ends a statement inside a set.
func (c *cursor) semicolon() {
	t := c.tok()
	if t.kind != tokEnd || t.text != ";" || c.i == len(c.toks)-1 {
		if t.is("END") {
			c.failAt(t, "the INSERT before END has no semicolon", `end it with ";"`)
		}
		if t.kind == tokEnd {
			return // setBody says that END is missing
		}
		c.failEnd()
	}
	c.i++
}

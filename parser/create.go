package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// creation is what CREATE begins with.
type creation struct {
	start                        int
	orReplace, temporary, system bool
}

// create takes CREATE [OR REPLACE] [TEMPORARY [SYSTEM]] object.
func (c *cursor) create() ast.Statement {
	cr := creation{start: c.i}
	c.take()
	if c.accept("OR") {
		c.expect("REPLACE")
		cr.orReplace = true
	}
	if cr.temporary = c.accept("TEMPORARY"); cr.temporary {
		cr.system = c.accept("SYSTEM")
	}
	t := c.tok()
	switch {
	case t.is("TABLE"):
		return c.createTable(cr)
	case t.is("VIEW"):
		return c.createView(cr)
	case t.is("FUNCTION"):
		return c.createFunction(cr)
	case t.is("DATABASE"):
		return c.createDatabase(cr)
	case t.is("CATALOG"):
		return c.createCatalog(cr)
	case t.is("MATERIALIZED"), t.is("MODEL"), t.is("CONNECTION"):
		c.unsupported(t, "CREATE "+t.val)
	}
	c.fail("TABLE", "VIEW", "FUNCTION", "DATABASE", "CATALOG")
	return nil
}

func (c *cursor) ifNotExists() bool {
	if !c.accept("IF") {
		return false
	}
	c.expect("NOT", "EXISTS")
	return true
}

func (c *cursor) ifExists() bool {
	if !c.accept("IF") {
		return false
	}
	c.expect("EXISTS")
	return true
}

// comment takes COMMENT 'text', if it is next.
func (c *cursor) comment() *string {
	if !c.accept("COMMENT") {
		return nil
	}
	text := c.str("the comment")
	return &text
}

// withOptions takes WITH ('k' = 'v', …), if it is next.
func (c *cursor) withOptions() []ast.Option {
	if !c.at("WITH") {
		return nil
	}
	c.take()
	return c.options()
}

// options takes ('k' = 'v', …); there may be none between the parentheses.
func (c *cursor) options() []ast.Option {
	c.expectOp("(")
	if c.acceptOp(")") {
		return nil
	}
	var opts []ast.Option
	c.list(func() { opts = append(opts, c.option()) })
	return opts
}

func (c *cursor) option() ast.Option {
	t := c.tok()
	if t.kind == tokWord || t.kind == tokQuoted {
		c.failAt(t, "the key of an option is a string", "write '"+t.text+"' = '…'")
	}
	o := ast.Option{Pos: t.pos, Key: c.str("an option's key")}
	c.expectOp("=")
	v := c.tok()
	if v.kind == tokNumber || v.kind == tokWord {
		c.failAt(v, "the value of an option is a string", "write '"+v.text+"'")
	}
	o.ValuePos, o.Value = v.pos, c.str("an option's value")
	if next := c.tok(); next.kind == tokString {
		c.failAt(next, "expected a comma between the options", `end line-by-line options with ",": '…' = '…',`)
	}
	return o
}

func (c *cursor) createDatabase(cr creation) ast.Statement {
	c.take()
	s := &ast.CreateDatabase{IfNotExists: c.ifNotExists(), Name: c.path("a database")}
	s.Comment = c.comment()
	s.Options = c.withOptions()
	s.Source = c.source(cr.start)
	return s
}

func (c *cursor) createCatalog(cr creation) ast.Statement {
	c.take()
	s := &ast.CreateCatalog{IfNotExists: c.ifNotExists(), Name: c.ident("a catalog")}
	s.Comment = c.comment()
	s.Options = c.withOptions()
	s.Source = c.source(cr.start)
	return s
}

func (c *cursor) createView(cr creation) ast.Statement {
	c.take()
	s := &ast.CreateView{Temporary: cr.temporary, OrReplace: cr.orReplace, IfNotExists: c.ifNotExists(), Name: c.path("a view")}
	if c.atOp("(") && !c.isQuery(c.i) {
		s.Columns = c.idents("a column")
	}
	s.Comment = c.comment()
	c.expect("AS")
	s.Query, s.QueryText = c.queryWithText()
	s.Source = c.source(cr.start)
	return s
}

func (c *cursor) queryWithText() (ast.Query, string) {
	from := c.i
	q := c.queryTree()
	return q, c.textFrom(from)
}

func (c *cursor) expressionWithText() (ast.Expr, string) {
	from := c.i
	x := c.exprTree()
	return x, c.textFrom(from)
}

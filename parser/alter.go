package parser

import "github.com/sqlstream/sqlstream/parser/ast"

func (c *cursor) alter() ast.Statement {
	start := c.i
	c.take()
	switch t := c.tok(); {
	case c.accept("TABLE"):
		return c.alterTable(start)
	case c.accept("VIEW"):
		return c.alterView(start)
	case c.accept("DATABASE"):
		s := &ast.AlterDatabase{Name: c.path("a database")}
		c.expect("SET")
		s.Options = c.options()
		s.Source = c.source(start)
		return s
	case t.is("FUNCTION"), t.is("CATALOG"), t.is("MATERIALIZED"), t.is("MODEL"):
		c.unsupported(t, "ALTER "+t.val)
	}
	c.fail("TABLE", "VIEW", "DATABASE")
	return nil
}

func (c *cursor) alterView(start int) ast.Statement {
	s := &ast.AlterView{Name: c.path("a view")}
	if c.accept("RENAME") {
		c.expect("TO")
		to := c.path("a view")
		s.RenameTo = &to
	} else {
		if !c.accept("AS") {
			c.fail("AS", "RENAME TO")
		}
		s.Query, s.QueryText = c.queryWithText()
	}
	s.Source = c.source(start)
	return s
}

func (c *cursor) alterTable(start int) ast.Statement {
	s := &ast.AlterTable{IfExists: c.ifExists(), Name: c.path("a table")}
	t := c.tok()
	switch {
	case c.accept("RENAME"):
		s.Action = c.alterRename(t)
	case c.accept("SET"):
		s.Action = &ast.AlterSet{Pos: t.pos, Options: c.options()}
	case c.accept("RESET"):
		s.Action = c.alterReset(t)
	case c.accept("ADD"):
		s.Action = c.alterSchema(&ast.AlterSchema{Pos: t.pos})
	case c.accept("MODIFY"):
		s.Action = c.alterSchema(&ast.AlterSchema{Pos: t.pos, Modify: true})
	case c.accept("DROP"):
		s.Action = c.alterDrop(t)
	default:
		c.fail("RENAME", "SET", "RESET", "ADD", "MODIFY", "DROP")
	}
	s.Source = c.source(start)
	return s
}

func (c *cursor) alterRename(t *token) ast.AlterAction {
	if c.accept("TO") {
		return &ast.AlterRename{Pos: t.pos, To: c.path("a table")}
	}
	a := &ast.AlterRenameColumn{Pos: t.pos, From: c.path("a column, or TO and a table")}
	c.expect("TO")
	a.To = c.ident("a column")
	return a
}

func (c *cursor) alterReset(t *token) ast.AlterAction {
	a := &ast.AlterReset{Pos: t.pos}
	c.expectOp("(")
	c.list(func() {
		pos := c.tok().pos
		a.Keys = append(a.Keys, ast.Option{Pos: pos, Key: c.str("an option's key")})
	})
	return a
}

// alterSchema takes one item of a schema, or several in parentheses.
func (c *cursor) alterSchema(a *ast.AlterSchema) ast.AlterAction {
	if c.tok().is("PARTITION") {
		c.unsupported(c.tok(), "ADD PARTITION")
	}
	if c.acceptOp("(") {
		c.list(func() { c.alterItem(a) })
	} else {
		c.accept("COLUMN")
		c.alterItem(a)
	}
	return a
}

func (c *cursor) alterItem(a *ast.AlterSchema) {
	t := c.tok()
	switch {
	case t.is("WATERMARK") && c.peek(1).is("FOR"):
		a.Watermarks = append(a.Watermarks, c.watermark())
	case c.atKey():
		c.oneKey(t, &a.PrimaryKey, c.primaryKey())
	default:
		a.Columns = append(a.Columns, c.columnChange(a))
	}
}

// columnChange takes column [FIRST | AFTER column]. Because a column reads on to a comma, the place is
// looked for behind its type first.
func (c *cursor) columnChange(a *ast.AlterSchema) ast.ColumnChange {
	var change ast.ColumnChange
	t := c.tok()
	name := c.columnName()
	change.ColumnDef = ast.ColumnDef{Pos: name.Pos, Name: name}
	col := &change.ColumnDef
	if c.accept("AS") {
		col.Kind = ast.Computed
		col.Expr, col.ExprText = c.expressionWithText()
	} else {
		col.Type = c.typeName()
		if c.accept("METADATA") {
			c.metadata(col)
		}
		if key := c.columnKey(col); key != nil {
			c.oneKey(t, &a.PrimaryKey, key)
		}
	}
	col.Comment = c.comment()
	switch {
	case c.accept("FIRST"):
		change.First = true
	case c.accept("AFTER"):
		id := c.ident("a column")
		change.After = &id
	}
	return change
}

func (c *cursor) alterDrop(t *token) ast.AlterAction {
	a := &ast.AlterDrop{Pos: t.pos}
	switch {
	case c.accept("PRIMARY", "KEY"):
		a.PrimaryKey = true
	case c.at("CONSTRAINT"):
		c.take()
		id := c.ident("the name of the constraint")
		a.Constraint = &id
	case c.accept("WATERMARK"):
		a.Watermark = true
	case c.at("PARTITION"):
		c.unsupported(c.tok(), "DROP PARTITION")
	case c.acceptOp("("):
		c.list(func() { a.Columns = append(a.Columns, c.path("a column")) })
	default:
		c.accept("COLUMN")
		a.Columns = []ast.Path{c.path("a column")}
	}
	return a
}

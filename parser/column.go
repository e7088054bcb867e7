package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// column takes one column of a table, with the PRIMARY KEY that may stand in it.
func (c *cursor) column() (ast.ColumnDef, *ast.PrimaryKey) {
	name := c.columnName()
	col := ast.ColumnDef{Pos: name.Pos, Name: name}
	if c.accept("AS") {
		col.Kind = ast.Computed
		col.Expr, col.ExprText = c.expressionWithText()
		col.Comment = c.comment()
		return col, nil
	}
	if t := c.tok(); t.op(",") || t.op(")") {
		c.failAt(&c.toks[c.i-1], "the column "+name.Name+" has no type", "write "+name.Name+" STRING, for example")
	}
	col.Type = c.typeName()
	if c.accept("METADATA") {
		c.metadata(&col)
	}
	key := c.columnKey(&col)
	col.Comment = c.comment()
	if c.atOp(",") || c.atOp(")") {
		return col, key
	}
	c.columnEnd()
	return col, key
}

// columnName takes a name; keywords are allowed where a type or AS follows.
func (c *cursor) columnName() ast.Ident {
	return c.keywordOrIdent("a column, WATERMARK or PRIMARY KEY")
}

// metadata takes [FROM 'key'] [VIRTUAL].
func (c *cursor) metadata(col *ast.ColumnDef) {
	col.Kind = ast.Metadata
	if c.accept("FROM") {
		col.MetadataKey = c.str("the metadata key")
	}
	col.Virtual = c.accept("VIRTUAL")
}

// columnKey takes [CONSTRAINT name] PRIMARY KEY NOT ENFORCED inside a column.
func (c *cursor) columnKey(col *ast.ColumnDef) *ast.PrimaryKey {
	t := c.tok()
	if !t.is("PRIMARY") && !t.is("CONSTRAINT") {
		return nil
	}
	k := &ast.PrimaryKey{Pos: t.pos, Columns: []ast.Ident{col.Name}, Enforced: true}
	if c.accept("CONSTRAINT") {
		id := c.ident("the name of the constraint")
		k.Constraint = &id
	}
	c.expect("PRIMARY", "KEY")
	c.enforced(k)
	return k
}

// columnEnd refuses what other dialects put behind a column's type.
func (c *cursor) columnEnd() {
	t := c.tok()
	switch {
	case t.is("DEFAULT"), t.is("AUTO_INCREMENT"), t.is("UNIQUE"), t.is("CHECK"), t.is("REFERENCES"), t.is("GENERATED"),
		t.is("UNSIGNED"), t.is("CHARACTER"), t.is("COLLATE"), t.is("ON"):
		c.failAt(t, t.text+" is not part of a column in Flink SQL", "delete it; a computed column is written: name AS expression")
	case t.is("FROM"), t.is("VIRTUAL"):
		c.failAt(t, t.text+" belongs to a metadata column", "write: name TYPE METADATA FROM 'key' VIRTUAL")
	case t.kind == tokWord && t.firstOnLine && !statementWords[t.val]:
		c.failAt(t, "expected a comma before "+t.describe(), "end the line before with a comma")
	case t.kind == tokQuoted, t.kind == tokWord && typeForms[c.peek(1).val] != nil:
		c.failAt(t, "expected a comma before "+t.describe(), "")
	}
	c.fail(",", ")")
}

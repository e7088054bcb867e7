package parser

import "github.com/sqlstream/sqlstream/parser/ast"

func (c *cursor) createTable(cr creation) ast.Statement {
	c.take()
	s := &ast.CreateTable{Temporary: cr.temporary, OrReplace: cr.orReplace, IfNotExists: c.ifNotExists(), Name: c.path("a table")}
	if c.atOp("(") {
		c.take()
		c.schema(s)
	}
	s.Comment = c.comment()
	if t := c.tok(); t.is("DISTRIBUTED") {
		c.unsupported(t, "DISTRIBUTED BY")
	}
	if c.accept("PARTITIONED") {
		c.expect("BY")
		s.PartitionedBy = c.idents("a column")
	}
	s.Options = c.withOptions()
	if c.at("LIKE") {
		s.Like = c.likeClause()
	}
	if c.accept("AS") {
		s.AsQuery, s.QueryText = c.queryWithText()
	}
	c.tableEnd(s)
	s.Source = c.source(cr.start)
	return s
}

// tableEnd says what a table lacks when something else follows.
func (c *cursor) tableEnd(s *ast.CreateTable) {
	if c.atEnd() {
		return
	}
	if s.Options == nil && s.Like == nil && s.AsQuery == nil {
		if t := c.tok(); t.op("(") {
			c.failAt(t, "the options of a table stand behind WITH", "write WITH (")
		}
		c.fail("WITH (…)", "LIKE", "AS", ";")
	}
	c.fail(";")
}

// schema takes columns, watermark and keys up to the closing parenthesis.
func (c *cursor) schema(s *ast.CreateTable) {
	c.list(func() {
		t := c.tok()
		switch {
		case t.is("WATERMARK") && c.peek(1).is("FOR"):
			s.Watermarks = append(s.Watermarks, c.watermark())
		case c.atKey():
			c.oneKey(t, &s.PrimaryKey, c.primaryKey())
		default:
			col, key := c.column()
			s.Columns = append(s.Columns, col)
			if key != nil {
				c.oneKey(t, &s.PrimaryKey, key)
			}
		}
	})
}

func (c *cursor) oneKey(t *token, have **ast.PrimaryKey, key *ast.PrimaryKey) {
	if *have != nil {
		c.failAt(t, "the table has a second PRIMARY KEY", "name all key columns in one PRIMARY KEY (a, b) NOT ENFORCED")
	}
	*have = key
}

// atKey tells whether a constraint is next.
func (c *cursor) atKey() bool {
	t := c.tok()
	if t.is("UNIQUE") && c.peek(1).op("(") {
		c.failAt(t, "UNIQUE is not supported yet", "use PRIMARY KEY (…) NOT ENFORCED")
	}
	if t.is("FOREIGN") && c.peek(1).is("KEY") || t.is("CHECK") && c.peek(1).op("(") {
		c.failAt(t, t.text+" constraints are not part of Flink SQL", "")
	}
	return t.is("PRIMARY") && c.peek(1).is("KEY") || t.is("CONSTRAINT") && c.peek(2).is("PRIMARY")
}

// primaryKey takes [CONSTRAINT name] PRIMARY KEY (…) [NOT] ENFORCED.
func (c *cursor) primaryKey() *ast.PrimaryKey {
	k := &ast.PrimaryKey{Pos: c.tok().pos, Enforced: true}
	if c.accept("CONSTRAINT") {
		id := c.ident("the name of the constraint")
		k.Constraint = &id
	}
	c.expect("PRIMARY", "KEY")
	k.Columns = c.idents("a column")
	c.enforced(k)
	return k
}

func (c *cursor) enforced(k *ast.PrimaryKey) {
	switch {
	case c.accept("NOT"):
		c.expect("ENFORCED")
		k.Enforced = false
	case c.accept("ENFORCED"):
	}
}

// watermark takes WATERMARK FOR column AS expr.
func (c *cursor) watermark() ast.Watermark {
	w := ast.Watermark{Pos: c.take().pos}
	c.expect("FOR")
	w.Column = c.path("a column")
	c.expect("AS")
	w.Expr, w.ExprText = c.expressionWithText()
	return w
}

// likeClause takes LIKE source [(options)].
func (c *cursor) likeClause() *ast.Like {
	l := &ast.Like{Pos: c.take().pos, Source: c.path("a table")}
	if !c.acceptOp("(") {
		return l
	}
	for !c.acceptOp(")") {
		t := c.tok()
		l.Options = append(l.Options, ast.LikeOption{
			Pos: t.pos, Action: c.oneOf("INCLUDING", "EXCLUDING", "OVERWRITING"),
			Feature: c.oneOf("ALL", "CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS"),
		})
	}
	return l
}

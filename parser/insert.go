package parser

import "github.com/sqlstream/sqlstream/parser/ast"

func (c *cursor) insertStatement() ast.Statement { return c.insert(c.i) }

// insert takes INSERT INTO|OVERWRITE table [PARTITION (…)] [(columns)] query [ON CONFLICT DO …]; the
// statement began at token start.
func (c *cursor) insert(start int) *ast.Insert {
	if !c.accept("INSERT") {
		c.fail("INSERT")
	}
	s := &ast.Insert{}
	if s.Overwrite = c.oneOf("INTO", "OVERWRITE") == "OVERWRITE"; s.Overwrite {
		c.accept("INTO")
	}
	if t := c.tok(); t.is("TABLE") {
		c.failAt(t, "TABLE does not belong here", "write INSERT INTO name")
	}
	s.Target.Name = c.path("a table")
	s.Target.Pos = s.Target.Name.Pos
	s.Target.Hints = c.hints()
	if c.accept("PARTITION") {
		c.expectOp("(")
		c.list(func() { s.Partition = append(s.Partition, c.partitionValue()) })
	}
	if c.atOp("(") && !c.isQuery(c.i) {
		s.Columns = c.idents("a column")
	}
	if t := c.tok(); t.is("AS") {
		c.failAt(t, "AS does not belong here", "write INSERT INTO name SELECT …")
	}
	s.Query = c.queryTree()
	if c.accept("ON") {
		c.expect("CONFLICT", "DO")
		s.OnConflict = c.oneOf("ERROR", "NOTHING", "DEDUPLICATE")
	}
	s.Source = c.source(start)
	return s
}

func (c *cursor) partitionValue() ast.PartitionValue {
	v := ast.PartitionValue{Name: c.ident("a column")}
	if c.acceptOp("=") {
		v.Value = c.exprTree()
	}
	return v
}

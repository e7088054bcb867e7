package parser

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// explain takes EXPLAIN [PLAN FOR | details] statement, and EXPLAIN [ANALYZE] JOB 'id'.
func (c *cursor) explain() ast.Statement {
	start := c.i
	c.take()
	if c.at("ANALYZE", "JOB") || c.tok().is("JOB") && c.peek(1).kind == tokString {
		s := &ast.ExplainJob{Analyze: c.accept("ANALYZE")}
		c.expect("JOB")
		s.ID = c.str("the job's id")
		s.Source = c.source(start)
		return s
	}
	s := &ast.Explain{}
	if c.accept("PLAN") {
		c.expect("FOR")
	} else {
		s.Details = c.details()
	}
	s.Stmt = c.explained()
	s.Source = c.source(start)
	return s
}

var explainDetails = []string{"ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE"}

func (c *cursor) details() []string {
	var details []string
	for {
		t := c.tok()
		if t.kind != tokWord || statements[t.val] != nil || t.is("STATEMENT") {
			return details
		}
		if !slices.Contains(explainDetails, t.val) {
			c.fail("SELECT", "INSERT", "STATEMENT SET", "a detail ("+strings.Join(explainDetails, ", ")+")")
		}
		details = append(details, c.take().val)
		c.acceptOp(",")
	}
}

// explained takes the statement that is explained.
func (c *cursor) explained() ast.Statement {
	t, start := c.tok(), c.i
	switch {
	case t.is("STATEMENT"):
		return c.statementSet(start)
	case t.is("SELECT"), t.is("WITH"), t.is("VALUES"), t.op("("), t.is("INSERT"), t.is("EXECUTE"), t.is("CREATE"):
		return c.statement()
	}
	c.fail("SELECT", "INSERT", "STATEMENT SET", "CREATE TABLE … AS")
	return nil
}

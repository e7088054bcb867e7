package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// stopJob takes STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN].
func (c *cursor) stopJob() ast.Statement {
	start := c.i
	c.take()
	c.expect("JOB")
	s := &ast.StopJob{ID: c.str("the job's id")}
	for c.accept("WITH") {
		if c.oneOf("SAVEPOINT", "DRAIN") == "DRAIN" {
			s.Drain = true
		} else {
			s.Savepoint = true
		}
	}
	s.Source = c.source(start)
	return s
}

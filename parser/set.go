package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// set takes SET, SET 'key', SET 'key' = 'value' and SET key = value.
func (c *cursor) set() ast.Statement {
	start := c.i
	c.take()
	s := &ast.Set{}
	if !c.atEnd() {
		s.Key = c.settingKey()
		if c.acceptOp("=") {
			s.Keyed = true
			s.Value = c.settingValue()
		} else if !c.atEnd() {
			c.fail("=", ";")
		}
	}
	s.Source = c.source(start)
	return s
}

// settingKey takes 'a.b-c' or a.b-c.
func (c *cursor) settingKey() string {
	if c.tok().kind == tokString {
		return c.take().val
	}
	from := c.i
	for t := c.tok(); t.kind == tokWord || t.kind == tokQuoted || t.kind == tokNumber || t.kind == tokOdd || t.op(".") || t.op("-"); t = c.tok() {
		if t.firstOnLine && statementWords[t.val] {
			c.missingSemicolon(t)
		}
		c.take()
	}
	if c.i == from {
		c.fail("a key, as in SET 'key' = 'value'")
	}
	return strings.ReplaceAll(c.textFrom(from), "`", "")
}

// settingValue takes a string, or all up to the end of the statement.
func (c *cursor) settingValue() string {
	if c.tok().kind == tokString {
		return c.take().val
	}
	if c.atEnd() {
		c.fail("a value in quotes")
	}
	from := c.i
	for !c.atEnd() {
		t := c.tok()
		if t.firstOnLine && t.kind == tokWord && statementWords[t.val] {
			c.missingSemicolon(t)
		}
		if t.kind == tokString || t.kind == tokEnd {
			c.fail("a value in quotes")
		}
		c.take()
	}
	return strings.TrimSpace(c.textFrom(from))
}

// reset takes RESET and RESET 'key'.
func (c *cursor) reset() ast.Statement {
	start := c.i
	c.take()
	s := &ast.Reset{}
	if !c.atEnd() {
		s.Key = c.settingKey()
	}
	s.Source = c.source(start)
	return s
}

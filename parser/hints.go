package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// hints takes /*+ NAME(args), … */, if it is next.
func (c *cursor) hints() []ast.Hint {
	if !c.acceptOp("/*+") {
		return nil
	}
	var hints []ast.Hint
	for !c.acceptOp("*/") {
		if len(hints) > 0 {
			c.acceptOp(",")
		}
		hints = append(hints, c.hint())
	}
	return hints
}

func (c *cursor) hint() ast.Hint {
	t := c.tok()
	if t.kind != tokWord {
		c.fail("the name of a hint")
	}
	c.take()
	h := ast.Hint{Pos: t.pos, Name: t.val}
	if c.acceptOp("(") {
		c.list(func() { h.Args = append(h.Args, c.hintArg()) })
	}
	return h
}

// hintArg takes 'key' = 'value', key = value, or one value.
func (c *cursor) hintArg() ast.HintArg {
	t := c.tok()
	a := ast.HintArg{Pos: t.pos, Value: c.hintValue(), Quoted: t.kind == tokString}
	if c.acceptOp("=") {
		a.Key, a.Value = a.Value, c.hintValue()
	}
	return a
}

func (c *cursor) hintValue() string {
	t := c.tok()
	switch t.kind {
	case tokString:
		return c.take().val
	case tokNumber:
		return c.take().text
	case tokWord, tokQuoted:
		return c.path("a hint's argument").String()
	}
	c.fail("a hint's argument")
	return ""
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// cast takes CAST(x AS type) and TRY_CAST.
func (n *norm) cast() {
	t := n.take()
	c := &ast.Cast{Pos: t.pos, Try: t.val == "TRY_CAST"}
	n.expectOp("(")
	n.call(t.pos, n.expr, func(args []ast.Expr) ast.Expr {
		c.X = args[0]
		return c
	})
	n.expect("AS")
	c.Type = n.typeName()
	n.expectOp(")")
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// groupBy takes the items of GROUP BY.
func (n *norm) groupBy() {
	if t := n.tok(); t.is("ALL") || t.is("DISTINCT") {
		n.unsupported(t, "GROUP BY "+t.val)
	}
	for {
		n.groupItem()
		if !n.atOp(",") {
			return
		}
		n.take()
		n.emit(",")
	}
}

// groupItem takes (), GROUPING SETS, ROLLUP, CUBE, or an expression.
func (n *norm) groupItem() {
	t := n.tok()
	switch {
	case t.op("(") && n.peek(1).op(")"):
		n.take()
		n.take()
		n.call(t.pos, func() {}, func([]ast.Expr) ast.Expr { return &ast.Row{Pos: t.pos} })
	case n.accept("GROUPING", "SETS"):
		n.grouping(t, "GROUPING SETS")
	case (t.is("ROLLUP") || t.is("CUBE")) && n.peek(1).op("("):
		n.take()
		n.grouping(t, t.val)
	default:
		n.expr()
	}
}

// grouping takes (item, …) behind the word kind.
func (n *norm) grouping(t *token, kind string) {
	n.expectOp("(")
	n.call(t.pos, func() {
		first := true
		n.list(func() {
			if !first {
				n.emit(",")
			}
			first = false
			n.groupItem()
		})
	}, func(args []ast.Expr) ast.Expr { return &ast.Grouping{Pos: t.pos, Kind: kind, Items: args} })
}

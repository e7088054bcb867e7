package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// row takes ROW(…).
func (n *norm) row() {
	t := n.take()
	n.take()
	n.call(t.pos, func() {
		if !n.acceptOp(")") {
			n.exprList()
		}
	}, func(args []ast.Expr) ast.Expr { return &ast.Row{Pos: t.pos, Items: args, Explicit: true} })
}

// exists takes EXISTS (query).
func (n *norm) exists() {
	t := n.take()
	if !n.isQuery(n.i) {
		n.take()
		n.fail("a query")
	}
	n.take()
	n.call(t.pos, n.subquery, func(args []ast.Expr) ast.Expr {
		return &ast.Exists{Pos: t.pos, Query: args[0].(*ast.Subquery).Query}
	})
}

// collection takes ARRAY[…], MAP[…], and ARRAY(query) and its like. Without a query
// ARRAY(…), MAP(…) and MULTISET(…) are calls.
func (n *norm) collection() {
	t := n.tok()
	switch {
	case n.isQuery(n.i + 1):
		n.take()
		n.take()
		n.call(t.pos, n.subquery, func(args []ast.Expr) ast.Expr {
			return &ast.CollectionQuery{Pos: t.pos, Kind: t.val, Query: args[0].(*ast.Subquery).Query}
		})
	case n.peek(1).op("["):
		n.brackets()
	default:
		n.take()
		n.function(nameOf(t))
	}
}

// brackets takes ARRAY[…] and MAP[…].
func (n *norm) brackets() {
	t := n.take()
	n.take()
	items := 0
	n.call(t.pos, func() {
		for !n.acceptOp("]") {
			if items++; items > 1 {
				n.comma("]")
				n.emit(",")
			}
			n.expr()
		}
		if t.val == "MAP" && items%2 != 0 {
			n.failAt(t, "MAP needs a value for each key", "write MAP[key, value, …]")
		}
	}, func(args []ast.Expr) ast.Expr {
		if t.val == "MAP" {
			return &ast.Map{Pos: t.pos, Items: args}
		}
		return &ast.Array{Pos: t.pos, Items: args}
	})
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// matchRecognize takes MATCH_RECOGNIZE (…) alias behind the table of ts.
func (n *norm) matchRecognize(ts *tableSlot) {
	m := n.matchClause(ts.ref)
	ts.build = func([]ast.Expr) ast.TableExpr { return m }
	n.emit("(select 0)")
}

// matchDerived is matchRecognize behind a query, which was added from start on.
func (n *norm) matchDerived(start, num int, ts *tableSlot) {
	d := ts.derived
	m := n.matchClause(d)
	ts.build = func(args []ast.Expr) ast.TableExpr {
		d.Query = args[0].(*ast.Subquery).Query
		return m
	}
	n.wrap(start, "(select ")
	n.emit(")")
	n.name(num)
}

func (n *norm) matchClause(input ast.TableExpr) *ast.MatchRecognize {
	t := n.take()
	m := &ast.MatchRecognize{Pos: t.pos, Input: input}
	if !n.atOp("(") {
		n.fail("(")
	}
	end := int(n.match[n.i])
	if end < 0 {
		n.failAt(n.tok(), `this "(" is never closed`, "add )")
	}
	m.Text = n.src[n.tok().end:n.toks[end].off]
	n.i = end + 1
	n.alias(&m.Alias)
	return m
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// tableCall takes TABLE(f(args)) alias.
func (n *norm) tableCall(t *token, lateral bool) {
	n.take()
	if !n.atOp("(") {
		n.fail("( and a table function")
	}
	n.take()
	if k := n.tok(); k.kind != tokWord && k.kind != tokQuoted {
		n.fail("a table function")
	}
	n.tableCallBody(t, lateral, func() { n.expectOp(")") })
}

// tableFunction takes f(args) alias.
func (n *norm) tableFunction(t *token, lateral bool) { n.tableCallBody(t, lateral, func() {}) }

// tableCallBody takes f(args), what end takes, and the alias. The call becomes the item of a sub-query.
func (n *norm) tableCallBody(t *token, lateral bool, end func()) {
	var alias ast.Alias
	num := n.table(t.pos, &tableSlot{build: func(args []ast.Expr) ast.TableExpr {
		call, ok := args[0].(*ast.Call)
		if !ok {
			n.failAt(t, "expected a table function", "")
		}
		if kind := call.FuncName(); isWindowKind(kind) && len(call.Name.Parts) == 1 {
			return n.windowTVF(call, kind, alias)
		}
		return &ast.TableFunc{Pos: t.pos, Lateral: lateral, Call: call, Alias: alias}
	}})
	n.emit("(select")
	name := n.path("a table function")
	if !n.atOp("(") {
		n.fail("( and the function's arguments")
	}
	n.function(name)
	end()
	n.emit(")")
	n.alias(&alias)
	n.name(num)
}

// unnest takes UNNEST(x) [WITH ORDINALITY] alias.
func (n *norm) unnest() {
	t := n.take()
	u := &ast.Unnest{Pos: t.pos}
	num := n.table(t.pos, &tableSlot{build: func(args []ast.Expr) ast.TableExpr {
		u.X = args[0]
		return u
	}})
	n.expectOp("(")
	n.emit("(select")
	n.expr()
	n.expectOp(")")
	n.emit(")")
	if n.accept("WITH") {
		n.expect("ORDINALITY")
		u.Ordinality = true
	}
	n.alias(&u.Alias)
	n.name(num)
}

// tableArg takes TABLE name [PARTITION BY c|(c, …)] [ORDER BY c|(c, …)], as an argument.
func (n *norm) tableArg() {
	t := n.take()
	arg := &ast.TableArg{Pos: t.pos}
	keys := 0
	n.call(t.pos, func() {
		if n.isQuery(n.i) {
			n.take()
			n.subquery()
		} else {
			if arg.Name = n.path("a table"); n.atOp("(") {
				n.failAt(n.tok(), "a table function cannot be the TABLE of another one", "put it into a query: (SELECT * FROM TABLE(…))")
			}
			n.number(0)
		}
		if n.accept("PARTITION") {
			n.expect("BY")
			keys = n.argKeys(n.expr)
		}
		if n.at("ORDER") {
			n.take()
			n.expect("BY")
			n.argKeys(n.orderItem)
		}
	}, func(args []ast.Expr) ast.Expr {
		if q, ok := args[0].(*ast.Subquery); ok {
			arg.Query = q.Query
		}
		arg.PartitionBy = args[1 : 1+keys : 1+keys]
		arg.OrderBy = orderItems(args[1+keys:])
		return arg
	})
}

// argKeys takes one item, or several in parentheses, each as a further argument.
func (n *norm) argKeys(item func()) (count int) {
	one := func() {
		n.emit(",")
		item()
		count++
	}
	if n.acceptOp("(") {
		n.list(one)
	} else {
		one()
	}
	return count
}

// descriptor takes DESCRIPTOR(columns).
func (n *norm) descriptor() {
	t := n.take()
	d := &ast.Descriptor{Pos: t.pos, Columns: n.idents("a column")}
	n.call(t.pos, func() {}, func([]ast.Expr) ast.Expr { return d })
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// function takes the arguments of a call of name, and what follows them.
func (n *norm) function(name ast.Path) {
	start := len(n.out)
	c := &ast.Call{Pos: name.Pos, Name: name}
	var nargs int
	num := n.add(slot{pos: name.Pos, build: func(args []ast.Expr) ast.Expr {
		c.Args, c.OrderBy = args[:nargs:nargs], orderItems(args[nargs:])
		return c
	}})
	n.open(num)
	nargs = n.arguments(c)
	n.emit(")")
	n.suffixes(start, c)
}

// arguments takes (DISTINCT a, b IGNORE NULLS ORDER BY c) and returns the number of arguments proper.
func (n *norm) arguments(c *ast.Call) (nargs int) {
	n.expectOp("(")
	if n.acceptOp(")") {
		return 0
	}
	if n.atOp("*") {
		n.take()
		n.expectOp(")")
		c.Star = true
		return 0
	}
	if n.accept("DISTINCT") {
		c.Distinct = true
	} else if n.at("ALL") {
		n.take()
	}
	for {
		if nargs++; nargs > 1 {
			n.emit(",")
		}
		n.argument()
		if n.atOp(",") {
			n.comma(")")
			continue
		}
		break
	}
	n.nullTreatment(c)
	if n.at("ORDER", "BY") {
		n.emit(",")
		n.orderBy()
	}
	if !n.acceptOp(")") {
		n.fail(",", ")")
	}
	return nargs
}

// argument takes one argument, with or without name =>.
func (n *norm) argument() {
	t := n.tok()
	if t.kind != tokWord && t.kind != tokQuoted || !n.peek(1).op("=>") {
		n.argumentValue()
		return
	}
	n.take()
	n.take()
	n.call(t.pos, n.argumentValue, func(args []ast.Expr) ast.Expr {
		return &ast.NamedArg{Pos: t.pos, Name: t.ident(), Value: args[0]}
	})
}

// argumentValue takes an expression, TABLE t, DESCRIPTOR(c), or a query.
func (n *norm) argumentValue() {
	t := n.tok()
	switch {
	case t.is("TABLE"):
		n.tableArg()
	case t.is("DESCRIPTOR") && n.peek(1).op("("):
		n.descriptor()
	case t.is("DEFAULT") && (n.peek(1).op(",") || n.peek(1).op(")")):
		n.unsupported(t, "DEFAULT as an argument")
	default:
		n.expr()
	}
}

func (n *norm) nullTreatment(c *ast.Call) {
	switch {
	case n.accept("IGNORE", "NULLS"):
		c.Nulls = ast.IgnoreNulls
	case n.accept("RESPECT", "NULLS"):
		c.Nulls = ast.RespectNulls
	}
}

// suffixes takes WITHIN GROUP, FILTER, IGNORE NULLS and OVER behind the call that was added from start on.
func (n *norm) suffixes(start int, c *ast.Call) {
	if n.accept("WITHIN") {
		n.withinGroup(start, c)
	}
	n.nullTreatment(c)
	if n.at("FILTER") && n.peek(1).op("(") {
		n.filter(start, c)
	}
	n.nullTreatment(c)
	if n.at("OVER") {
		n.over(start, c)
	}
}

// withinGroup takes GROUP (ORDER BY …) and puts the call and the items into one call.
func (n *norm) withinGroup(start int, c *ast.Call) {
	n.expect("GROUP")
	n.expectOp("(")
	if !n.at("ORDER", "BY") {
		n.fail("ORDER BY")
	}
	num := n.add(slot{pos: c.Pos, build: func(args []ast.Expr) ast.Expr {
		c.WithinGroup = orderItems(args[1:])
		return c
	}})
	n.wrap(start, callHead(num))
	n.emit(",")
	n.orderBy()
	n.expectOp(")")
	n.emit(")")
}

func (n *norm) filter(start int, c *ast.Call) {
	n.take()
	n.take()
	n.expect("WHERE")
	num := n.add(slot{pos: c.Pos, build: func(args []ast.Expr) ast.Expr {
		c.Filter = args[1]
		return c
	}})
	n.wrap(start, callHead(num))
	n.emit(",")
	n.expr()
	n.expectOp(")")
	n.emit(")")
}

// orderItem is an item of ORDER BY while it travels through the arguments of a call.
type orderItem struct {
	ast.Expr
	item ast.OrderItem
}

// orderItems are the items that travelled as args.
func orderItems(args []ast.Expr) []ast.OrderItem {
	var items []ast.OrderItem
	for _, a := range args {
		items = append(items, a.(orderItem).item)
	}
	return items
}

// orderBy takes ORDER BY and its items; it adds them as arguments, or as items of an ORDER BY of TiDB's, without the words.
func (n *norm) orderBy() {
	n.expect("ORDER", "BY")
	for {
		n.orderItem()
		if !n.acceptOp(",") {
			return
		}
		n.emit(",")
	}
}

// orderItem takes expr [ASC|DESC] [NULLS FIRST|LAST].
func (n *norm) orderItem() {
	t := n.tok()
	item := &ast.OrderItem{Pos: t.pos}
	n.call(t.pos, n.expr, func(args []ast.Expr) ast.Expr {
		item.X = args[0]
		return orderItem{Expr: args[0], item: *item}
	})
	if n.accept("DESC") {
		item.Desc = true
	} else {
		n.accept("ASC")
	}
	switch {
	case n.accept("NULLS", "FIRST"):
		item.Nulls = ast.NullsFirst
	case n.accept("NULLS", "LAST"):
		item.Nulls = ast.NullsLast
	case n.at("NULLS"):
		n.take()
		n.fail("FIRST", "LAST")
	}
}

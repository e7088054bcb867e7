package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// over takes OVER name or OVER (spec) behind the call that was added from start on. For TiDB an
// aggregate around the call carries the specification.
func (n *norm) over(start int, c *ast.Call) {
	t := n.take()
	c.Over = &ast.WindowSpec{Pos: t.pos}
	n.wrap(start, "sum(")
	n.emit(") over")
	if n.atOp("(") {
		n.spec(c.Over)
		return
	}
	if p := n.tok(); p.is("PARTITION") || p.is("ORDER") {
		n.failAt(p, "the window behind OVER needs parentheses", "write OVER (PARTITION BY … ORDER BY …)")
	}
	c.Over.Bare = true
	n.windowRef(c.Over)
}

func (n *norm) windowRef(spec *ast.WindowSpec) {
	id := n.ident("the name of a window, or (")
	spec.Ref = &id
	n.name(n.add(slot{pos: id.Pos, what: &id}))
}

// spec takes ([name] [PARTITION BY …] [ORDER BY …] [frame]) and notes in spec what TiDB does not keep.
func (n *norm) spec(spec *ast.WindowSpec) {
	if !spec.Pos.IsValid() {
		spec.Pos = n.tok().pos
	}
	n.expectOp("(")
	n.emit("(")
	t := n.tok()
	if (t.kind == tokWord || t.kind == tokQuoted) && !t.is("PARTITION") && !t.is("ORDER") && !t.is("ROWS") && !t.is("RANGE") {
		n.windowRef(spec)
	}
	if n.accept("PARTITION") {
		n.expect("BY")
		n.emit("partition by")
		n.partitionBy()
	}
	if n.at("ORDER") {
		n.emit("order by")
		n.orderBy()
	}
	n.frame(spec)
	if !n.acceptOp(")") {
		n.specOrder()
	}
	n.emit(")")
}

// specOrder refuses what cannot go on with a window.
func (n *norm) specOrder() {
	if t := n.tok(); t.is("PARTITION") || t.is("ORDER") {
		n.failAt(t, t.val+" BY stands in the wrong place", "the order is PARTITION BY, ORDER BY, ROWS or RANGE")
	}
	n.fail(")", "PARTITION BY", "ORDER BY", "ROWS", "RANGE")
}

func (n *norm) partitionBy() {
	for {
		n.expr()
		if !n.acceptOp(",") {
			return
		}
		n.emit(",")
	}
}

// frame takes ROWS|RANGE bound, or BETWEEN bound AND bound.
func (n *norm) frame(spec *ast.WindowSpec) {
	t := n.tok()
	if !t.is("ROWS") && !t.is("RANGE") {
		return
	}
	n.take()
	spec.Frame = &ast.Frame{Pos: t.pos}
	n.emit(t.val)
	if !n.accept("BETWEEN") {
		n.bound(&spec.Frame.Start)
		spec.Frame.End.Pos = spec.Frame.Start.Pos
		return
	}
	n.emit("between")
	n.bound(&spec.Frame.Start)
	n.expect("AND")
	n.emit("and")
	n.bound(&spec.Frame.End)
}

// bound takes UNBOUNDED PRECEDING, n PRECEDING, CURRENT ROW and their like.
func (n *norm) bound(b *ast.Bound) {
	t := n.tok()
	b.Pos = t.pos
	switch {
	case n.accept("CURRENT"):
		n.expect("ROW")
		n.emit("current row")
		return
	case n.accept("UNBOUNDED"):
		n.emit("unbounded")
	case t.is("INTERVAL"):
		n.number(n.add(slot{pos: t.pos, what: n.interval()}))
	case t.kind == tokNumber:
		n.take()
		n.number(n.add(slot{pos: t.pos, what: literalOf(t)}))
	default:
		n.fail("UNBOUNDED", "CURRENT ROW", "a number of rows", "an interval")
	}
	switch d := n.tok(); {
	case d.is("PRECEDING"), d.is("FOLLOWING"):
		n.take()
		n.emit(d.val)
	default:
		n.fail("PRECEDING", "FOLLOWING")
	}
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// predicate takes IS, IN, BETWEEN, LIKE, SIMILAR TO or OVERLAPS behind an operand, if one is there.
// IS becomes the right side of TiDB's <=>, which has the precedence of a comparison;
// LIKE and its like become LIKE with a call that holds the pattern.
func (n *norm) predicate() bool {
	t := n.tok()
	if t.kind != tokWord {
		return false
	}
	switch t.val {
	case "IS":
		n.isPredicate()
	case "IN":
		n.in(false)
	case "BETWEEN":
		n.between(false)
	case "LIKE":
		n.like(false, false, "LIKE")
	case "SIMILAR":
		n.like(false, true, "SIMILAR", "TO")
	case "OVERLAPS":
		n.overlaps()
	case "NOT":
		return n.notPredicate()
	default:
		return false
	}
	return true
}

func (n *norm) notPredicate() bool {
	next := n.peek(1)
	switch {
	case next.is("IN"):
		n.take()
		n.in(true)
	case next.is("BETWEEN"):
		n.take()
		n.between(true)
	case next.is("LIKE"):
		n.take()
		n.like(true, false, "LIKE")
	case next.is("SIMILAR"):
		n.take()
		n.like(true, true, "SIMILAR", "TO")
	case next.is("NULL"):
		n.failAt(n.tok(), "NOT NULL needs IS before it", "write IS NOT NULL")
	case next.is("REGEXP"), next.is("RLIKE"), next.is("ILIKE"):
		n.foreignWord(next)
	default:
		n.take()
		n.fail("IN", "BETWEEN", "LIKE", "SIMILAR TO")
	}
	return true
}

// isPredicate takes IS …, and of IS DISTINCT FROM the first operand on its right.
func (n *norm) isPredicate() {
	t := n.take()
	not := n.accept("NOT")
	if n.accept("DISTINCT") {
		n.expect("FROM")
		op := ast.OpIsDistinct
		if not {
			op = ast.OpIsNotDistinct
		}
		n.emit("<=>")
		n.name(n.add(slot{pos: t.pos, what: &op}))
		n.emit("<=>")
		n.arith()
		return
	}
	n.emit("<=>")
	n.name(n.add(slot{pos: t.pos, what: &ast.Is{Not: not, What: n.isWhat()}}))
}

func (n *norm) isWhat() string {
	t := n.tok()
	switch {
	case t.is("NULL"), t.is("TRUE"), t.is("FALSE"), t.is("UNKNOWN"):
		n.take()
		return t.val
	case t.is("JSON"):
		n.take()
		switch k := n.tok(); {
		case k.is("VALUE"), k.is("OBJECT"), k.is("ARRAY"), k.is("SCALAR"):
			n.take()
			return "JSON " + k.val
		}
		return "JSON"
	}
	n.fail("NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT FROM", "JSON")
	return ""
}

// startsPredicate tells whether IN, BETWEEN, LIKE or their like is next.
func (n *norm) startsPredicate() bool {
	t := n.tok()
	if t.is("NOT") {
		t = n.peek(1)
	}
	return t.is("IN") || t.is("BETWEEN") || t.is("LIKE") || t.is("SIMILAR") || t.is("OVERLAPS")
}

// emitNot adds not, if so.
func (n *norm) emitNot(not bool) {
	if not {
		n.emit("not")
	}
}

func (n *norm) in(not bool) {
	n.take()
	n.emitNot(not)
	n.emit("in")
	if !n.atOp("(") {
		n.fail("(")
	}
	query := n.isQuery(n.i)
	n.take()
	if query {
		n.subquery()
		return
	}
	n.emit("(")
	n.exprList()
	n.emit(")")
}

// exprList takes expr, expr, … and the closing parenthesis; it adds them without it.
func (n *norm) exprList() {
	first := true
	n.list(func() {
		if !first {
			n.emit(",")
		}
		first = false
		n.expr()
	})
}

func (n *norm) between(not bool) {
	t := n.take()
	n.emitNot(not)
	n.emit("between")
	if n.accept("SYMMETRIC") {
		n.name(n.add(slot{pos: t.pos, what: mark("SYMMETRIC")}))
		n.emit("|")
	} else {
		n.accept("ASYMMETRIC")
	}
	n.arith()
	if !n.accept("AND") {
		n.fail("AND and the upper bound of BETWEEN")
	}
	n.emit("and")
	n.arith()
}

func (n *norm) like(not, similarTo bool, words ...string) {
	t := n.tok()
	n.expect(words...)
	n.emitNot(not)
	n.emit("like")
	n.open(n.add(slot{pos: t.pos, what: &ast.LikeExpr{Similar: similarTo}}))
	n.arith()
	if n.accept("ESCAPE") {
		n.emit(",")
		n.arith()
	}
	n.emit(")")
}

func (n *norm) overlaps() {
	t := n.take()
	n.emit("like")
	n.open(n.add(slot{pos: t.pos, what: mark("OVERLAPS")}))
	n.operand()
	n.emit(")")
}

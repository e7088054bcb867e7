package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// limits takes LIMIT n, OFFSET n ROWS and FETCH FIRST n ROWS ONLY, in any order.
func (n *norm) limits() {
	limit, offset := 0, 0
	for {
		t := n.tok()
		switch {
		case t.is("LIMIT"):
			n.take()
			n.once(t, limit)
			if !n.accept("ALL") {
				limit = n.count("LIMIT")
			}
			if n.atOp(",") {
				n.failAt(n.tok(), "LIMIT with a comma is MySQL's", "write LIMIT count OFFSET start")
			}
		case t.is("OFFSET"):
			n.take()
			n.once(t, offset)
			offset = n.count("OFFSET")
			n.rows()
		case t.is("FETCH"):
			n.take()
			n.once(t, limit)
			limit = n.fetch()
		default:
			n.emitLimits(limit, offset)
			return
		}
	}
}

func (n *norm) once(t *token, slot int) {
	if slot != 0 {
		n.failAt(t, t.val+" is given twice", "")
	}
}

// count takes a number of rows and returns its slot.
func (n *norm) count(what string) int {
	t := n.tok()
	if t.kind != tokNumber || numberKind(t.text) != ast.IntegerNumber {
		n.fail("a whole number of rows, 0 or more, behind " + what)
	}
	n.take()
	return n.add(slot{pos: t.pos, what: literalOf(t)})
}

func (n *norm) rows() {
	if !n.accept("ROWS") {
		n.accept("ROW")
	}
}

// fetch takes FIRST|NEXT [n] ROWS ONLY behind FETCH.
func (n *norm) fetch() int {
	if !n.accept("FIRST") && !n.accept("NEXT") {
		n.fail("FIRST", "NEXT")
	}
	var num int
	if t := n.tok(); t.is("ROW") || t.is("ROWS") {
		num = n.add(slot{pos: t.pos, what: &ast.NumberLit{Pos: t.pos, Text: "1"}})
	} else {
		num = n.count("FETCH FIRST")
	}
	n.rows()
	n.expect("ONLY")
	return num
}

// emitLimits adds LIMIT and OFFSET; slot 0 stands for none.
func (n *norm) emitLimits(limit, offset int) {
	if limit == 0 && offset == 0 {
		return
	}
	n.emit("limit")
	n.number(limit)
	n.emit("offset")
	n.number(offset)
}

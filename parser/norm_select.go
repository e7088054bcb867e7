package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// selectBlock takes SELECT up to its last clause before ORDER BY.
func (n *norm) selectBlock() {
	t := n.take()
	sel := &selectSlot{pos: t.pos}
	if n.atOp("/*+") {
		sel.hints = n.hints()
	}
	if n.accept("DISTINCT") {
		sel.distinct = true
	} else if n.at("ALL") {
		n.take()
	}
	n.markSelect(sel)
	for {
		n.emit(",")
		n.selectItem()
		if !n.atOp(",") {
			break
		}
		n.selectComma()
	}
	if n.accept("FROM") {
		n.emit("from")
		n.from()
		n.clauses(sel)
		return
	}
	if t := n.tok(); t.is("WHERE") || t.is("GROUP") || t.is("HAVING") {
		n.failAt(t, t.val+" needs a FROM before it", "")
	}
}

// selectComma takes a comma of the select list or of FROM, which may not be the last one.
func (n *norm) selectComma() {
	t := n.take()
	if next := n.tok(); next.kind == tokEnd || next.op(")") || clauseBegins(next) && !next.is("VALUES") && !next.is("WITH") {
		n.failAt(t, "a comma before "+next.describe()+" has nothing behind it", "delete the comma")
	}
}

// selectItem takes *, t.*, or expr [[AS] alias].
func (n *norm) selectItem() {
	if n.star() {
		return
	}
	n.expr()
	t := n.tok()
	switch {
	case n.accept("AS"):
		n.itemAlias(n.ident("an alias"))
	case t.kind == tokQuoted, t.kind == tokWord && ast.BareAlias(t.val):
		n.take()
		n.itemAlias(t.ident())
	}
}

func (n *norm) itemAlias(id ast.Ident) {
	n.emit("as")
	n.name(n.add(slot{pos: id.Pos, what: &id}))
}

// star takes * or path.*, if that is next.
func (n *norm) star() bool {
	i := n.i
	for (n.toks[i].kind == tokWord || n.toks[i].kind == tokQuoted) && n.toks[i+1].op(".") {
		i += 2
	}
	if !n.toks[i].op("*") {
		return false
	}
	s := &ast.Star{Pos: n.tok().pos}
	for ; n.i < i; n.i += 2 {
		s.Qualifier = append(s.Qualifier, n.tok().ident())
	}
	n.take()
	n.leaf(s.Pos, s)
	return true
}

// clauses takes WHERE, GROUP BY, HAVING, WINDOW and QUALIFY.
func (n *norm) clauses(sel *selectSlot) {
	if n.accept("WHERE") {
		n.emit("where")
		n.expr()
	}
	if n.at("GROUP") {
		n.take()
		n.expect("BY")
		n.emit("group by")
		n.groupBy()
	}
	n.havingAndQualify(sel)
	n.misplacedClause()
}

// havingAndQualify takes HAVING, WINDOW, QUALIFY. TiDB gets both conditions in its HAVING, and WINDOW after it.
func (n *norm) havingAndQualify(sel *selectSlot) {
	start := len(n.out)
	if sel.having = n.accept("HAVING"); sel.having {
		n.expr()
	}
	window := ""
	if n.at("WINDOW") {
		at := len(n.out)
		n.windows()
		window = string(n.out[at:])
		n.out = n.out[:at]
	}
	t := n.tok()
	if sel.qualify = n.accept("QUALIFY"); sel.qualify {
		if sel.having {
			n.emit(",")
		}
		n.expr()
		n.wrap(start, callHead(n.add(slot{pos: t.pos, what: mark("QUALIFY")})))
		n.emit(")")
	}
	if sel.having || sel.qualify {
		n.wrap(start, "having ")
	}
	n.emit(window)
}

// misplacedClause refuses clauses that stand too late.
func (n *norm) misplacedClause() {
	t := n.tok()
	if t.kind != tokWord {
		return
	}
	switch t.val {
	case "WHERE", "GROUP", "HAVING", "WINDOW", "FROM":
		n.failAt(t, t.val+" stands in the wrong place", "the order is FROM, WHERE, GROUP BY, HAVING, WINDOW, QUALIFY, ORDER BY, LIMIT; each at most once")
	}
}

// windows takes WINDOW name AS (spec), ….
func (n *norm) windows() {
	n.take()
	n.emit("window")
	for {
		id := n.ident("the name of a window")
		w := &ast.NamedWindow{Pos: id.Pos, Name: id, Spec: &ast.WindowSpec{}}
		n.name(n.add(slot{pos: id.Pos, what: w}))
		n.expect("AS")
		n.emit("as")
		n.spec(w.Spec)
		if !n.acceptOp(",") {
			return
		}
		n.emit(",")
	}
}

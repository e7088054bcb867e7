package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// tableSlot is an item of FROM. To TiDB it is a table's name, or a sub-query whose alias is the slot.
type tableSlot struct {
	// ref is the finished table, without build.
	ref *ast.TableRef
	// derived gets its query from TiDB's sub-query.
	derived *ast.Derived
	// build makes the table of the items of a sub-query.
	build func(args []ast.Expr) ast.TableExpr
	// join is the join whose right side begins here.
	join *joinSlot
}

// joinSlot is a join: what TiDB does not know of it.
type joinSlot struct {
	pos            ast.Pos
	kind           ast.JoinKind
	comma, natural bool
	on             bool
	using          []ast.Ident
}

// from takes the items of FROM, with joins and commas between them.
func (n *norm) from() {
	n.joined()
	for i := 0; n.atOp(","); i++ {
		n.inChain(i)
		t := n.tok()
		n.selectComma()
		n.emit(",")
		n.join = &joinSlot{pos: t.pos, kind: ast.CrossJoin, comma: true}
		n.joined()
	}
}

// joined takes tables with joins between them.
func (n *norm) joined() {
	n.tableItem()
	for i := 0; ; i++ {
		n.inChain(i)
		j := n.joinWords()
		if j == nil {
			return
		}
		n.join = j
		// To TiDB each join is a left one with a condition, which leaves no doubt about their order.
		n.emit("left join")
		n.tableItem()
		n.emit("on")
		n.joinCondition(j)
	}
}

// joinWords takes the words of a join, if they are next.
func (n *norm) joinWords() *joinSlot {
	t := n.tok()
	if t.kind != tokWord {
		return nil
	}
	j := &joinSlot{pos: t.pos, kind: ast.InnerJoin, natural: n.accept("NATURAL")}
	switch k := n.tok(); {
	case n.accept("INNER"):
	case n.accept("CROSS"):
		j.kind = ast.CrossJoin
	case k.is("LEFT"), k.is("RIGHT"), k.is("FULL"):
		n.take()
		n.accept("OUTER")
		j.kind = ast.JoinKind(k.val)
		if s := n.tok(); s.is("SEMI") || s.is("ANTI") {
			n.failAt(s, s.val+" joins are written with IN or EXISTS", "write WHERE [NOT] EXISTS (SELECT …)")
		}
	case k.is("JOIN"):
	case k.is("STRAIGHT_JOIN"):
		n.failAt(k, "STRAIGHT_JOIN is MySQL's", "write JOIN")
	case j.natural:
		n.fail("JOIN")
	default:
		return nil
	}
	n.expect("JOIN")
	return j
}

// joinCondition takes ON or USING behind the right side of j; without one TiDB gets slot 0.
func (n *norm) joinCondition(j *joinSlot) {
	t := n.tok()
	needed := !j.natural && j.kind != ast.CrossJoin
	switch {
	case !needed && (t.is("ON") || t.is("USING")):
		n.failAt(t, "a CROSS or NATURAL join has no "+t.val, "write JOIN … "+t.val)
	case n.accept("ON"):
		j.on = true
		n.expr()
		return
	case n.accept("USING"):
		j.using = n.idents("a column")
	case needed && n.startsJoin(t):
		n.failAt(t, "the join before has no ON or USING yet", "write the condition of each join behind its table, or put the inner join in parentheses")
	case needed:
		n.fail("ON", "USING")
	}
	n.number(0)
}

func (n *norm) startsJoin(t *token) bool {
	return t.is("JOIN") || t.is("INNER") || t.is("LEFT") || t.is("RIGHT") || t.is("FULL") || t.is("CROSS")
}

// tableItem takes one item of FROM.
func (n *norm) tableItem() {
	t := n.tok()
	switch {
	case t.op("(") && n.isQuery(n.i):
		n.derived(t, false)
	case t.op("("):
		n.parenJoin()
	case t.is("LATERAL"):
		n.lateral()
	case t.is("TABLE"):
		n.tableCall(t, false)
	case t.is("UNNEST") && n.peek(1).op("("):
		n.unnest()
	case (t.kind == tokWord && !ast.Reserved(t.val)) && n.peek(1).op("("):
		n.tableFunction(t, false)
	case t.is("SELECT") && !t.firstOnLine:
		n.failAt(t, "a query in FROM needs parentheses", "write (SELECT …) AS name")
	case t.kind == tokWord || t.kind == tokQuoted:
		n.tableRef()
	default:
		n.fail("a table", "a query in parentheses")
	}
	n.afterTable()
}

// afterTable takes MATCH_RECOGNIZE, and refuses what other dialects put behind a table.
func (n *norm) afterTable() {
	t := n.tok()
	switch {
	case t.is("TABLESAMPLE"), t.is("PIVOT"), t.is("UNPIVOT"):
		n.unsupported(t, t.val)
	case t.is("USE"), t.is("FORCE"), t.is("IGNORE"):
		if n.peek(1).is("INDEX") || n.peek(1).is("KEY") {
			n.failAt(t, "index hints are MySQL's", "")
		}
	}
}

// parenJoin takes (table JOIN table …).
func (n *norm) parenJoin() {
	n.nest(func() {
		n.take()
		n.emit("(")
		n.from()
		n.expectOp(")")
		n.emit(")")
	})
}

// table adds a slot for an item of FROM and returns its number.
func (n *norm) table(pos ast.Pos, ts *tableSlot) int {
	ts.join, n.join = n.join, nil
	return n.add(slot{pos: pos, what: ts})
}

// tableRef takes a table's name with hints, FOR SYSTEM_TIME and alias.
func (n *norm) tableRef() {
	ref := &ast.TableRef{Name: n.path("a table")}
	ref.Pos = ref.Name.Pos
	ts := &tableSlot{ref: ref}
	num := n.table(ref.Pos, ts)
	ref.Hints = n.hints()
	if n.at("FOR", "SYSTEM_TIME") {
		n.asOf(ts)
	}
	n.alias(&ref.Alias)
	ref.Hints = append(ref.Hints, n.hints()...)
	if n.at("MATCH_RECOGNIZE") && ts.build == nil {
		n.matchRecognize(ts)
	}
	n.name(num)
}

// asOf takes FOR SYSTEM_TIME AS OF x.
func (n *norm) asOf(ts *tableSlot) {
	n.take()
	n.take()
	n.expect("AS", "OF")
	ts.build = func(args []ast.Expr) ast.TableExpr {
		ts.ref.AsOf = args[0]
		return ts.ref
	}
	n.emit("(select")
	n.expr()
	n.emit(")")
}

// derived takes (query) alias.
func (n *norm) derived(t *token, lateral bool) {
	d := &ast.Derived{Pos: t.pos, Lateral: lateral}
	ts := &tableSlot{derived: d}
	num := n.table(t.pos, ts)
	start := len(n.out)
	n.take()
	n.subquery()
	n.alias(&d.Alias)
	if n.at("MATCH_RECOGNIZE") {
		n.matchDerived(start, num, ts)
		return
	}
	n.name(num)
}

func (n *norm) lateral() {
	t := n.take()
	switch next := n.tok(); {
	case next.op("(") && n.isQuery(n.i):
		n.derived(next, true)
	case next.is("TABLE"):
		n.tableCall(t, true)
	case next.is("UNNEST"):
		n.unnest()
	case (next.kind == tokWord || next.kind == tokQuoted) && n.peek(1).op("("):
		n.tableFunction(t, true)
	default:
		n.fail("TABLE(", "(SELECT")
	}
}

// alias takes [AS] name [(columns)].
func (n *norm) alias(a *ast.Alias) {
	t := n.tok()
	switch {
	case n.accept("AS"):
		id := n.ident("an alias")
		a.Name = &id
	case t.kind == tokQuoted, t.kind == tokWord && ast.BareAlias(t.val):
		n.take()
		id := t.ident()
		a.Name = &id
	default:
		return
	}
	if n.atOp("(") {
		a.Columns = n.idents("a column")
	}
}

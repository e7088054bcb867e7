package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// selectSlot is the first item of every SELECT that TiDB gets: what TiDB does not keep.
type selectSlot struct {
	pos      ast.Pos
	values   bool      // VALUES: the items are the rows
	ctes     []ast.CTE // WITH: the items are their queries and the body
	distinct bool
	hints    []ast.Hint
	having   bool
	qualify  bool
	// setOp is the place of the set operator in front, if there is one.
	setOp *ast.Pos
}

// isQuery tells whether the token with index i opens a parenthesis around a query
// (and not around an expression or a join that begins with one).
func (c *cursor) isQuery(i int) bool {
	for depth := 0; depth < maxDepth && i+1 < len(c.toks) && c.toks[i].op("("); depth++ {
		next := &c.toks[i+1]
		if next.is("SELECT") || next.is("WITH") || next.is("VALUES") {
			return c.wrapsQuery(i, depth)
		}
		i++
	}
	return false
}

// wrapsQuery tells whether each of the depth parentheses before index i also holds nothing but a query.
func (c *cursor) wrapsQuery(i, depth int) bool {
	for ; depth > 0; depth-- {
		end := int(c.match[i])
		if end < 0 || end+1 >= len(c.toks) {
			return true // an error anyway
		}
		if t := &c.toks[end+1]; !t.op(")") && !continuesQuery(t) {
			return false
		}
		i--
	}
	return true
}

// continuesQuery tells whether t may follow a query in parentheses, inside a longer query.
func continuesQuery(t *token) bool {
	if t.kind != tokWord {
		return false
	}
	switch t.val {
	case "UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "LIMIT", "OFFSET", "FETCH":
		return true
	}
	return false
}

// query takes a whole query: WITH, set operations, ORDER BY, LIMIT.
func (n *norm) query() {
	n.nest(func() {
		if n.at("WITH") {
			n.with()
			return
		}
		n.queryBody()
		n.tail()
	})
}

// with takes WITH name AS (query), … body. To TiDB it is a SELECT whose items are the queries and the body:
// its own WITH forgets one that stands in parentheses behind another.
func (n *norm) with() {
	t := n.take()
	if n.at("RECURSIVE") {
		n.unsupported(n.tok(), "WITH RECURSIVE")
	}
	s := &selectSlot{pos: t.pos}
	n.markSelect(s)
	for {
		s.ctes = append(s.ctes, n.cte())
		if !n.acceptOp(",") {
			break
		}
	}
	if n.at("INSERT") {
		n.failAt(t, "WITH cannot stand before INSERT", "write INSERT INTO "+n.insertTarget()+" WITH … SELECT …")
	}
	n.emit(", (")
	n.queryBody()
	n.tail()
	n.emit(")")
}

// insertTarget is the table's name behind INSERT INTO, for a message.
func (n *norm) insertTarget() string {
	if t := n.peek(2); t.kind == tokWord || t.kind == tokQuoted {
		return t.text
	}
	return "target"
}

func (n *norm) cte() ast.CTE {
	cte := ast.CTE{Name: n.ident("the name of a query")}
	cte.Pos = cte.Name.Pos
	if n.atOp("(") {
		cte.Columns = n.idents("a column")
	}
	n.expect("AS")
	n.emit(",")
	n.expectOp("(")
	n.subquery()
	return cte
}

// queryBody takes SELECT, VALUES or a query in parentheses, and set operations between them.
func (n *norm) queryBody() {
	n.queryOperand()
	for i := 0; ; i++ {
		n.inChain(i)
		t := n.tok()
		if t.kind != tokWord {
			return
		}
		switch t.val {
		case "UNION", "INTERSECT", "EXCEPT":
			n.emit(t.val)
		case "MINUS":
			n.emit("except")
		default:
			return
		}
		n.take()
		if n.accept("ALL") {
			n.emit("all")
		} else {
			n.accept("DISTINCT")
		}
		n.setOp = &t.pos
		n.queryOperand()
	}
}

func (n *norm) queryOperand() {
	t := n.tok()
	switch {
	case t.is("SELECT"):
		n.selectBlock()
	case t.is("VALUES"):
		n.values()
	case t.op("("):
		n.take()
		n.subquery()
	case t.is("TABLE"):
		n.unsupported(t, "TABLE name as a query")
	default:
		n.fail("SELECT", "VALUES", "WITH")
	}
}

// markSelect adds the first item of a SELECT.
func (n *norm) markSelect(s *selectSlot) {
	s.setOp, n.setOp = n.setOp, nil
	n.emit("select")
	n.name(n.add(slot{pos: s.pos, what: s}))
}

// values takes VALUES (…), (…); each row is an item of a SELECT.
func (n *norm) values() {
	t := n.take()
	n.markSelect(&selectSlot{pos: t.pos, values: true})
	for {
		n.emit(",")
		n.valuesRow()
		if !n.atOp(",") {
			return
		}
		n.comma(")")
	}
}

func (n *norm) valuesRow() {
	t := n.tok()
	build := func(args []ast.Expr) ast.Expr { return &ast.Row{Pos: t.pos, Items: args} }
	n.accept("ROW")
	if n.atOp("(") && !n.isQuery(n.i) {
		n.take()
		n.call(t.pos, n.exprList, build)
		return
	}
	n.call(t.pos, n.expr, build)
}

// tail takes ORDER BY, LIMIT, OFFSET and FETCH.
func (n *norm) tail() {
	if n.at("ORDER", "BY") {
		n.emit("order by")
		n.orderBy()
	} else if n.at("ORDER") {
		n.take()
		n.fail("BY")
	}
	n.limits()
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// expr normalises one expression, up to the first token that cannot go on with it.
func (n *norm) expr() { n.nest(func() { n.chain(true) }) }

// arith normalises an operand of a predicate: no comparison, NOT, AND or OR outside parentheses.
func (n *norm) arith() { n.nest(func() { n.chain(false) }) }

// chain walks operand, operator, operand, …
func (n *norm) chain(full bool) {
	not := full
	for i := 0; ; i++ {
		n.inChain(i)
		n.prefixes(not)
		n.operand()
		if full && n.predicates() {
			n.needParens()
		}
		t := n.tok()
		if !n.binary(full) {
			return
		}
		not = t.is("AND") || t.is("OR")
	}
}

// prefixes takes signs, and NOT where it may stand.
func (n *norm) prefixes(not bool) {
	for i := 0; ; i++ {
		n.inChain(i)
		t := n.tok()
		switch {
		case t.op("-"), t.op("+"):
			n.take()
			n.emit(t.text)
			not = false
		case not && t.is("NOT"):
			n.take()
			n.emit("not")
		case t.is("NOT"):
			n.failAt(t, "NOT needs parentheses here", "write (NOT …)")
		default:
			return
		}
	}
}

// predicates takes what may follow an operand: IN, BETWEEN, LIKE and their like once, then IS any number of times.
func (n *norm) predicates() (any bool) {
	for i := 0; ; i++ {
		n.inChain(i)
		t, is := n.tok(), n.at("IS")
		if any && !is && n.startsPredicate() {
			n.failAt(t, "a second predicate needs parentheses around the first", "write (…) "+t.text)
		}
		if !n.predicate() {
			return any
		}
		any = true
	}
}

// needParens refuses arithmetic on a predicate that has no parentheses around it.
func (n *norm) needParens() {
	switch t := n.tok(); {
	case t.op("+"), t.op("-"), t.op("*"), t.op("/"), t.op("%"), t.op("||"), t.op("["):
		n.failAt(t, "the predicate before "+t.describe()+" needs parentheses", "")
	}
}

// binary takes an operator between two operands, if there is one.
func (n *norm) binary(full bool) bool {
	t := n.tok()
	if t.kind == tokWord {
		return full && n.logical(t)
	}
	if t.kind != tokOp {
		return false
	}
	switch t.text {
	case "+", "-", "*", "/", "%", "||":
		n.take()
		n.emit(t.text)
		return true
	case "=", "<>", "!=", "<", "<=", ">", ">=":
		if !full {
			return false
		}
		n.foreignOperator(t)
		n.take()
		n.emit(t.text)
		return !n.quantified()
	}
	n.foreignOperator(t)
	return false
}

func (n *norm) logical(t *token) bool {
	switch t.val {
	case "AND", "OR":
		n.take()
		n.emit(t.val)
		return true
	}
	n.foreignWord(t)
	return false
}

// quantified takes ANY (query) or ALL (query) behind a comparison. It counts as a whole operand,
// after which a further operator may follow.
func (n *norm) quantified() bool {
	t := n.tok()
	if !(t.is("ANY") || t.is("SOME") || t.is("ALL")) || !n.peek(1).op("(") {
		return false
	}
	n.take()
	n.take()
	n.emitQuantified(t)
	return !n.binary(true)
}

func (n *norm) emitQuantified(t *token) {
	all := t.val == "ALL"
	num := n.add(slot{pos: t.pos, what: &quantSlot{all: all}})
	n.open(num)
	n.subquery()
	n.emit(")")
}

// quantSlot is ANY or ALL in front of a query.
type quantSlot struct{ all bool }

// operand takes one operand with what may follow it: fields, subscripts.
func (n *norm) operand() {
	start, t := len(n.out), n.tok()
	if t.kind == tokNumber || t.kind == tokString || t.kind == tokBinary {
		n.literal(t)
		return
	}
	plain := n.primary(t)
	for i := 0; ; i++ {
		n.inChain(i * maxChain / maxDepth) // each link copies what is before it
		switch {
		case n.atOp("["):
			n.subscript(start, t.pos)
		case n.atOp(".") && !plain:
			n.field(start, t.pos)
		default:
			return
		}
		plain = false
	}
}

// subscript takes [index] behind the operand that was added from start on.
func (n *norm) subscript(start int, pos ast.Pos) {
	n.take()
	num := n.add(slot{pos: pos, build: func(args []ast.Expr) ast.Expr {
		return &ast.Index{Pos: pos, X: args[0], I: args[1]}
	}})
	n.wrap(start, callHead(num))
	n.emit(",")
	n.expr()
	n.expectOp("]")
	n.emit(")")
}

// field takes .name behind the operand that was added from start on.
func (n *norm) field(start int, pos ast.Pos) {
	n.take()
	id := n.member()
	num := n.add(slot{pos: pos, build: func(args []ast.Expr) ast.Expr {
		return &ast.Field{Pos: pos, X: args[0], Name: id}
	}})
	n.wrap(start, callHead(num))
	n.emit(")")
}

// primary takes an operand without what follows it. It reports whether it was a plain path,
// whose dots are already taken.
func (n *norm) primary(t *token) (plain bool) {
	switch t.kind {
	case tokQuoted:
		return n.pathOrCall()
	case tokWord:
		return n.wordOperand(t)
	case tokOp:
		if t.text == "(" {
			n.paren(t)
			return false
		}
	}
	n.noOperand(t)
	return false
}

// noOperand refuses t where an expression must stand.
func (n *norm) noOperand(t *token) {
	if n.i > 0 {
		prev := &n.toks[n.i-1]
		if prev.op(",") && (t.op(")") || t.kind == tokEnd || clauseBegins(t)) {
			n.failAt(prev, "a comma before "+t.describe()+" has nothing behind it", "delete the comma")
		}
	}
	switch {
	case t.op("?"):
		n.failAt(t, "parameters (?) are not part of a job file", "write the value")
	case t.op("@"):
		n.failAt(t, "variables with @ are MySQL's", "write the value, or ${name} with --define")
	case t.op("!"), t.op("~"):
		n.foreignOperator(t)
	case t.kind == tokWord && ast.Reserved(t.val) && n.meantAsName(t):
		n.failAt(t, `expected an expression, found the keyword "`+t.text+`"`, "as a name it needs quotes: `"+t.text+"`")
	case t.op("*"):
		n.failAt(t, `"*" may only stand for all columns, or in COUNT(*)`, "")
	}
	n.fail("an expression")
}

// paren takes (expr), (a, b), (query), or (a - b) DAY.
func (n *norm) paren(t *token) {
	if n.isQuery(n.i) {
		n.take()
		n.call(t.pos, n.subquery, func(args []ast.Expr) ast.Expr {
			args[0].(*ast.Subquery).Pos = t.pos
			return args[0]
		})
		return
	}
	start := len(n.out)
	n.take()
	n.emit("(")
	if n.atOp(")") {
		n.failAt(n.tok(), "expected an expression between the parentheses", "")
	}
	items := 0
	n.list(func() {
		if items++; items > 1 {
			n.emit(",")
		}
		n.expr()
	})
	n.emit(")")
	switch {
	case items > 1:
		num := n.add(slot{pos: t.pos, build: func(args []ast.Expr) ast.Expr { return &ast.Row{Pos: t.pos, Items: args} }})
		n.out = append(n.out[:start], append([]byte(callHead(num)), n.out[start+2:]...)...)
	case n.tok().kind == tokWord && isIntervalUnit(n.tok().val):
		n.difference(start, t)
	}
}

// difference takes the unit of (a - b) DAY.
func (n *norm) difference(start int, t *token) {
	unit := n.symbol()
	num := n.add(slot{pos: t.pos, build: func(args []ast.Expr) ast.Expr {
		minus, ok := args[0].(*ast.Binary)
		if !ok || minus.Op != ast.OpSub {
			n.failAt(t, "only a difference can have a unit: (a - b) "+unit.Name, "")
		}
		name := ast.Ident{Pos: t.pos, Name: "MINUS_INTERVAL"}
		return &ast.Call{Pos: t.pos, Name: ast.Path{Pos: t.pos, Parts: []ast.Ident{name}}, Args: []ast.Expr{minus.L, minus.R, unit}}
	}})
	n.wrap(start, callHead(num))
	n.emit(")")
}

// subquery takes query ) and adds (query). The opening parenthesis is taken.
func (n *norm) subquery() {
	n.emit("(")
	n.query()
	n.expectOp(")")
	n.emit(")")
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// special are the words that begin an operand with a syntax of its own. Those in callForms do so only before a parenthesis.
var special map[string]func(*norm)

// callForms are functions whose arguments are written with words.
var callForms map[string]func(*norm)

func init() {
	special = map[string]func(*norm){
		"CASE": (*norm).caseExpr, "CAST": (*norm).cast, "TRY_CAST": (*norm).cast,
		"CURRENT_DATE": (*norm).niladic, "CURRENT_TIME": (*norm).niladic, "CURRENT_TIMESTAMP": (*norm).niladic,
		"LOCALTIME": (*norm).niladic, "LOCALTIMESTAMP": (*norm).niladic,
	}
	callForms = map[string]func(*norm){
		"EXISTS": (*norm).exists, "ROW": (*norm).row, "MULTISET": (*norm).collection,
		"ARRAY": (*norm).collection, "MAP": (*norm).collection,
		"EXTRACT": (*norm).extract, "POSITION": (*norm).position, "OVERLAY": (*norm).overlay, "TRIM": (*norm).trim,
		"SUBSTRING": (*norm).substring, "FLOOR": (*norm).floorTo, "CEIL": (*norm).floorTo, "CEILING": (*norm).floorTo,
		"TIMESTAMPADD": (*norm).timestampArith, "TIMESTAMPDIFF": (*norm).timestampArith,
		"JSON_OBJECT": (*norm).jsonObject, "JSON_OBJECTAGG": (*norm).jsonObject, "JSON_ARRAY": (*norm).jsonArray,
		"JSON_ARRAYAGG": (*norm).jsonArray, "JSON_VALUE": (*norm).jsonPath, "JSON_QUERY": (*norm).jsonPath,
		"JSON_EXISTS": (*norm).jsonPath,
	}
}

// wordOperand takes an operand that begins with a word. It reports whether it was a plain path.
func (n *norm) wordOperand(t *token) (plain bool) {
	if n.wordLiteral(t) {
		return false
	}
	if f := special[t.val]; f != nil {
		f(n)
		return false
	}
	next := n.peek(1)
	if next.op("(") {
		if f := callForms[t.val]; f != nil {
			f(n)
			return false
		}
	}
	if next.op("[") && (t.val == "ARRAY" || t.val == "MAP") {
		n.collection()
		return false
	}
	if ast.Reserved(t.val) && !(next.op("(") && alsoFunction(t.val)) {
		n.reservedOperand(t)
	}
	return n.pathOrCall()
}

// alsoFunction tells keywords that are functions before a parenthesis.
func alsoFunction(word string) bool { return word == "LEFT" || word == "RIGHT" || word == "INSERT" }

// reservedOperand refuses a keyword where an expression must stand.
func (n *norm) reservedOperand(t *token) {
	if t.is("SELECT") || t.is("WITH") {
		if n.i > 0 && !beginsStatement(t.val, nil) && !t.firstOnLine {
			n.failAt(t, "a query inside an expression needs parentheses", "write (SELECT …)")
		}
	}
	n.noOperand(t)
}

// meantAsName tells whether the keyword t stands where an expression must, with what follows a column behind it.
func (n *norm) meantAsName(t *token) bool {
	switch t.val {
	case "FROM", "WHERE", "AND", "OR", "WHEN", "THEN", "ELSE", "END", "AS", "ON":
		return false
	}
	next := n.peek(1)
	if next.kind == tokOp {
		return !next.op("(")
	}
	return next.kind == tokEnd || next.is("FROM") || next.is("AS")
}

// niladic takes CURRENT_TIMESTAMP and its like, which have no parentheses (empty ones are tolerated).
func (n *norm) niladic() {
	t := n.take()
	c := &ast.Call{Pos: t.pos, Name: nameOf(t), NoParens: true}
	if n.atOp("(") && n.peek(1).op(")") {
		n.take()
		n.take()
	}
	if n.atOp("(") && n.peek(1).kind == tokNumber {
		n.failAt(n.tok(), t.val+" takes no precision here", "write CAST("+t.val+" AS TIMESTAMP_LTZ(p))")
	}
	n.call(t.pos, func() {}, func([]ast.Expr) ast.Expr { return c })
}

func nameOf(t *token) ast.Path {
	return ast.Path{Pos: t.pos, Parts: []ast.Ident{t.ident()}}
}

// pathOrCall takes a.b.c or a.b(…).
func (n *norm) pathOrCall() (plain bool) {
	first := n.take().ident()
	parts := make([]ast.Ident, 1, 2)
	parts[0] = first
	for n.atOp(".") && !n.peek(1).op("*") {
		n.take()
		parts = append(parts, n.member())
	}
	if n.atOp("(") {
		n.function(ast.Path{Pos: first.Pos, Parts: parts})
		return false
	}
	n.leaf(first.Pos, &ast.Column{Pos: first.Pos, Parts: parts})
	return true
}

package parser

import (
	"strconv"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// norm normalises the tokens of a query or an expression for the TiDB parser.
// Every name, literal, call and clause of Flink's becomes a numbered slot, which
// keeps its position and says what to build; what is left for TiDB is operators,
// parentheses, joins, set operations and window specifications:
//
//	SELECT t.a + 1 FROM t     select `1`, `2` + 3 from `4`
//
// Because the walk knows at each token whether an operand or an operator must
// follow, syntax errors are found here, in our words and at their place.
type norm struct {
	*cursor
	out   []byte
	slots []slot // slot 0 is none
	// setOp and join are the operator in front of the next SELECT and table.
	setOp *ast.Pos
	join  *joinSlot
}

// slot is what a number in the normalised text stands for.
type slot struct {
	pos ast.Pos
	// build makes an expression of a call's converted arguments; nil for slots that are no such call.
	build func(args []ast.Expr) ast.Expr
	// what is, for the others, the thing itself: the ast.Expr of a literal or column; *ast.Is (right of <=>), *ast.Op
	// (of IS DISTINCT FROM, between its operands), *ast.LikeExpr (a call around the pattern), *quantSlot, *ast.Ident
	// (alias, window), *selectSlot, *tableSlot, *ast.NamedWindow, mark.
	what any
}

// mark is a slot whose place in the tree says all: SYMMETRIC, OVERLAPS, QUALIFY.
type mark string

// leaf is the literal or column of s; nil for slot 0.
func (s *slot) leaf() ast.Expr {
	x, _ := s.what.(ast.Expr)
	return x
}

func newNorm(c *cursor) *norm {
	return &norm{cursor: c, out: make([]byte, 0, 4*len(c.toks)+64), slots: make([]slot, 1, len(c.toks)/2+4)}
}

// add makes a slot and returns its number.
func (n *norm) add(s slot) int {
	n.slots = append(n.slots, s)
	return len(n.slots) - 1
}

// emit adds s and a blank.
func (n *norm) emit(s string) {
	n.out = append(n.out, s...)
	n.out = append(n.out, ' ')
}

// name adds a slot as a quoted name.
func (n *norm) name(num int) {
	n.out = append(n.out, '`')
	n.out = strconv.AppendInt(n.out, int64(num), 10)
	n.out = append(n.out, '`', ' ')
}

// number adds a slot as a number.
func (n *norm) number(num int) {
	n.out = strconv.AppendInt(n.out, int64(num), 10)
	n.out = append(n.out, ' ')
}

// open adds the beginning of a call, "`17`(", and fixes the blank before it.
func (n *norm) open(num int) {
	n.name(num)
	n.out[len(n.out)-1] = '('
}

// wrap puts what was added since start into a call: "`17`(…". The caller adds the rest.
func (n *norm) wrap(start int, head string) {
	tail := string(n.out[start:])
	n.out = append(append(n.out[:start], head...), tail...)
}

// callHead is the beginning of a call of slot num.
func callHead(num int) string { return "`" + strconv.Itoa(num) + "`(" }

// leaf adds a literal or column.
func (n *norm) leaf(pos ast.Pos, x ast.Expr) {
	num := n.add(slot{pos: pos, what: x})
	switch x.(type) {
	case *ast.Column, *ast.Star:
		n.name(num)
	default:
		n.number(num)
	}
}

// call adds a call whose arguments args adds.
func (n *norm) call(pos ast.Pos, args func(), build func(args []ast.Expr) ast.Expr) {
	n.open(n.add(slot{pos: pos, build: build}))
	args()
	n.emit(")")
}

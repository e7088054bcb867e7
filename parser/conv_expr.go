package parser

import (
	"fmt"
	"sort"
	"strconv"

	tast "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// operators are ours for TiDB's. || arrives as a call of concat.
var operators = map[opcode.Op]ast.Op{
	opcode.Plus: ast.OpAdd, opcode.Minus: ast.OpSub, opcode.Mul: ast.OpMul, opcode.Div: ast.OpDiv, opcode.Mod: ast.OpMod,
	opcode.EQ: ast.OpEq, opcode.NE: ast.OpNe, opcode.LT: ast.OpLt, opcode.LE: ast.OpLe, opcode.GT: ast.OpGt, opcode.GE: ast.OpGe,
	opcode.LogicAnd: ast.OpAnd, opcode.LogicOr: ast.OpOr,
}

// convert turns TiDB's tree of an expression into ours, slots resolved.
func (n *norm) convert(x tast.ExprNode) ast.Expr {
	switch x := x.(type) {
	case *tast.ColumnNameExpr:
		return n.slotOf(x.Name.Name.O).leaf()
	case *tast.PositionExpr:
		return n.slots[x.N].leaf()
	case tast.ValueExpr:
		return n.numbered(x).leaf()
	case *tast.ParenthesesExpr:
		return n.convert(x.Expr)
	case *tast.FuncCallExpr:
		return n.callOf(x)
	case *tast.WindowFuncExpr:
		return n.overOf(x)
	case *tast.UnaryOperationExpr:
		return n.unaryOf(x)
	case *tast.BinaryOperationExpr:
		return n.binaryOf(x)
	case *tast.BetweenExpr:
		return n.betweenOf(x)
	case *tast.PatternInExpr:
		return n.inOf(x)
	case *tast.PatternLikeOrIlikeExpr:
		return n.likeOf(x)
	case *tast.SubqueryExpr:
		q := n.convertQuery(x.Query)
		return &ast.Subquery{Pos: q.Position(), Query: q}
	default:
		panic(fmt.Sprintf("parser: unexpected expression %T", x))
	}
}

// numbered is the slot that was given as a number.
func (n *norm) numbered(x tast.ValueExpr) *slot {
	switch v := x.GetValue().(type) {
	case int64:
		return &n.slots[v]
	case uint64: // in LIMIT and frames
		return &n.slots[v]
	default:
		panic(fmt.Sprintf("parser: %v is no slot", v))
	}
}

// callOf builds the expression of a slot that was given as a call.
func (n *norm) callOf(x *tast.FuncCallExpr) ast.Expr {
	if isConcat(x) {
		return n.product(x)
	}
	args := make([]ast.Expr, len(x.Args))
	for i, a := range x.Args {
		args[i] = n.convert(a)
	}
	s := n.slotOf(x.FnName.O)
	if quant, ok := s.what.(*quantSlot); ok {
		return &ast.Quantified{Pos: s.pos, All: quant.all, Query: args[0].(*ast.Subquery).Query}
	}
	return s.build(args)
}

// isConcat tells || : every function of the user's is a number.
func isConcat(x *tast.FuncCallExpr) bool {
	_, err := strconv.Atoi(x.FnName.O)
	return err != nil
}

func (n *norm) overOf(x *tast.WindowFuncExpr) ast.Expr {
	c := n.convert(x.Args[0]).(*ast.Call)
	n.fillSpec(c.Over, &x.Spec)
	return c
}

func (n *norm) unaryOf(x *tast.UnaryOperationExpr) ast.Expr {
	v := n.convert(x.V)
	op := ast.OpNot
	switch x.Op {
	case opcode.Minus:
		op = ast.OpSub
	case opcode.Plus:
		op = ast.OpAdd
	}
	return &ast.Unary{Pos: n.operatorBefore(v.Position()), Op: op, X: v}
}

// operatorBefore is the place of the sign or NOT in front of the operand at pos, with parentheses between.
func (n *norm) operatorBefore(pos ast.Pos) ast.Pos {
	i := sort.Search(len(n.toks), func(i int) bool { return !n.toks[i].pos.Before(pos) })
	for i--; i > 0 && n.toks[i].op("("); i-- {
	}
	return n.toks[max(i, 0)].pos
}

func (n *norm) binaryOf(x *tast.BinaryOperationExpr) ast.Expr {
	if x.Op == opcode.NullEQ {
		return n.isOf(x)
	}
	if isProduct(x) {
		return n.product(x)
	}
	l, r := n.convert(x.L), n.convert(x.R)
	op, ok := operators[x.Op]
	if !ok {
		panic(fmt.Sprintf("parser: unexpected operator %v", x.Op))
	}
	if q, ok := r.(*ast.Quantified); ok && q.X == nil {
		return &ast.Quantified{Pos: l.Position(), X: l, Op: op, All: q.All, Query: q.Query}
	}
	return &ast.Binary{Pos: l.Position(), Op: op, L: l, R: r}
}

// isOf resolves the chains that stand for IS: x <=> slot, x <=> slot <=> y.
func (n *norm) isOf(x *tast.BinaryOperationExpr) ast.Expr {
	if left, ok := x.L.(*tast.BinaryOperationExpr); ok && left.Op == opcode.NullEQ {
		if op := n.chainOp(left.R); op != nil {
			l, r := n.convert(left.L), n.convert(x.R)
			return &ast.Binary{Pos: l.Position(), Op: *op, L: l, R: r}
		}
	}
	l := n.convert(x.L)
	is := *n.slotOf(x.R.(*tast.ColumnNameExpr).Name.Name.O).what.(*ast.Is)
	is.Pos, is.X = l.Position(), l
	return &is
}

// chainOp is the operator IS DISTINCT FROM, if x is its slot.
func (n *norm) chainOp(x tast.ExprNode) *ast.Op {
	c, ok := x.(*tast.ColumnNameExpr)
	if !ok {
		return nil
	}
	op, _ := n.slotOf(c.Name.Name.O).what.(*ast.Op)
	return op
}

func (n *norm) betweenOf(x *tast.BetweenExpr) ast.Expr {
	b := &ast.Between{X: n.convert(x.Expr), Not: x.Not, High: n.convert(x.Right)}
	b.Pos = b.X.Position()
	low := x.Left
	if or, ok := low.(*tast.BinaryOperationExpr); ok && or.Op == opcode.Or {
		b.Symmetric, low = true, or.R
	}
	b.Low = n.convert(low)
	return b
}

func (n *norm) inOf(x *tast.PatternInExpr) ast.Expr {
	in := &ast.In{X: n.convert(x.Expr), Not: x.Not}
	in.Pos = in.X.Position()
	if x.Sel != nil {
		in.Query = n.convert(x.Sel).(*ast.Subquery).Query
		return in
	}
	for _, e := range x.List {
		in.List = append(in.List, n.convert(e))
	}
	return in
}

// likeOf resolves LIKE, SIMILAR TO and OVERLAPS: their right side is a call.
func (n *norm) likeOf(x *tast.PatternLikeOrIlikeExpr) ast.Expr {
	call := x.Pattern.(*tast.FuncCallExpr)
	s, l := n.slotOf(call.FnName.O), n.convert(x.Expr)
	right := n.convert(call.Args[0])
	pattern, ok := s.what.(*ast.LikeExpr)
	if !ok {
		return &ast.Binary{Pos: l.Position(), Op: ast.OpOverlaps, L: l, R: right}
	}
	like := *pattern
	like.Pos, like.X, like.Not, like.Pattern = l.Position(), l, x.Not, right
	if len(call.Args) > 1 {
		like.Escape = n.convert(call.Args[1])
	}
	return &like
}

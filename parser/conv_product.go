package parser

import (
	tast "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// In Flink || has the precedence of *, in TiDB a higher one: a * b || c is (a * b) || c here.
// So a chain of * / % || is flattened and built anew from the left.

func isProduct(x *tast.BinaryOperationExpr) bool {
	return x.Op == opcode.Mul || x.Op == opcode.Div || x.Op == opcode.Mod
}

// product converts a chain of * / % || .
func (n *norm) product(x tast.ExprNode) ast.Expr {
	var left ast.Expr
	op := ast.Op("")
	n.factors(x, &op, func(op ast.Op, factor ast.Expr) {
		if left == nil {
			left = factor
			return
		}
		left = &ast.Binary{Pos: left.Position(), Op: op, L: left, R: factor}
	})
	return left
}

// factors calls each for the operands of x from left to right, with the operator in front.
func (n *norm) factors(x tast.ExprNode, op *ast.Op, each func(ast.Op, ast.Expr)) {
	switch x := x.(type) {
	case *tast.BinaryOperationExpr:
		if isProduct(x) {
			n.factors(x.L, op, each)
			*op = operators[x.Op]
			n.factors(x.R, op, each)
			return
		}
	case *tast.FuncCallExpr:
		if isConcat(x) {
			n.factors(x.Args[0], op, each)
			*op = ast.OpConcat
			n.factors(x.Args[1], op, each)
			return
		}
	}
	each(*op, n.convert(x))
}

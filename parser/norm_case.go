package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// caseExpr takes CASE … END; its parts become the arguments of a call.
func (n *norm) caseExpr() {
	t := n.take()
	operand, whens, hasElse := false, 0, false
	n.call(t.pos, func() {
		if operand = !n.at("WHEN"); operand {
			n.expr()
			n.emit(",")
		}
		for n.at("WHEN") {
			n.when(whens > 0)
			whens++
		}
		if whens == 0 {
			n.fail("WHEN")
		}
		if hasElse = n.accept("ELSE"); hasElse {
			n.emit(",")
			n.expr()
		}
		n.endCase(t)
	}, func(args []ast.Expr) ast.Expr { return buildCase(t.pos, args, operand, whens, hasElse) })
}

func (n *norm) when(more bool) {
	n.take()
	if more {
		n.emit(",")
	}
	n.expr()
	n.expect("THEN")
	n.emit(",")
	n.expr()
}

func (n *norm) endCase(begin *token) {
	switch t := n.tok(); {
	case n.accept("END"):
	case t.kind == tokEnd, t.op(")"), clauseBegins(t):
		n.failAt(begin, "this CASE has no END", "add END before "+t.describe()+" ("+t.pos.String()+")")
	default:
		n.fail("WHEN", "ELSE", "END")
	}
}

func buildCase(pos ast.Pos, args []ast.Expr, operand bool, whens int, hasElse bool) ast.Expr {
	c := &ast.Case{Pos: pos}
	if operand {
		c.Operand, args = args[0], args[1:]
	}
	for range whens {
		c.Whens = append(c.Whens, ast.When{Cond: args[0], Result: args[1]})
		args = args[2:]
	}
	if hasElse {
		c.Else = args[0]
	}
	return c
}

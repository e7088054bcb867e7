package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// Functions whose arguments are written with words between them. Where the words are
// missing they are taken like any other call.

// begin takes the name and the parenthesis of a call.
func (n *norm) begin() (*token, *ast.Call) {
	t := n.take()
	n.expectOp("(")
	return t, &ast.Call{Pos: t.pos, Name: nameOf(t)}
}

// finish adds a call of c whose arguments args takes, up to the closing parenthesis.
func (n *norm) finish(c *ast.Call, args func(), place func(args []ast.Expr) []ast.Expr) {
	start := len(n.out)
	n.call(c.Pos, args, func(args []ast.Expr) ast.Expr {
		c.Args = place(args)
		return c
	})
	n.expectOp(")")
	n.suffixes(start, c)
}

func asTheyAre(args []ast.Expr) []ast.Expr { return args }

// extract takes EXTRACT(unit FROM x).
func (n *norm) extract() {
	_, c := n.begin()
	if n.tok().kind != tokWord {
		n.fail("a unit of time, as in EXTRACT(HOUR FROM ts)")
	}
	unit := n.symbol()
	if n.atOp(",") {
		n.failAt(n.tok(), "EXTRACT takes FROM, not a comma", "write EXTRACT(HOUR FROM ts)")
	}
	n.expect("FROM")
	n.finish(c, n.expr, func(args []ast.Expr) []ast.Expr { return []ast.Expr{unit, args[0]} })
}

// position takes POSITION(a IN b [FROM n]).
func (n *norm) position() {
	_, c := n.begin()
	n.finish(c, func() {
		n.arith()
		n.expect("IN")
		n.emit(",")
		n.arith()
		if n.accept("FROM") {
			n.emit(",")
			n.expr()
		}
	}, asTheyAre)
}

// overlay takes OVERLAY(x PLACING y FROM n [FOR m]).
func (n *norm) overlay() {
	_, c := n.begin()
	n.finish(c, func() {
		n.expr()
		n.expect("PLACING")
		n.emit(",")
		n.expr()
		n.expect("FROM")
		n.emit(",")
		n.expr()
		if n.accept("FOR") {
			n.emit(",")
			n.expr()
		}
	}, asTheyAre)
}

// trim takes TRIM([BOTH|LEADING|TRAILING] [c] FROM x) and TRIM(x).
func (n *norm) trim() {
	_, c := n.begin()
	where := &ast.Symbol{Pos: n.tok().pos, Name: "BOTH"}
	words := n.at("BOTH") || n.at("LEADING") || n.at("TRAILING")
	if words = words && !n.peek(1).op(")") && !n.peek(1).op(","); words {
		where = n.symbol()
	}
	chars := false
	n.finish(c, func() {
		if !n.at("FROM") {
			n.expr()
			if !words && !n.at("FROM") {
				n.moreArguments()
				return
			}
			chars = true
			n.emit(",")
		}
		words = true
		n.expect("FROM")
		n.expr()
	}, func(args []ast.Expr) []ast.Expr {
		switch {
		case !words:
			return args
		case !chars:
			return []ast.Expr{where, &ast.StringLit{Pos: where.Pos, Value: " "}, args[0]}
		}
		return []ast.Expr{where, args[0], args[1]}
	})
}

// moreArguments takes , expr, expr up to the closing parenthesis.
func (n *norm) moreArguments() {
	for n.atOp(",") {
		n.comma(")")
		n.emit(",")
		n.expr()
	}
}

// substring takes SUBSTRING(x FROM n [FOR m]) and SUBSTRING(x, n [, m]).
func (n *norm) substring() {
	_, c := n.begin()
	n.finish(c, func() {
		n.expr()
		if n.accept("FROM") {
			n.emit(",")
			n.expr()
			if n.accept("FOR") {
				n.emit(",")
				n.expr()
			}
			return
		}
		if n.atOp(")") {
			n.fail("FROM and a position")
		}
		n.moreArguments()
	}, asTheyAre)
}

// floorTo takes FLOOR(x [TO unit]) and CEIL.
func (n *norm) floorTo() {
	_, c := n.begin()
	var unit *ast.Symbol
	n.finish(c, func() {
		n.expr()
		if n.accept("TO") {
			if n.tok().kind != tokWord {
				n.fail("a unit of time")
			}
			unit = n.symbol()
			return
		}
		n.moreArguments()
	}, func(args []ast.Expr) []ast.Expr {
		if unit != nil {
			args = append(args, unit)
		}
		return args
	})
}

// timestampArith takes TIMESTAMPADD(unit, n, x) and TIMESTAMPDIFF(unit, a, b).
func (n *norm) timestampArith() {
	_, c := n.begin()
	if n.tok().kind != tokWord || !n.peek(1).op(",") {
		n.fail("a unit of time and a comma")
	}
	unit := n.symbol()
	n.comma(")")
	n.finish(c, func() {
		n.expr()
		n.moreArguments()
	}, func(args []ast.Expr) []ast.Expr { return append([]ast.Expr{unit}, args...) })
}

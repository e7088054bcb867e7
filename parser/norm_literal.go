package parser

import (
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// literal takes a number or string.
func (n *norm) literal(t *token) {
	n.take()
	n.leaf(t.pos, literalOf(t))
	if t.kind == tokString && n.tok().kind == tokString {
		n.failAt(n.tok(), "two strings stand side by side", "put || or a comma between them (a quote inside a string is written twice)")
	}
}

func literalOf(t *token) ast.Expr {
	switch t.kind {
	case tokNumber:
		return &ast.NumberLit{Pos: t.pos, Text: t.text, Kind: numberKind(t.text)}
	case tokBinary:
		return &ast.BinaryLit{Pos: t.pos, Hex: t.val}
	default:
		return &ast.StringLit{Pos: t.pos, Value: t.val}
	}
}

func numberKind(text string) ast.NumberKind {
	switch {
	case strings.ContainsAny(text, "eE"):
		return ast.ApproxNumber
	case strings.Contains(text, "."):
		return ast.DecimalNumber
	}
	return ast.IntegerNumber
}

// wordLiteral takes TRUE, FALSE, NULL, UNKNOWN, DATE '…' and its like, INTERVAL '…'; false if t begins none.
func (n *norm) wordLiteral(t *token) bool {
	switch t.val {
	case "TRUE", "FALSE":
		n.take()
		n.leaf(t.pos, &ast.BoolLit{Pos: t.pos, Value: t.val == "TRUE"})
	case "NULL", "UNKNOWN":
		n.take()
		n.leaf(t.pos, &ast.NullLit{Pos: t.pos})
	case "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ":
		if n.peek(1).kind != tokString {
			return false
		}
		n.take()
		n.leaf(t.pos, &ast.DateTimeLit{Pos: t.pos, Kind: t.val, Text: n.take().val})
	case "INTERVAL":
		n.leaf(t.pos, n.interval())
	default:
		return false
	}
	return true
}

// intervalUnits in the order of their size; those up to MONTH do not mix with the others in a range.
var intervalUnits = []string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}

func isIntervalUnit(word string) bool {
	switch strings.TrimSuffix(word, "S") {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND":
		return true
	}
	return false
}

// interval takes INTERVAL '…' unit.
func (n *norm) interval() *ast.IntervalLit {
	t := n.take()
	lit := &ast.IntervalLit{Pos: t.pos, Precision: -1, Fraction: -1}
	if n.acceptOp("-") {
		lit.Negative = true
	} else {
		n.acceptOp("+")
	}
	if v := n.tok(); v.kind == tokNumber {
		n.failAt(v, "the value of an interval is a string", "write INTERVAL '"+v.text+"' "+n.peek(1).val)
	}
	lit.Text = n.str("the interval's value")
	lit.From = n.unit()
	n.intervalPrecision(lit)
	if n.accept("TO") {
		to := n.tok()
		lit.To = n.unit()
		if !rangeFits(lit.From, lit.To) {
			n.failAt(to, "an interval cannot run from "+lit.From+" to "+lit.To, "ranges are YEAR TO MONTH, and those of DAY, HOUR, MINUTE and SECOND from larger to smaller")
		}
		if lit.To == "SECOND" && n.acceptOp("(") {
			lit.Fraction = n.smallInt("the precision of SECOND")
			n.expectOp(")")
		}
	}
	return lit
}

func (n *norm) intervalPrecision(lit *ast.IntervalLit) {
	if !n.acceptOp("(") {
		return
	}
	lit.Precision = n.smallInt("the interval's precision")
	if lit.From == "SECOND" && n.acceptOp(",") {
		lit.Fraction = n.smallInt("the precision of SECOND")
	}
	n.expectOp(")")
}

func rangeFits(from, to string) bool {
	f, t := unitIndex(from), unitIndex(to)
	return f >= 0 && t > f && (t <= 1 || f > 1)
}

func unitIndex(unit string) int {
	for i, u := range intervalUnits {
		if u == unit {
			return i
		}
	}
	return -1
}

// unit takes a unit of time; the plural is the same unit.
func (c *cursor) unit() string {
	t := c.tok()
	if t.kind != tokWord || !isIntervalUnit(t.val) {
		if t.kind == tokWord {
			if u := nearest(t.val, intervalUnits); u != "" {
				c.failAt(t, `"`+t.text+`" is not a unit of time`, "did you mean "+u+"?")
			}
		}
		c.fail("a unit of time (YEAR, MONTH, DAY, HOUR, MINUTE or SECOND)")
	}
	c.take()
	return strings.TrimSuffix(t.val, "S")
}

// smallInt takes a number without a fraction, as in VARCHAR(10).
func (c *cursor) smallInt(what string) int {
	t := c.tok()
	v, err := strconv.ParseInt(t.text, 10, 32)
	if t.kind != tokNumber || err != nil {
		c.fail(what + ", a whole number")
	}
	c.take()
	return int(v)
}

// symbol takes a bare word that is an argument.
func (c *cursor) symbol() *ast.Symbol {
	t := c.take()
	return &ast.Symbol{Pos: t.pos, Name: t.val}
}

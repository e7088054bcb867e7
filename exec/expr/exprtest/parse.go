package exprtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Parse reads an expression over the given columns. Special syntax follows
// expr's CALLS.md, so units and modes are strings: EXTRACT('HOUR', ts).
func Parse(src string, columns []types.Field) (expr.Expr, error) {
	xs, err := parse(src, columns)
	switch {
	case err != nil:
		return nil, err
	case len(xs) != 1:
		return nil, fmt.Errorf("unexpected ,")
	}
	return xs[0], nil
}

// ParseList reads constant expressions with commas between them.
func ParseList(src string) ([]expr.Expr, error) { return parse(src, nil) }

func parse(src string, columns []types.Field) (xs []expr.Expr, err error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks, columns: columns}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(failure)
			if !ok {
				panic(r)
			}
			xs, err = nil, e.error
		}
	}()
	for len(xs) == 0 || p.accept(",") {
		xs = append(xs, p.expr(0))
	}
	if !p.at("") {
		return nil, fmt.Errorf("unexpected %q", p.peek().text)
	}
	return xs, nil
}

// ParseType reads a type.
func ParseType(src string) (types.Type, error) {
	toks, err := lex(src)
	if err != nil {
		return types.Type{}, err
	}
	p := &parser{toks: toks}
	return p.typ(), nil
}

type failure struct{ error }

type parser struct {
	toks    []token
	columns []types.Field
}

func must(x expr.Expr, err error) expr.Expr {
	if err != nil {
		panic(failure{err})
	}
	return x
}

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func (p *parser) peek() token { return p.toks[0] }

func (p *parser) next() token {
	t := p.toks[0]
	p.toks = p.toks[1:]
	return t
}

// at tells whether the next token is a word or punctuation.
func (p *parser) at(text string) bool {
	t := p.peek()
	if text == "" {
		return t.kind == 'e'
	}
	return (t.kind == 'w' || t.kind == 'p') && strings.EqualFold(t.text, text)
}

// accept takes a sequence of words if all of it is there.
func (p *parser) accept(words string) bool {
	ws := strings.Fields(words)
	if len(p.toks) < len(ws) {
		return false
	}
	old := p.toks
	for _, w := range ws {
		if !p.at(w) {
			p.toks = old
			return false
		}
		p.next()
	}
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		fail("expected %s, found %q", text, p.peek().text)
	}
}

var binary = map[string]int{"OR": 1, "AND": 2, "=": 4, "<>": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
	"+": 6, "-": 6, "||": 6, "*": 7, "/": 7, "%": 7}

func (p *parser) expr(level int) expr.Expr {
	x := p.unary()
	for {
		op := strings.ToUpper(p.peek().text)
		if prec, ok := binary[op]; ok && p.at(op) && prec > level {
			p.next()
			y := p.expr(prec)
			x = must(expr.NewCall(op, []expr.Expr{x, y}))
			continue
		}
		y := p.predicate(x, level)
		if y == nil {
			return x
		}
		x = y
	}
}

var tests = []string{"IS NOT DISTINCT FROM", "IS DISTINCT FROM", "IS NOT NULL", "IS NULL", "IS NOT TRUE", "IS TRUE",
	"IS NOT FALSE", "IS FALSE", "IS NOT UNKNOWN", "IS UNKNOWN", "IS JSON OBJECT", "IS JSON ARRAY", "IS JSON SCALAR",
	"IS JSON VALUE", "IS NOT JSON VALUE", "IS NOT JSON OBJECT", "IS NOT JSON ARRAY", "IS NOT JSON SCALAR", "IS NOT JSON", "IS JSON"}

func (p *parser) predicate(x expr.Expr, level int) expr.Expr {
	if level >= 4 {
		return nil
	}
	for _, t := range tests {
		if !p.accept(t) {
			continue
		}
		args := []expr.Expr{x}
		if strings.HasSuffix(t, "FROM") {
			args = append(args, p.expr(4))
		}
		return must(expr.NewCall(t, args))
	}
	not := p.accept("NOT")
	y := p.range_(x)
	if not {
		return must(expr.NewCall("NOT", []expr.Expr{y}))
	}
	return y
}

func (p *parser) range_(x expr.Expr) expr.Expr {
	switch {
	case p.accept("IN"):
		return must(expr.NewIn(x, p.list("(", ")")))
	case p.accept("BETWEEN"):
		symmetric := p.accept("SYMMETRIC")
		low := p.expr(4)
		p.expect("AND")
		return must(expr.NewBetween(x, low, p.expr(4), symmetric))
	case p.accept("LIKE"):
		return p.like("LIKE", x)
	case p.accept("SIMILAR TO"):
		return p.like("SIMILAR TO", x)
	}
	return nil
}

func (p *parser) like(name string, x expr.Expr) expr.Expr {
	args := []expr.Expr{x, p.expr(4)}
	if p.accept("ESCAPE") {
		args = append(args, p.expr(4))
	}
	return must(expr.NewCall(name, args))
}

func (p *parser) list(open, end string) []expr.Expr {
	p.expect(open)
	var xs []expr.Expr
	for !p.accept(end) {
		if len(xs) > 0 {
			p.expect(",")
		}
		xs = append(xs, p.expr(0))
	}
	return xs
}

func (p *parser) unary() expr.Expr {
	switch {
	case p.accept("NOT"):
		return must(expr.NewCall("NOT", []expr.Expr{p.expr(3)}))
	case p.accept("-"):
		if p.peek().kind == 'n' {
			return p.postfix(must2(expr.Number("-" + p.next().text)))
		}
		return must(expr.NewCall("-", []expr.Expr{p.unary()}))
	}
	return p.postfix(p.primary())
}

func must2(l *expr.Literal, err error) expr.Expr { return must(l, err) }

func (p *parser) postfix(x expr.Expr) expr.Expr {
	for {
		switch {
		case p.accept("["):
			i := p.expr(0)
			p.expect("]")
			x = must(expr.NewCall("ITEM", []expr.Expr{x, i}))
		case p.at(".") && p.toks[1].kind != 'n':
			p.next()
			x = must(expr.NewField(x, p.next().text))
		default:
			return x
		}
	}
}

func (p *parser) primary() expr.Expr {
	t := p.next()
	switch t.kind {
	case 'n':
		return must2(expr.Number(t.text))
	case 's':
		return expr.String(t.text)
	case 'q':
		return p.column(t.text)
	case 'p':
		if t.text == "(" {
			xs := []expr.Expr{p.expr(0)}
			for p.accept(",") {
				xs = append(xs, p.expr(0))
			}
			p.expect(")")
			if len(xs) == 1 {
				return xs[0]
			}
			return must(expr.NewCall("ROW", xs))
		}
	case 'w':
		return p.word(strings.ToUpper(t.text), t.text)
	}
	fail("unexpected %q", t.text)
	return nil
}

func (p *parser) word(up, text string) expr.Expr {
	switch up {
	case "NULL":
		return expr.Null()
	case "TRUE", "FALSE":
		return expr.Bool(up == "TRUE")
	case "DATE", "TIME", "TIMESTAMP", "X", "INTERVAL":
		if p.peek().kind == 's' || up == "INTERVAL" && p.at("-") {
			return p.typed(up)
		}
	case "CAST", "TRY_CAST":
		p.expect("(")
		x := p.expr(0)
		p.expect("AS")
		t := p.typ()
		p.expect(")")
		return must(expr.NewCast(x, t, up == "TRY_CAST"))
	case "CASE":
		return p.cases()
	case "ARRAY", "MAP":
		if p.at("[") {
			return must(expr.NewCall(up, p.list("[", "]")))
		}
	}
	if p.at("(") {
		return must(expr.NewCall(up, p.list("(", ")")))
	}
	return p.column(text)
}

func (p *parser) column(name string) expr.Expr {
	for i, f := range p.columns {
		if strings.EqualFold(f.Name, name) {
			return &expr.Column{Index: i, Name: name, T: f.Type}
		}
	}
	return must(expr.NewCall(name, nil))
}

func (p *parser) typed(word string) expr.Expr {
	if word == "INTERVAL" {
		negative := p.accept("-")
		text, from, to, precision := p.next().text, p.next().text, "", -1
		if p.accept("(") {
			precision = p.int()
			p.expect(")")
		}
		if p.accept("TO") {
			to = p.next().text
		}
		return must2(expr.Interval(text, negative, from, to, precision))
	}
	text := p.next().text
	switch word {
	case "DATE":
		return must2(expr.Date(text))
	case "TIME":
		return must2(expr.Time(text))
	case "X":
		return must2(expr.Binary(text))
	}
	return must2(expr.Timestamp(text))
}

func (p *parser) cases() expr.Expr {
	var operand, otherwise expr.Expr
	if !p.at("WHEN") {
		operand = p.expr(0)
	}
	var whens []expr.When
	for p.accept("WHEN") {
		c := p.expr(0)
		p.expect("THEN")
		whens = append(whens, expr.When{Cond: c, Then: p.expr(0)})
	}
	if p.accept("ELSE") {
		otherwise = p.expr(0)
	}
	p.expect("END")
	if operand != nil {
		return must(expr.NewSimpleCase(operand, whens, otherwise))
	}
	return must(expr.NewCase(whens, otherwise))
}

func (p *parser) int() int {
	n, err := strconv.Atoi(p.next().text)
	if err != nil {
		fail("expected a number")
	}
	return n
}

package ast

import (
	"fmt"
	"strconv"
)

func (p *printer) literal(x Expr) {
	switch x := x.(type) {
	case *NumberLit:
		p.say(x.Text)
	case *StringLit:
		p.quote(x.Value)
	case *BinaryLit:
		p.say("X")
		p.quote(x.Hex)
	case *BoolLit:
		if x.Value {
			p.say("TRUE")
		} else {
			p.say("FALSE")
		}
	case *NullLit:
		p.say("NULL")
	case *DateTimeLit:
		p.say(x.Kind, " ")
		p.quote(x.Text)
	case *IntervalLit:
		p.interval(x)
	case *Symbol:
		p.say(x.Name)
	default:
		panic(fmt.Sprintf("ast: cannot print %T", x))
	}
}

func (p *printer) interval(x *IntervalLit) {
	p.say("INTERVAL ")
	p.when(x.Negative, "-")
	p.quote(x.Text)
	p.say(" ", x.From)
	switch {
	case x.Precision >= 0 && x.To == "" && x.Fraction >= 0:
		p.say("(", strconv.Itoa(x.Precision), ", ", strconv.Itoa(x.Fraction), ")")
	case x.Precision >= 0:
		p.say("(", strconv.Itoa(x.Precision), ")")
	}
	if x.To != "" {
		p.say(" TO ", x.To)
		if x.Fraction >= 0 {
			p.say("(", strconv.Itoa(x.Fraction), ")")
		}
	}
}

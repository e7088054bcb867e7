package ast

import "fmt"

func (p *printer) tableExpr(t TableExpr) {
	switch t := t.(type) {
	case *TableRef:
		p.tableRef(t)
	case *Derived:
		p.when(t.Lateral, "LATERAL ")
		p.parenQuery(t.Query)
		p.alias(t.Alias)
	case *WindowTVF:
		p.windowTVF(t)
	case *TableFunc:
		p.when(t.Lateral, "LATERAL ")
		p.say("TABLE(")
		p.call(t.Call)
		p.say(")")
		p.alias(t.Alias)
	case *Unnest:
		p.say("UNNEST(")
		p.expr(t.X)
		p.say(")")
		p.when(t.Ordinality, " WITH ORDINALITY")
		p.alias(t.Alias)
	case *MatchRecognize:
		p.tableExpr(t.Input)
		p.say(" MATCH_RECOGNIZE (", t.Text, ")")
		p.alias(t.Alias)
	case *Join:
		p.join(t)
	default:
		panic(fmt.Sprintf("ast: cannot print %T", t))
	}
}

func (p *printer) alias(a Alias) {
	if a.Name == nil {
		return
	}
	p.say(" AS ")
	p.ident(*a.Name)
	p.when(len(a.Columns) > 0, " ")
	p.idents(a.Columns)
}

func (p *printer) tableRef(t *TableRef) {
	p.path(t.Name)
	p.when(len(t.Hints) > 0, " ")
	p.hints(t.Hints)
	p.clause(" FOR SYSTEM_TIME AS OF ", t.AsOf)
	p.alias(t.Alias)
}

func (p *printer) tableArg(t *TableArg) {
	p.say("TABLE ")
	if t.Query != nil {
		p.parenQuery(t.Query)
	} else {
		p.path(t.Name)
	}
	if len(t.PartitionBy) > 0 {
		p.say(" PARTITION BY (")
		p.exprs(t.PartitionBy)
		p.say(")")
	}
	if len(t.OrderBy) > 0 {
		p.say(" ORDER BY (")
		p.each(len(t.OrderBy), func(i int) { p.orderItem(t.OrderBy[i]) })
		p.say(")")
	}
}

func (p *printer) windowTVF(w *WindowTVF) {
	p.say("TABLE(", w.Kind, "(")
	p.tableArg(&w.Input)
	p.say(", DESCRIPTOR(")
	p.ident(w.TimeCol)
	p.say(")")
	for _, x := range []Expr{w.Slide, w.Size, w.Gap, w.Offset} {
		if x != nil {
			p.say(", ")
			p.expr(x)
		}
	}
	p.say("))")
	p.alias(w.Alias)
}

func (p *printer) join(j *Join) {
	p.joinSide(j.L, j.Comma, false)
	switch {
	case j.Comma:
		p.say(", ")
	case j.Natural:
		p.say(" NATURAL ", string(j.Kind), " JOIN ")
	default:
		p.say(" ", string(j.Kind), " JOIN ")
	}
	p.joinSide(j.R, j.Comma, true)
	p.clause(" ON ", j.On)
	if len(j.Using) > 0 {
		p.say(" USING ")
		p.idents(j.Using)
	}
}

// joinSide puts a join into parentheses where it would read differently without. A comma binds looser than JOIN.
func (p *printer) joinSide(t TableExpr, comma, right bool) {
	inner, ok := t.(*Join)
	if ok && (inner.Comma && (!comma || right) || !inner.Comma && right && !comma) {
		p.say("(")
		p.join(inner)
		p.say(")")
		return
	}
	p.tableExpr(t)
}

package ast

import "fmt"

func (p *printer) query(q Query) {
	switch q := q.(type) {
	case *With:
		p.with(q)
	case *Select:
		p.selectBlock(q)
		p.tail(q.Tail)
	case *SetOp:
		p.setOp(q)
		p.tail(q.Tail)
	case *Values:
		p.values(q)
		p.tail(q.Tail)
	case *Paren:
		p.parenQuery(q.Query)
		p.tail(q.Tail)
	default:
		panic(fmt.Sprintf("ast: cannot print %T", q))
	}
}

func (p *printer) parenQuery(q Query) {
	p.say("(")
	p.query(q)
	p.say(")")
}

func (p *printer) with(w *With) {
	p.say("WITH ")
	p.each(len(w.CTEs), func(i int) {
		c := w.CTEs[i]
		p.ident(c.Name)
		p.when(len(c.Columns) > 0, " ")
		p.idents(c.Columns)
		p.say(" AS ")
		p.parenQuery(c.Query)
	})
	p.say(" ")
	if _, nested := w.Body.(*With); nested {
		p.parenQuery(w.Body)
		return
	}
	p.query(w.Body)
}

// setOp writes both sides; a side that would read differently without parentheses gets them.
func (p *printer) setOp(s *SetOp) {
	p.side(s.L, s.Op, false)
	p.say(" ", string(s.Op))
	p.when(s.All, " ALL")
	p.say(" ")
	p.side(s.R, s.Op, true)
}

func (p *printer) side(q Query, op SetOpKind, right bool) {
	paren := false
	switch q := q.(type) {
	case *With:
		paren = true
	case *SetOp:
		tighter := q.Op == Intersect && op != Intersect
		looser := q.Op != Intersect && op == Intersect
		paren = !q.Tail.Empty() || looser || right && !tighter
	case *Select:
		paren = !q.Tail.Empty()
	case *Values:
		paren = !q.Tail.Empty()
	case *Paren:
		paren = !q.Tail.Empty()
	}
	if paren {
		p.parenQuery(q)
		return
	}
	p.query(q)
}

func (p *printer) values(v *Values) {
	p.say("VALUES ")
	p.each(len(v.Rows), func(i int) {
		p.say("(")
		p.exprs(v.Rows[i].Items)
		p.say(")")
	})
}

func (p *printer) selectBlock(s *Select) {
	p.say("SELECT ")
	if len(s.Hints) > 0 {
		p.hints(s.Hints)
		p.say(" ")
	}
	p.when(s.Distinct, "DISTINCT ")
	p.each(len(s.Items), func(i int) { p.selectItem(s.Items[i]) })
	if s.From != nil {
		p.say(" FROM ")
		p.tableExpr(s.From)
	}
	p.clause(" WHERE ", s.Where)
	if len(s.GroupBy) > 0 {
		p.say(" GROUP BY ")
		p.exprs(s.GroupBy)
	}
	p.clause(" HAVING ", s.Having)
	if len(s.Windows) > 0 {
		p.say(" WINDOW ")
		p.each(len(s.Windows), func(i int) {
			p.ident(s.Windows[i].Name)
			p.say(" AS ")
			p.windowSpec(s.Windows[i].Spec)
		})
	}
	p.clause(" QUALIFY ", s.Qualify)
}

func (p *printer) clause(words string, x Expr) {
	if x != nil {
		p.say(words)
		p.expr(x)
	}
}

func (p *printer) selectItem(it SelectItem) {
	p.expr(it.X)
	if it.Alias != nil {
		p.say(" AS ")
		p.ident(*it.Alias)
	}
}

func (p *printer) tail(t Tail) {
	if len(t.OrderBy) > 0 {
		p.say(" ")
		p.orderBy(t.OrderBy)
	}
	p.clause(" LIMIT ", t.Limit)
	p.clause(" OFFSET ", t.Offset)
}

func (p *printer) orderBy(items []OrderItem) {
	p.say("ORDER BY ")
	p.each(len(items), func(i int) { p.orderItem(items[i]) })
}

func (p *printer) orderItem(it OrderItem) {
	p.expr(it.X)
	p.when(it.Desc, " DESC")
	switch it.Nulls {
	case NullsFirst:
		p.say(" NULLS FIRST")
	case NullsLast:
		p.say(" NULLS LAST")
	}
}

package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// selection is one SELECT block while it is bound.
type selection struct {
	*env
	q     *ast.Select
	items []item
	// order are the keys of ORDER BY; hidden items follow those selected.
	order  []sortItem
	having expr.Expr
	filter expr.Expr // of QUALIFY
}

// item is one output column.
type item struct {
	name string
	x    expr.Expr
}

func (b *Binder) selectQuery(q *ast.Select, around *scope) logical.Plan {
	checkHints(q.Hints)
	s := &scope{outer: around, ctes: around.ctes}
	s.rel = b.fromClause(q, around)
	e := &env{b: b, s: s, aliases: q.Items}
	e.where(q)
	sel := &selection{env: e, q: q}
	sel.overs, sel.subs = newOvers(q.Windows), &subqueries{}
	if sel.isAggregation() {
		sel.group = newGrouping(e, q)
	}
	sel.bindItems()
	sel.bindConditions()
	sel.bindOrder()
	return sel.plan()
}

// joinHints choose among the joins of a batch; on a stream they mean nothing.
var joinHints = map[string]bool{"BROADCAST": true, "SHUFFLE_HASH": true, "SHUFFLE_MERGE": true, "NEST_LOOP": true, "MULTI_JOIN": true, "NO_MULTI_JOIN": true}

func checkHints(hints []ast.Hint) {
	for _, h := range hints {
		if name := strings.ToUpper(h.Name); !joinHints[name] {
			fail(perr.NotYet(h.Pos, "hint %s", name))
		}
	}
}

func (b *Binder) fromClause(q *ast.Select, around *scope) *relation {
	if q.From == nil {
		return &relation{plan: &logical.Values{Rows: [][]expr.Expr{{}}, Node: logical.Node{At: q.Pos}}}
	}
	return b.from(q.From, around)
}

func (s *selection) isAggregation() bool {
	if s.q.GroupBy != nil || s.q.Having != nil {
		return true
	}
	var xs []ast.Expr
	for _, it := range s.q.Items {
		xs = append(xs, it.X)
	}
	for _, o := range s.q.OrderBy {
		xs = append(xs, o.X)
	}
	return hasAggregate(append(xs, s.q.Qualify)...)
}

// where filters the relation: plain conditions first, then those with
// subqueries, which become joins. Only then is it known which joins keep the
// time attributes.
func (e *env) where(q *ast.Select) {
	rel := e.s.rel
	e.clause, e.subs = "WHERE", &subqueries{}
	var plain []expr.Expr
	var queries []ast.Expr
	if q.Where != nil {
		for _, c := range chain(q.Where, ast.OpAnd) {
			if hasQuery(c) {
				queries = append(queries, c)
				continue
			}
			plain = append(plain, e.condition(c))
		}
		if len(queries) == 0 && len(plain) > 1 {
			plain = expr.Conjuncts(conjunction(plain))
		}
	}
	rel.plan = settle(filter(rel.plan, plain, wherePos(q)))
	rel.retype()
	for _, c := range queries {
		e.whereQuery(c)
		rel.retype()
	}
	e.subs = nil
}

func wherePos(q *ast.Select) ast.Pos {
	if q.Where != nil {
		return q.Where.Position()
	}
	return q.Pos
}

// whereQuery applies one condition with a subquery.
func (e *env) whereQuery(c ast.Expr) {
	rel := e.s.rel
	x, not := c, false
	for {
		u, ok := x.(*ast.Unary)
		if !ok || u.Op != ast.OpNot {
			break
		}
		x, not = u.X, !not
	}
	if q, ok := x.(*ast.Quantified); ok {
		x = quantified(q)
	}
	switch x := x.(type) {
	case *ast.Exists:
		rel.plan = e.exists(rel.plan, x, not)
		return
	case *ast.In:
		if x.Query != nil && !hasQuery(x.X) {
			rel.plan = e.inQuery(rel.plan, x, not != x.Not)
			return
		}
	}
	cond := e.condition(c)
	p, values := e.subs.attach(rel.plan, asIs)
	e.subs.joins = nil
	cond = expr.Rewrite(cond, func(y expr.Expr) expr.Expr {
		if col, ok := y.(*expr.Column); ok && col.Index >= subqueryBase && col.Index < overBase {
			return values[col.Index-subqueryBase]
		}
		return y
	})
	rel.plan = filter(p, []expr.Expr{cond}, c.Position())
}

// filter is a Filter, or p if there is nothing to filter by.
func filter(p logical.Plan, terms []expr.Expr, at ast.Pos) logical.Plan {
	if len(terms) == 0 {
		return p
	}
	return &logical.Filter{Input: p, Cond: conjunction(terms), Node: logical.Node{Cols: p.Schema(), At: at}}
}

func (s *selection) bindItems() {
	s.clause = "SELECT"
	for _, it := range s.q.Items {
		if star, ok := it.X.(*ast.Star); ok {
			s.star(star)
			continue
		}
		x := s.expr(it.X)
		if x.Type().Kind == types.Null {
			fail(perr.New(it.Pos, "NULL has no type here").WithHint("write CAST(NULL AS type)"))
		}
		s.items = append(s.items, item{itemName(it, len(s.items)), x})
	}
}

// itemName is the alias, the last part of a path, or EXPR$i.
func itemName(it ast.SelectItem, i int) string {
	if it.Alias != nil {
		return it.Alias.Name
	}
	switch x := it.X.(type) {
	case *ast.Column:
		return x.Parts[len(x.Parts)-1].Name
	case *ast.Field:
		return x.Name.Name
	}
	return exprName(i)
}

func (s *selection) bindConditions() {
	if s.q.Having != nil {
		having := *s.env
		having.clause, having.overs = "HAVING", nil
		s.having = having.condition(s.q.Having)
	}
	if s.q.Qualify != nil {
		s.clause, s.env.items = "QUALIFY", s.items
		s.filter = s.condition(s.q.Qualify)
		s.env.items = nil
		if len(s.overs.calls) == 0 {
			fail(perr.New(s.q.Qualify.Position(), "QUALIFY needs a function with OVER").WithHint("use WHERE or HAVING"))
		}
	}
}

// plan builds the plan from the bound parts, bottom up; fix gives the
// placeholders in expressions their columns.
func (s *selection) plan() logical.Plan {
	p := s.s.rel.plan
	outer := asIs
	if s.group != nil {
		p = s.group.finish(p)
		outer = s.groupedOuter
	}
	p, values := s.subs.attach(p, outer)
	firstOver := 0
	fix := func(x expr.Expr) expr.Expr {
		return expr.Rewrite(x, func(y expr.Expr) expr.Expr {
			col, ok := y.(*expr.Column)
			if !ok || col.Index >= outerBase {
				return y
			}
			switch i := col.Index; {
			case i >= propertyBase:
				return &expr.Column{Index: s.group.firstAgg() + len(s.group.aggs) + i - propertyBase, Name: col.Name, T: col.T}
			case i >= overBase:
				return &expr.Column{Index: firstOver + i - overBase, Name: col.Name, T: col.T}
			case i >= subqueryBase:
				return values[i-subqueryBase]
			}
			return y
		})
	}
	if s.having != nil {
		p = filter(p, []expr.Expr{fix(s.having)}, s.q.Having.Position())
	}
	p, firstOver = s.overs.finish(p, fix)
	if s.filter != nil {
		p = filter(p, []expr.Expr{fix(s.filter)}, s.q.Qualify.Position())
	}
	return s.output(p, fix)
}

// groupedOuter places a column of the relation, used by a subquery of SELECT
// or HAVING, among the keys.
func (s *selection) groupedOuter(x expr.Expr) expr.Expr {
	k, ok := s.group.keyOf(x)
	if !ok {
		fail(perr.New(s.q.Pos, "column %q, which a subquery uses, is not in GROUP BY", x).WithHint("add it to GROUP BY"))
	}
	return k
}

// output projects, removes duplicates, orders and limits.
func (s *selection) output(p logical.Plan, fix func(expr.Expr) expr.Expr) logical.Plan {
	var xs []expr.Expr
	var names []string
	for _, it := range s.items {
		xs, names = append(xs, fix(it.x)), append(names, it.name)
	}
	visible := len(xs)
	for _, o := range s.order {
		if o.hidden != nil {
			xs, names = append(xs, fix(o.hidden)), append(names, "$order")
		}
	}
	p = project(p, xs, names, s.q.Pos)
	if s.q.Distinct {
		p = distinct(p, s.q.Pos)
	}
	p = s.b.sort(p, s.order, s.q.Tail, s.env)
	if visible < len(xs) {
		p = project(p, columnsOf(p)[:visible], names[:visible], s.q.Pos)
	}
	return p
}

// distinct groups by all columns.
func distinct(p logical.Plan, at ast.Pos) logical.Plan {
	a := &logical.Aggregate{Input: p, Node: logical.Node{At: at}}
	var keys []expr.Expr
	for i, f := range p.Schema() {
		a.Keys = append(a.Keys, i)
		keys = append(keys, columnOf(p, i))
		a.Cols = append(a.Cols, f)
	}
	if !groupsByWindow(p, keys) {
		a.Cols = withoutTime(a.Cols)
	}
	return a
}

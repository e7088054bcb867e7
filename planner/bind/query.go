package bind

import (
	"strconv"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// query binds a query; s is the scope around it.
func (b *Binder) query(q ast.Query, s *scope) logical.Plan {
	switch q := q.(type) {
	case *ast.Select:
		return b.selectQuery(q, s)
	case *ast.SetOp:
		return b.tail(b.setOp(q, s), q.Tail, s)
	case *ast.Values:
		return b.tail(b.values(q, s), q.Tail, s)
	case *ast.Paren:
		return b.tail(b.query(q.Query, s), q.Tail, s)
	case *ast.With:
		return b.with(q, s)
	}
	panic("bind: unknown query")
}

// with makes each query of WITH visible to the later ones and to the body.
// They are bound where they are used: a rule finds equal sub-plans.
func (b *Binder) with(q *ast.With, s *scope) logical.Plan {
	inner := &scope{outer: s, ctes: s.ctes}
	for _, c := range q.CTEs {
		if old := inner.findCTE(c.Name.Name); old != nil && old.around.outer == s {
			failf(c.Name.Pos, "WITH defines %q twice", c.Name.Name)
		}
		around := *inner
		inner.ctes = &cte{def: c, next: inner.ctes, around: &around}
	}
	return b.query(q.Body, inner)
}

// cteRelation binds a query of WITH where it is used.
func (b *Binder) cteRelation(c *cte, alias string) *relation {
	plan := b.query(c.def.Query, c.around)
	r := relate(alias, plan)
	r.tables[0].rename(c.def.Columns, c.def.Name.Name)
	return r
}

// rename gives the columns of a table other names.
func (t *table) rename(names []ast.Ident, what string) {
	if len(names) == 0 {
		return
	}
	if len(names) != len(t.cols) {
		fail(perr.New(names[0].Pos, "%q has %s, but there are %d names for them", what, count(len(t.cols), "column"), len(names)))
	}
	for i, n := range names {
		t.cols[i].name = n.Name
	}
}

// uniqueNames numbers repeated names of the columns: id, id0, id1.
func uniqueNames(p logical.Plan) logical.Plan {
	names := make([]string, len(p.Schema()))
	used, changed := map[string]bool{}, false
	for i, f := range p.Schema() {
		name := f.Name
		for n := 0; used[name]; n++ {
			name = f.Name + strconv.Itoa(n)
		}
		used[name] = true
		names[i] = name
		changed = changed || name != f.Name
	}
	if !changed {
		return p
	}
	return renamed(p, names)
}

// renamed gives the columns of a plan other names.
func renamed(p logical.Plan, names []string) logical.Plan {
	if n, ok := p.(*logical.Project); ok {
		c := *n
		c.Cols = make([]types.Field, len(n.Cols))
		for i, f := range n.Cols {
			f.Name = names[i]
			c.Cols[i] = f
		}
		return &c
	}
	return project(p, columnsOf(p), names, p.Pos())
}

// setOp combines two queries; their columns are cast to a common type.
func (b *Binder) setOp(q *ast.SetOp, s *scope) logical.Plan {
	l, r := b.query(q.L, s), b.query(q.R, s)
	if n, m := len(l.Schema()), len(r.Schema()); n != m {
		failf(q.Pos, "%s needs as many columns on both sides: %d and %d", q.Op, n, m)
	}
	cols := make([]types.Field, len(l.Schema()))
	for i, f := range l.Schema() {
		g := r.Schema()[i]
		t, err := expr.LeastRestrictive(f.Type, g.Type)
		if err != nil {
			fail(perr.New(q.Pos, "column %d of %s: %s", i+1, q.Op, err))
		}
		t.Attr = types.NoTime
		if q.Op == ast.Union && q.All && f.Type.Attr == g.Type.Attr && f.Type.Equal(g.Type) {
			t.Attr = f.Type.Attr
		}
		cols[i] = types.Field{Name: f.Name, Type: t}
	}
	n := &logical.SetOp{All: q.All, In: []logical.Plan{castTo(l, cols, q.Pos), castTo(r, cols, q.Pos)}, Node: logical.Node{Cols: cols, At: q.Pos}}
	n.Kind = map[ast.SetOpKind]logical.SetKind{ast.Union: logical.Union, ast.Intersect: logical.Intersect, ast.Except: logical.Except}[q.Op]
	return n
}

// castTo gives the columns of a plan other types, if they differ.
func castTo(p logical.Plan, cols []types.Field, at ast.Pos) logical.Plan {
	same := true
	xs := columnsOf(p)
	names := make([]string, len(cols))
	for i, f := range cols {
		x, err := expr.Coerce(xs[i], f.Type)
		check(at, err)
		same = same && x == xs[i]
		xs[i], names[i] = x, p.Schema()[i].Name
	}
	if same {
		return p
	}
	return project(p, xs, names, at)
}

// values binds VALUES.
func (b *Binder) values(q *ast.Values, s *scope) logical.Plan {
	n := &logical.Values{Node: logical.Node{At: q.Pos}}
	e := &env{b: b, s: &scope{outer: s, ctes: s.ctes}, clause: "VALUES"}
	for _, r := range q.Rows {
		if len(r.Items) != len(q.Rows[0].Items) {
			failf(r.Pos, "this row of VALUES has %s, the first one %d", count(len(r.Items), "value"), len(q.Rows[0].Items))
		}
		n.Rows = append(n.Rows, e.exprs(r.Items))
	}
	for i := range n.Rows[0] {
		ts := make([]types.Type, len(n.Rows))
		for j := range n.Rows {
			ts[j] = n.Rows[j][i].Type()
		}
		t, err := expr.LeastRestrictive(ts...)
		check(q.Rows[0].Items[i].Position(), err)
		for j := range n.Rows {
			n.Rows[j][i], err = expr.Coerce(n.Rows[j][i], t)
			check(q.Rows[j].Items[i].Position(), err)
		}
		n.Cols = append(n.Cols, types.Field{Name: exprName(i), Type: t})
	}
	return n
}

package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

var joinKinds = map[ast.JoinKind]op.JoinKind{
	ast.InnerJoin: op.Inner, ast.CrossJoin: op.Inner, ast.LeftJoin: op.Left, ast.RightJoin: op.Right, ast.FullJoin: op.Full,
}

// join binds a join. The right side of some kinds sees the left one's
// columns.
func (b *Binder) join(j *ast.Join, s *scope) *relation {
	left := b.from(j.L, s)
	switch r := j.R.(type) {
	case *ast.Unnest:
		return b.unnestJoin(left, r, j, s)
	case *ast.TableRef:
		if r.AsOf != nil {
			return b.temporalJoin(left, r, j, s)
		}
	case *ast.Derived:
		if r.Lateral {
			return b.lateralJoin(left, r, j, s)
		}
	}
	return b.plainJoin(left, b.from(j.R, s), j, s)
}

// plainJoin joins two relations that do not see each other.
func (b *Binder) plainJoin(left, right *relation, j *ast.Join, s *scope) *relation {
	kind := joinKinds[j.Kind]
	n := &logical.Join{Kind: kind, Left: left.plan, Right: right.plan, Node: logical.Node{At: j.Pos}}
	n.Cols = joinCols(kind, left.plan, right.plan)
	r := beside(left, right)
	r.plan = sides(n)
	using := j.Using
	if j.Natural {
		using = commonNames(left, right)
	}
	switch {
	case len(using) > 0:
		n.Cond = b.using(r, len(left.tables), left, using, kind, j.Pos)
	case j.On != nil:
		n.Cond = b.on(r, j.On, s)
	case j.Kind != ast.CrossJoin && !j.Natural:
		fail(perr.New(j.Pos, "%s JOIN needs ON or USING", j.Kind).WithHint("add ON …, or write CROSS JOIN"))
	}
	r.plan = n
	r.retype()
	return r
}

// beside is the relation of two, columns of the left one first; its plan is
// still to be set.
func beside(left, right *relation) *relation {
	tables, merged := right.shifted(len(left.plan.Schema()))
	return &relation{
		tables: append(append([]*table{}, left.tables...), tables...),
		merged: append(append([]column{}, left.merged...), merged...),
	}
}

// sides stands for both inputs while the condition is bound: an outer join's
// nulls come later.
func sides(n *logical.Join) logical.Plan {
	c := *n
	c.Cols = joinCols(op.Inner, n.Left, n.Right)
	return &c
}

// on binds the condition of a join.
func (b *Binder) on(r *relation, on ast.Expr, s *scope) expr.Expr {
	e := &env{b: b, s: &scope{rel: r, outer: s, ctes: s.ctes}, clause: "ON"}
	if lit, ok := on.(*ast.BoolLit); ok && lit.Value {
		return nil
	}
	return e.condition(on)
}

// commonNames are the columns of a NATURAL JOIN.
func commonNames(left, right *relation) []ast.Ident {
	var using []ast.Ident
	have := map[string]bool{}
	for _, n := range right.names() {
		have[n] = true
	}
	for _, n := range left.names() {
		if have[n] {
			using = append(using, ast.Ident{Name: n})
			have[n] = false
		}
	}
	return using
}

// using compares the named columns of both sides and merges them into one.
func (b *Binder) using(r *relation, leftTables int, left *relation, names []ast.Ident, kind op.JoinKind, pos ast.Pos) expr.Expr {
	l := &relation{tables: r.tables[:leftTables], merged: left.merged}
	rt := &relation{tables: r.tables[leftTables:]}
	var terms []expr.Expr
	merged := []column{}
	for _, id := range names {
		if !id.Pos.IsValid() {
			id.Pos = pos
		}
		x, y := usingColumn(l, id, "left"), usingColumn(rt, id, "right")
		eq, err := expr.NewCall("=", []expr.Expr{x, y})
		check(id.Pos, err)
		terms = append(terms, eq)
		merged = append(merged, column{name: id.Name, x: mergedColumn(x, y, kind, id.Pos)})
		for _, t := range r.tables {
			t.markMerged(id.Name)
		}
	}
	r.merged = append(merged, without(r.merged, names)...)
	return conjunction(terms)
}

func usingColumn(r *relation, id ast.Ident, side string) expr.Expr {
	x, ok := r.plain(id)
	if !ok {
		fail(perr.New(id.Pos, "column %q of USING is not on the %s side", id.Name, side).WithHint("%s", suggest(id.Name, r.names())))
	}
	return x
}

// mergedColumn is the value of a USING column: of the side that is never
// null-extended, or of either.
func mergedColumn(x, y expr.Expr, kind op.JoinKind, pos ast.Pos) expr.Expr {
	switch kind {
	case op.Right:
		return y
	case op.Full:
		x, err := expr.NewCall("COALESCE", []expr.Expr{nullable(x), nullable(y)})
		check(pos, err)
		return x
	}
	return x
}

func nullable(x expr.Expr) expr.Expr {
	c, ok := x.(*expr.Column)
	if !ok {
		return x
	}
	return &expr.Column{Index: c.Index, Name: c.Name, T: c.T.Nullable(true)}
}

func (t *table) markMerged(name string) {
	for i := range t.cols {
		if t.cols[i].name == name {
			t.cols[i].merged = true
		}
	}
}

func without(cols []column, names []ast.Ident) []column {
	var out []column
	for _, c := range cols {
		keep := true
		for _, id := range names {
			keep = keep && id.Name != c.name
		}
		if keep {
			out = append(out, c)
		}
	}
	return out
}

// joinCols are the output columns of a join: the side that may be missing is
// nullable.
func joinCols(kind op.JoinKind, left, right logical.Plan) []types.Field {
	var cols []types.Field
	add := func(p logical.Plan, optional bool) {
		for _, f := range p.Schema() {
			if optional {
				f.Type.NotNull = false
			}
			cols = append(cols, f)
		}
	}
	add(left, kind == op.Right || kind == op.Full)
	if kind != op.Semi && kind != op.Anti {
		add(right, kind == op.Left || kind == op.Full)
	}
	return cols
}

// lateralJoin joins with a query that sees the left side's columns.
func (b *Binder) lateralJoin(left *relation, d *ast.Derived, j *ast.Join, s *scope) *relation {
	kind := joinKinds[j.Kind]
	if kind != op.Inner && kind != op.Left {
		failf(d.Pos, "LATERAL can only stand on the right of an inner or left join")
	}
	plan := b.query(d.Query, &scope{rel: left, outer: s, ctes: s.ctes})
	sub, conds := b.decorrelate(plan)
	right := aliased(relate("", plan), d.Alias)
	right.plan = sub
	n := &logical.Join{Kind: kind, Left: left.plan, Right: sub, Node: logical.Node{At: d.Pos, Cols: joinCols(kind, left.plan, sub)}}
	r := beside(left, right)
	r.plan = sides(n)
	n.Cond = joinCond(conds, len(left.plan.Schema()), asIs)
	if j.On != nil {
		if on := b.on(r, j.On, s); on != nil {
			n.Cond = conjunction(append(expr.Conjuncts(n.Cond), on))
		}
	}
	r.plan = n
	r.retype()
	return r
}

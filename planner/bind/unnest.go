package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// unnestJoin is CROSS JOIN UNNEST(x), or LEFT JOIN UNNEST(x) ON TRUE.
func (b *Binder) unnestJoin(left *relation, u *ast.Unnest, j *ast.Join, s *scope) *relation {
	kind := joinKinds[j.Kind]
	if kind != op.Inner && kind != op.Left {
		failf(u.Pos, "UNNEST can only stand on the right of a cross, inner or left join")
	}
	r := b.unnest(left, u, kind == op.Left, s)
	if j.On == nil {
		return r
	}
	cond := b.on(r, j.On, s)
	if cond == nil {
		return r
	}
	if kind == op.Left {
		fail(perr.NotYet(j.On.Position(), "LEFT JOIN UNNEST with a condition other than TRUE").WithHint("filter in WHERE, or write CROSS JOIN"))
	}
	r.plan = filter(r.plan, expr.Conjuncts(cond), j.On.Position())
	return r
}

// unnest expands a collection of the left side's columns.
func (b *Binder) unnest(left *relation, u *ast.Unnest, outer bool, s *scope) *relation {
	e := &env{b: b, s: &scope{rel: left, outer: s, ctes: s.ctes}, clause: "UNNEST"}
	x := e.expr(u.X)
	n := &logical.Unnest{Input: left.plan, Collection: x, Outer: outer, Ordinality: u.Ordinality, Node: logical.Node{At: u.Pos}}
	cols := elementCols(x.Type(), u)
	if u.Ordinality {
		cols = append(cols, types.Field{Name: "ORDINALITY", Type: types.Of(types.Int).Nullable(false)})
	}
	for i := range cols {
		cols[i].Type.NotNull = cols[i].Type.NotNull && !outer
	}
	n.Cols = append(append([]types.Field{}, left.plan.Schema()...), cols...)
	right := aliased(&relation{plan: n, tables: []*table{newTable("", cols)}}, u.Alias)
	tables, _ := right.shifted(len(left.plan.Schema()))
	return &relation{plan: n, tables: append(append([]*table{}, left.tables...), tables...), merged: left.merged}
}

// elementCols are the columns that an element of a collection makes.
func elementCols(t types.Type, u *ast.Unnest) []types.Field {
	switch t.Kind {
	case types.Array, types.Multiset:
		if t.Elem.Kind == types.Row {
			return fieldsOf(*t.Elem)
		}
		return []types.Field{{Name: exprName(0), Type: *t.Elem}}
	case types.Map:
		return []types.Field{{Name: "KEY", Type: *t.Key}, {Name: "VALUE", Type: *t.Elem}}
	}
	fail(perr.New(u.X.Position(), "UNNEST needs an ARRAY, MAP or MULTISET, not %s", t.Text()))
	return nil
}

// fieldsOf are the columns of a row that may be null.
func fieldsOf(row types.Type) []types.Field {
	fields := make([]types.Field, len(row.Fields))
	for i, f := range row.Fields {
		f.Type.NotNull = f.Type.NotNull && row.NotNull
		fields[i] = f
	}
	return fields
}

package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// Insert binds INSERT INTO: the query's columns are cast to those of the
// table where Flink does so without a CAST.
func (b *Binder) Insert(ins *ast.Insert) (sink *logical.Sink, err error) {
	defer recoverError(&err)
	t := b.target(ins)
	cols := stored(t)
	into := b.insertColumns(ins, t, cols)
	plan := b.query(ins.Query, &scope{})
	if len(plan.Schema()) != len(into) {
		fail(b.insertCount(ins, t, cols, into, plan))
	}
	xs := make([]expr.Expr, len(cols))
	for i, c := range into {
		xs[c] = insertValue(columnOf(plan, i), cols[c], itemPos(ins.Query, i))
	}
	b.fillIn(ins, cols, xs)
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	input := logical.Plan(project(plan, xs, names, ins.Query.Position()))
	if isIdentity(xs, plan) {
		input = plan
	}
	return &logical.Sink{Input: input, Table: t, OnConflict: ins.OnConflict, Node: logical.Node{Cols: cols, At: ins.Target.Pos}}, nil
}

// isIdentity tells whether xs are the columns of p as they are.
func isIdentity(xs []expr.Expr, p logical.Plan) bool {
	if len(xs) != len(p.Schema()) {
		return false
	}
	for i, x := range xs {
		if c, ok := x.(*expr.Column); !ok || c.Index != i {
			return false
		}
	}
	return true
}

func (b *Binder) target(ins *ast.Insert) *catalog.Table {
	name := ins.Target.Name
	p := b.cat.Resolve(name.Names())
	t := b.cat.Table(p)
	if t == nil {
		if b.cat.View(p) != nil {
			failf(name.Pos, "cannot INSERT INTO %q: it is a view", p.Name)
		}
		fail(b.noTable(name, p, &scope{}))
	}
	if ins.Overwrite {
		fail(perr.NotYet(ins.Pos, "INSERT OVERWRITE"))
	}
	if len(ins.Partition) > 0 {
		fail(perr.NotYet(ins.Partition[0].Name.Pos, "INSERT … PARTITION").WithHint("select the partition's columns in the query"))
	}
	return withHints(t, ins.Target.Hints)
}

// insertColumns are the indexes of the columns that the query gives.
func (b *Binder) insertColumns(ins *ast.Insert, t *catalog.Table, cols []types.Field) []int {
	var into []int
	if ins.Columns == nil {
		for i := range cols {
			into = append(into, i)
		}
		return into
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	for _, id := range ins.Columns {
		at := -1
		for i, n := range names {
			if n == id.Name {
				at = i
			}
		}
		if at < 0 {
			fail(notInsertable(id, t, names))
		}
		if contains(into, at) {
			failf(id.Pos, "column %q is in the list twice", id.Name)
		}
		into = append(into, at)
	}
	return into
}

func notInsertable(id ast.Ident, t *catalog.Table, names []string) error {
	for _, c := range t.Columns {
		if c.Name == id.Name {
			return perr.New(id.Pos, "column %q of %q is computed or virtual and cannot be written", id.Name, t.Path.Name)
		}
	}
	return perr.New(id.Pos, "table %q has no column %q", t.Path.Name, id.Name).WithHint("%s", suggest(id.Name, names))
}

func (b *Binder) insertCount(ins *ast.Insert, t *catalog.Table, cols []types.Field, into []int, plan logical.Plan) error {
	want := make([]string, len(into))
	for i, c := range into {
		want[i] = cols[c].Name
	}
	got := make([]string, len(plan.Schema()))
	for i, f := range plan.Schema() {
		got[i] = f.Name
	}
	err := perr.New(ins.Query.Position(), "the query has %s (%s), but %q takes %d (%s)", count(len(got), "column"), strings.Join(got, ", "), t.Path.Name, len(want), strings.Join(want, ", "))
	if len(got) < len(want) {
		return err.WithHint("add the missing ones, or name those that you give: INSERT INTO %s (…)", t.Path.Name)
	}
	return err.WithHint("leave out those that %q does not have", t.Path.Name)
}

// insertValue casts a column of the query to that of the table.
func insertValue(x *expr.Column, to types.Field, pos ast.Pos) expr.Expr {
	if !sinkTakes(x.T, to.Type) {
		fail(perr.New(pos, "column %q is %s, but the query gives it %q of type %s", to.Name, to.Type.Text(), x.Name, x.T.Text()).WithHint("write CAST(… AS %s)", to.Type.Text()))
	}
	y, err := expr.Coerce(x, to.Type)
	check(pos, err)
	return y
}

// itemPos is the place of the i-th column of a query, as far as it has one.
func itemPos(q ast.Query, i int) ast.Pos {
	switch q := q.(type) {
	case *ast.Select:
		for j, it := range q.Items {
			if _, star := it.X.(*ast.Star); star {
				return it.Pos
			}
			if j == i {
				return it.Pos
			}
		}
	case *ast.Values:
		return q.Rows[0].Items[i].Position()
	case *ast.With:
		return itemPos(q.Body, i)
	}
	return q.Position()
}

// fillIn gives NULL to the columns that the list leaves out.
func (b *Binder) fillIn(ins *ast.Insert, cols []types.Field, xs []expr.Expr) {
	for i, x := range xs {
		if x != nil {
			continue
		}
		if cols[i].Type.NotNull {
			fail(perr.New(ins.Target.Pos, "column %q is NOT NULL and has no value", cols[i].Name).WithHint("add it to the list of columns"))
		}
		xs[i] = expr.NullOf(cols[i].Type)
	}
}

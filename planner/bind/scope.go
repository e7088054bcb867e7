package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Columns that do not exist yet while an expression is bound have an index in
// a range of their own; they get their place when the plan below the
// expression is complete.
const (
	subqueryBase = 1 << 20 // column i of the joined scalar subqueries
	overBase     = 1 << 21 // result of OVER call i
	propertyBase = 1 << 22 // property i of the group window
	outerBase    = 1 << 24 // column i of the query around this one; of the one around that: twice
)

// relation is the FROM of a query: a plan, and the names of its columns.
type relation struct {
	plan   logical.Plan
	tables []*table
	merged []column // of USING and NATURAL: found before those of tables
}

// table is one name in FROM.
type table struct {
	name string
	path *catalog.Path // of a catalog table without alias
	cols []column
	hid  string // the name that an alias hides
}

// column is a named expression over the columns of the relation's plan.
type column struct {
	name   string
	x      expr.Expr
	merged bool // stands in relation.merged too: * and plain names find it there
}

// scope is what an expression sees: the relation of its query, and the
// queries around it.
type scope struct {
	rel   *relation // nil: no columns
	outer *scope
	ctes  *cte
}

// cte is one query of WITH, and those before it.
type cte struct {
	def  ast.CTE
	next *cte
	// around is the scope that the query is bound in.
	around *scope
}

func (s *scope) findCTE(name string) *cte {
	for c := s.ctes; c != nil; c = c.next {
		if c.def.Name.Name == name {
			return c
		}
	}
	return nil
}

// newTable names the columns of a plan, whose first has the index offset.
func newTable(name string, fields []types.Field) *table {
	t := &table{name: name}
	for i, f := range fields {
		t.cols = append(t.cols, column{name: f.Name, x: &expr.Column{Index: i, Name: f.Name, T: f.Type}})
	}
	return t
}

// relate is a relation of one table.
func relate(name string, p logical.Plan) *relation {
	return &relation{plan: p, tables: []*table{newTable(name, p.Schema())}}
}

// shifted is r's names when its plan's columns come after by others.
func (r *relation) shifted(by int) ([]*table, []column) {
	shift := func(cols []column) []column {
		out := make([]column, len(cols))
		for i, c := range cols {
			out[i] = column{c.name, expr.Shift(c.x, 0, by), c.merged}
		}
		return out
	}
	var tables []*table
	for _, t := range r.tables {
		c := *t
		c.cols = shift(t.cols)
		tables = append(tables, &c)
	}
	return tables, shift(r.merged)
}

// retype makes the names follow the plan's column types after these changed
// (a time attribute was lost, an outer join made columns nullable).
func (r *relation) retype() {
	fields := r.plan.Schema()
	fix := func(cols []column) {
		for i := range cols {
			cols[i].x = retyped(cols[i].x, fields)
		}
	}
	for _, t := range r.tables {
		fix(t.cols)
	}
	fix(r.merged)
}

// retyped gives the columns in x the types of fields.
func retyped(x expr.Expr, fields []types.Field) expr.Expr {
	return expr.Rewrite(x, func(y expr.Expr) expr.Expr {
		c, ok := y.(*expr.Column)
		if !ok || c.Index >= len(fields) {
			return y
		}
		return &expr.Column{Index: c.Index, Name: c.Name, T: fields[c.Index].Type}
	})
}

// columnOf is column i of a plan.
func columnOf(p logical.Plan, i int) *expr.Column {
	f := p.Schema()[i]
	return &expr.Column{Index: i, Name: f.Name, T: f.Type}
}

// columnsOf are all columns of a plan.
func columnsOf(p logical.Plan) []expr.Expr {
	var xs []expr.Expr
	for i := range p.Schema() {
		xs = append(xs, columnOf(p, i))
	}
	return xs
}

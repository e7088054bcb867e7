package bind

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// CreateView makes the view of a CREATE VIEW, whose query must bind; the
// catalog is not changed.
func (b *Binder) CreateView(c *ast.CreateView) (v *catalog.View, err error) {
	defer recoverError(&err)
	v = &catalog.View{Path: b.cat.Resolve(c.Name.Names()), Temporary: c.Temporary, Query: c.Query, Text: c.QueryText, At: c.Pos}
	if c.Comment != nil {
		v.Comment = *c.Comment
	}
	b.checkView(v.Query, c.Columns)
	for _, id := range c.Columns {
		v.Columns = append(v.Columns, id.Name)
	}
	return v, nil
}

// checkViewNames refuses columns of one name.
func checkViewNames(q ast.Query, p logical.Plan) {
	seen := map[string]bool{}
	for i, f := range p.Schema() {
		if seen[f.Name] {
			fail(perr.New(itemPos(q, i), "the view has two columns %q", f.Name).WithHint("rename one with AS"))
		}
		seen[f.Name] = true
	}
}

// checkView binds a view's query and its column list.
func (b *Binder) checkView(q ast.Query, columns []ast.Ident) {
	p := b.query(q, &scope{})
	if columns == nil {
		checkViewNames(q, p)
		return
	}
	if len(columns) != len(p.Schema()) {
		failf(columns[0].Pos, "the view names %s, but its query has %d", count(len(columns), "column"), len(p.Schema()))
	}
	seen := map[string]bool{}
	for _, id := range columns {
		if seen[id.Name] {
			failf(id.Pos, "the view names column %q twice", id.Name)
		}
		seen[id.Name] = true
	}
}

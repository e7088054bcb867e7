package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// from binds an item of FROM; s is the scope around the query.
func (b *Binder) from(t ast.TableExpr, s *scope) *relation {
	switch t := t.(type) {
	case *ast.TableRef:
		if t.AsOf != nil {
			fail(perr.New(t.Pos, "FOR SYSTEM_TIME AS OF needs a table to join with").WithHint("as a JOIN %s FOR SYSTEM_TIME AS OF a.time ON …", t.Name))
		}
		return b.tableRef(t, s)
	case *ast.Derived:
		return b.derived(t, s)
	case *ast.Join:
		return b.join(t, s)
	case *ast.WindowTVF:
		return b.windowTVF(t, s)
	case *ast.Unnest:
		none := &relation{plan: &logical.Values{Rows: [][]expr.Expr{{}}, Node: logical.Node{At: t.Pos}}}
		r := b.unnest(none, t, false, s)
		return &relation{plan: r.plan, tables: r.tables}
	case *ast.TableFunc:
		fail(tableFunction(t))
	case *ast.MatchRecognize:
		fail(perr.NotYet(t.Pos, "MATCH_RECOGNIZE"))
	}
	panic("bind: unknown table expression")
}

func tableFunction(t *ast.TableFunc) error {
	name := t.Call.FuncName()
	if near := connectors.Nearest(name, []string{"TUMBLE", "HOP", "CUMULATE", "SESSION", "UNNEST"}); near != "" {
		return perr.New(t.Pos, "table function %s not found", name).WithHint("did you mean %s?", near)
	}
	return perr.NotYet(t.Pos, "table function %s", name).WithHint("TUMBLE, HOP, CUMULATE, SESSION and UNNEST are")
}

// aliased applies AS name (columns).
func aliased(r *relation, a ast.Alias) *relation {
	t := r.tables[0]
	if a.Name != nil {
		t.hid, t.name, t.path = t.name, a.Name.Name, nil
	}
	t.rename(a.Columns, t.name)
	return r
}

func (b *Binder) derived(d *ast.Derived, s *scope) *relation {
	return aliased(relate("", b.query(d.Query, s)), d.Alias)
}

// tableRef resolves a name: a query of WITH, a view or a table.
func (b *Binder) tableRef(t *ast.TableRef, s *scope) *relation {
	if len(t.Name.Parts) == 1 {
		if c := s.findCTE(t.Name.Last()); c != nil {
			return aliased(b.cteRelation(c, t.Name.Last()), t.Alias)
		}
	}
	return aliased(b.catalogRelation(t.Name, t.Hints, s), t.Alias)
}

// catalogRelation finds a table or view by name.
func (b *Binder) catalogRelation(name ast.Path, hints []ast.Hint, s *scope) *relation {
	p := b.cat.Resolve(name.Names())
	r := b.named(p, name.Pos, hints)
	if r == nil {
		fail(b.noTable(name, p, s))
	}
	return r
}

// named is the relation of a catalog object; nil if there is none.
func (b *Binder) named(p catalog.Path, pos ast.Pos, hints []ast.Hint) *relation {
	var plan logical.Plan
	if t := b.cat.Table(p); t != nil {
		plan = b.scan(withHints(t, hints), pos)
	} else if v := b.cat.View(p); v != nil {
		plan = b.view(v, pos)
	} else {
		return nil
	}
	r := relate(p.Name, plan)
	r.tables[0].path = &p
	return r
}

// noTable says what was meant.
func (b *Binder) noTable(name ast.Path, p catalog.Path, s *scope) error {
	if p.Catalog != catalog.DefaultCatalog {
		return perr.New(name.Pos, "catalog %q not found", p.Catalog).WithHint("there is %q", catalog.DefaultCatalog)
	}
	if !b.cat.HasDatabase(p.Database) {
		return perr.New(name.Pos, "database %q not found", p.Database).WithHint("%s", suggest(p.Database, b.cat.Databases()))
	}
	tables, views := b.cat.TablesIn(p.Database)
	names := append(tables, views...)
	for c := s.ctes; c != nil; c = c.next {
		names = append(names, c.def.Name.Name)
	}
	err := perr.New(name.Pos, "table %q not found", strings.Join(name.Names(), "."))
	if len(names) == 0 {
		return err.WithHint("database %q has no tables; make one with CREATE TABLE", p.Database)
	}
	return err.WithHint("%s", suggest(p.Name, names))
}

// withHints is the table with the options of /*+ OPTIONS(…) */.
func withHints(t *catalog.Table, hints []ast.Hint) *catalog.Table {
	c := *t
	for _, h := range hints {
		if !strings.EqualFold(h.Name, "OPTIONS") {
			fail(perr.New(h.Pos, "hint %s cannot stand behind a table", strings.ToUpper(h.Name)).WithHint("OPTIONS('key' = 'value') can"))
		}
		options := map[string]string{}
		for k, v := range c.Options {
			options[k] = v
		}
		for _, a := range h.Args {
			options[a.Key] = a.Value
		}
		c.Options = options
	}
	if len(hints) == 0 {
		return t
	}
	return &c
}

// scan is the plan of a catalog table: Scan → Project (computed columns) →
// Watermark.
func (b *Binder) scan(t *catalog.Table, pos ast.Pos) logical.Plan {
	n := &logical.Scan{Table: t, Node: logical.Node{At: pos}}
	computed := false
	for _, c := range t.Columns {
		if c.Computed != nil {
			computed = true
			continue
		}
		n.Cols = append(n.Cols, types.Field{Name: c.Name, Type: c.Type, Doc: c.Comment})
	}
	var p logical.Plan = n
	if computed {
		p = b.computedColumns(t, p)
	}
	if t.Watermark != nil {
		p = b.watermark(t, p)
	}
	return p
}

// tableEnv binds expressions of a CREATE TABLE. Positions in them are those
// of the text that made the table.
func (b *Binder) tableEnv(p logical.Plan, t *catalog.Table, clause string) *env {
	return &env{b: b, s: &scope{rel: relate(t.Path.Name, p)}, clause: clause}
}

func (b *Binder) computedColumns(t *catalog.Table, p logical.Plan) logical.Plan {
	e := b.tableEnv(p, t, "a computed column")
	out := &logical.Project{Input: p, Node: logical.Node{At: p.Pos()}}
	stored := 0
	for _, c := range t.Columns {
		var x expr.Expr
		if c.Computed != nil {
			x = e.expr(c.Computed)
		} else {
			x = columnOf(p, stored)
			stored++
		}
		out.Exprs = append(out.Exprs, x)
		out.Cols = append(out.Cols, types.Field{Name: c.Name, Type: x.Type(), Doc: c.Comment})
	}
	return out
}

// watermark marks the row time; it was checked when the table was made.
func (b *Binder) watermark(t *catalog.Table, p logical.Plan) logical.Plan {
	w := t.Watermark
	e := b.tableEnv(p, t, "WATERMARK")
	time, ok := e.column(&ast.Column{Pos: w.Column.Pos, Parts: w.Column.Parts}).(*expr.Column)
	if !ok {
		fail(perr.New(w.Column.Pos, "WATERMARK needs a column, and %s is a field of one", w.Column).WithHint("make it a computed column: row_time AS %s", w.Column))
	}
	x := e.expr(w.Expr)
	if k := x.Type(); !k.IsTimestamp() || k.Kind != time.T.Kind || k.Precision > 3 {
		cast, err := expr.Coerce(x, time.T)
		if !k.IsTimestamp() || err != nil {
			fail(perr.New(w.Expr.Position(), "the watermark must be of type %s as %q is, not %s", time.T.Text(), time.Name, k.Text()))
		}
		x = cast
	}
	cols := append([]types.Field{}, p.Schema()...)
	cols[time.Index].Type = time.T.WithAttr(types.Rowtime)
	return &logical.Watermark{Input: p, Time: time.Index, Expr: x, Node: logical.Node{Cols: cols, At: p.Pos()}}
}

// view binds the query of a view in an empty scope. An error in it is about
// the place where the view is used.
func (b *Binder) view(v *catalog.View, pos ast.Pos) (p logical.Plan) {
	for _, open := range b.views {
		if open == v.Path {
			fail(perr.New(pos, "view %q uses itself", v.Path.Name))
		}
	}
	defer func(views []catalog.Path, current catalog.Path) {
		b.views, b.cat.Current = views, current
	}(b.views, b.cat.Current)
	b.views = append(b.views, v.Path)
	b.cat.Current = catalog.Path{Catalog: v.Path.Catalog, Database: v.Path.Database}
	inside("view "+v.Path.Name, pos, func() { p = b.query(v.Query, &scope{}) })
	if v.Columns == nil {
		return uniqueNames(p)
	}
	if len(v.Columns) != len(p.Schema()) {
		fail(perr.New(pos, "view %q names %s, but its query has %d", v.Path.Name, count(len(v.Columns), "column"), len(p.Schema())))
	}
	return renamed(p, v.Columns)
}

// inside places an error in the text of a view or function where that is
// used, and says where in its text it is.
func inside(what string, pos ast.Pos, f func()) {
	defer func() {
		r := recover()
		if e, ok := r.(bindError); ok && pos.IsValid() {
			if inner, ok := e.err.(*perr.Error); ok {
				c := *inner
				c.Pos, c.Msg = pos, "in "+what+", "+inner.Pos.String()+": "+inner.Msg
				r = bindError{&c}
			}
		}
		if r != nil {
			panic(r)
		}
	}()
	f()
}

package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// alterTable makes a changed copy of a table and checks it as CREATE TABLE
// does.
func (b *Binder) alterTable(s *ast.AlterTable) {
	p := b.cat.Resolve(s.Name.Names())
	old := b.cat.Table(p)
	if old == nil {
		if s.IfExists {
			return
		}
		fail(b.noTable(s.Name, p, &scope{}))
	}
	d := &definition{b: b, t: copyTable(old)}
	switch a := s.Action.(type) {
	case *ast.AlterRename:
		d.t.Path = b.cat.Resolve(a.To.Names())
		if b.cat.Table(d.t.Path) != nil || b.cat.View(d.t.Path) != nil {
			failf(a.To.Pos, "table %q already exists", a.To)
		}
		if !b.cat.HasDatabase(d.t.Path.Database) {
			failf(a.To.Pos, "database %q not found", d.t.Path.Database)
		}
	case *ast.AlterRenameColumn:
		d.renameColumn(a)
	case *ast.AlterSet:
		d.addOptions(a.Options)
	case *ast.AlterReset:
		d.reset(a)
	case *ast.AlterSchema:
		d.alterSchema(a)
	case *ast.AlterDrop:
		d.dropParts(a)
	default:
		panic("bind: unknown ALTER TABLE")
	}
	d.check(s.Pos)
	b.cat.Replace(old, d.t)
}

func copyTable(t *catalog.Table) *catalog.Table {
	c := *t
	c.Columns = append([]catalog.Column{}, t.Columns...)
	c.Options = map[string]string{}
	for k, v := range t.Options {
		c.Options[k] = v
	}
	return &c
}

func (d *definition) reset(a *ast.AlterReset) {
	for _, k := range a.Keys {
		if k.Key == "connector" {
			failf(k.Pos, "option 'connector' cannot be reset")
		}
		delete(d.t.Options, k.Key)
	}
}

// renameColumn refuses to rename what expressions of the table use.
func (d *definition) renameColumn(a *ast.AlterRenameColumn) {
	c := d.require(a.From.Parts[0], "RENAME")
	if d.find(a.To.Name) >= 0 {
		failf(a.To.Pos, "column %q already exists", a.To.Name)
	}
	d.refuseUsed(c.Name, a.From.Pos)
	for i, k := range d.t.PrimaryKey {
		if k == c.Name {
			d.t.PrimaryKey = append([]string{}, d.t.PrimaryKey...)
			d.t.PrimaryKey[i] = a.To.Name
		}
	}
	for i, k := range d.t.Partitions {
		if k == c.Name {
			d.t.Partitions = append([]string{}, d.t.Partitions...)
			d.t.Partitions[i] = a.To.Name
		}
	}
	c.Name = a.To.Name
}

// refuseUsed refuses to touch a column that a computed column or the watermark
// is made from.
func (d *definition) refuseUsed(name string, pos ast.Pos) {
	for _, c := range d.t.Columns {
		if c.Computed != nil && mentions(c.Computed, name) {
			fail(perr.New(pos, "column %q is used by the computed column %q", name, c.Name).WithHint("drop that first"))
		}
	}
	if w := d.t.Watermark; w != nil && (w.Column.Parts[0].Name == name || mentions(w.Expr, name)) {
		fail(perr.New(pos, "column %q is used by the WATERMARK", name).WithHint("ALTER TABLE … DROP WATERMARK first"))
	}
}

func mentions(x ast.Expr, name string) bool {
	found := false
	walk(x, func(x ast.Expr) bool {
		c, ok := x.(*ast.Column)
		found = found || ok && c.Parts[0].Name == name
		return !found
	})
	return found
}

// alterSchema is ADD and MODIFY.
func (d *definition) alterSchema(a *ast.AlterSchema) {
	for i := range a.Columns {
		d.putColumn(&a.Columns[i], a.Modify)
	}
	if len(a.Watermarks) > 0 {
		switch {
		case a.Modify && d.t.Watermark == nil:
			fail(perr.New(a.Pos, "the table has no WATERMARK to modify").WithHint("use ADD"))
		case !a.Modify && d.t.Watermark != nil:
			fail(perr.New(a.Pos, "the table has a WATERMARK already").WithHint("use MODIFY"))
		}
		d.t.Watermark = nil
		d.addWatermarks(a.Watermarks)
	}
	if a.PrimaryKey != nil {
		if a.Modify && d.t.PrimaryKey == nil {
			fail(perr.New(a.Pos, "the table has no PRIMARY KEY to modify").WithHint("use ADD"))
		}
		if a.Modify {
			d.t.PrimaryKey = nil
		}
		d.setPrimaryKey(a.PrimaryKey)
	}
}

// putColumn adds or replaces a column, and moves it to its place.
func (d *definition) putColumn(c *ast.ColumnChange, modify bool) {
	at := d.find(c.Name.Name)
	col := columnOfDef(&c.ColumnDef)
	switch {
	case modify && at < 0:
		d.require(c.Name, "MODIFY")
	case !modify && at >= 0:
		failf(c.Name.Pos, "column %q already exists", c.Name.Name)
	case modify:
		if slices.Contains(d.t.PrimaryKey, col.Name) {
			col.Type.NotNull = true
		}
		d.t.Columns[at] = col
		if !c.First && c.After == nil {
			return
		}
		d.t.Columns = append(d.t.Columns[:at], d.t.Columns[at+1:]...)
	}
	at = len(d.t.Columns)
	if c.First {
		at = 0
	}
	if c.After != nil {
		d.require(*c.After, "AFTER")
		at = d.find(c.After.Name) + 1
	}
	d.t.Columns = append(d.t.Columns[:at], append([]catalog.Column{col}, d.t.Columns[at:]...)...)
}

// dropParts drops columns, the key or the watermark.
func (d *definition) dropParts(a *ast.AlterDrop) {
	for _, p := range a.Columns {
		c := d.require(p.Parts[0], "DROP")
		if slices.Contains(d.t.PrimaryKey, c.Name) {
			failf(p.Pos, "column %q is in the PRIMARY KEY", c.Name)
		}
		if slices.Contains(d.t.Partitions, c.Name) {
			failf(p.Pos, "column %q is in PARTITIONED BY", c.Name)
		}
		at := d.find(c.Name)
		name := c.Name
		d.t.Columns = append(d.t.Columns[:at], d.t.Columns[at+1:]...)
		d.refuseUsed(name, p.Pos)
	}
	if a.PrimaryKey || a.Constraint != nil {
		if d.t.PrimaryKey == nil {
			failf(a.Pos, "the table has no PRIMARY KEY")
		}
		d.t.PrimaryKey, d.t.Constraint = nil, ""
	}
	if a.Watermark {
		if d.t.Watermark == nil {
			failf(a.Pos, "the table has no WATERMARK")
		}
		d.t.Watermark = nil
	}
}

// alterView renames a view or gives it another query.
func (b *Binder) alterView(s *ast.AlterView) {
	p := b.cat.Resolve(s.Name.Names())
	old := b.cat.View(p)
	if old == nil {
		_, views := b.cat.TablesIn(p.Database)
		fail(perr.New(s.Name.Pos, "view %q not found", p.Name).WithHint("%s", suggest(p.Name, views)))
	}
	v := *old
	if s.RenameTo != nil {
		v.Path = b.cat.Resolve(s.RenameTo.Names())
		if b.cat.Table(v.Path) != nil || b.cat.View(v.Path) != nil {
			failf(s.RenameTo.Pos, "view %q already exists", s.RenameTo)
		}
	} else {
		b.checkView(s.Query, nil)
		v.Query, v.Text, v.Columns = s.Query, s.QueryText, nil
	}
	b.cat.ReplaceView(old, &v)
}

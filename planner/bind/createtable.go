package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// CreateTable makes the table of a CREATE TABLE, also with LIKE and AS; the
// catalog is not changed. The options are checked when the table is used.
func (b *Binder) CreateTable(c *ast.CreateTable) (t *catalog.Table, err error) {
	defer recoverError(&err)
	t = &catalog.Table{Path: b.cat.Resolve(c.Name.Names()), Temporary: c.Temporary, Options: map[string]string{}, At: c.Pos}
	if c.Comment != nil {
		t.Comment = *c.Comment
	}
	d := &definition{b: b, t: t}
	if c.Like != nil {
		d.like(c.Like)
	}
	for i := range c.Columns {
		d.addColumn(&c.Columns[i])
	}
	if c.AsQuery != nil {
		d.addQuery(c)
	}
	d.addOptions(c.Options)
	for _, p := range c.PartitionedBy {
		d.require(p, "PARTITIONED BY")
		t.Partitions = append(t.Partitions, p.Name)
	}
	d.addWatermarks(c.Watermarks)
	if c.PrimaryKey != nil {
		d.setPrimaryKey(c.PrimaryKey)
	}
	d.check(c.Pos)
	return t, nil
}

// definition is a table while it is defined or altered.
type definition struct {
	b *Binder
	t *catalog.Table
	// overwrite says that a column of that kind may replace one of LIKE.
	overwrite map[string]bool
}

func (d *definition) find(name string) int {
	for i, c := range d.t.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// require refuses a name that is no column.
func (d *definition) require(id ast.Ident, what string) *catalog.Column {
	i := d.find(id.Name)
	if i < 0 {
		fail(perr.New(id.Pos, "%s names column %q, which the table does not have", what, id.Name).WithHint("%s", suggest(id.Name, d.names())))
	}
	return &d.t.Columns[i]
}

func (d *definition) names() []string {
	var names []string
	for _, c := range d.t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// addColumn adds a column at the end; types of computed ones come later, for
// they may use any stored column.
func (d *definition) addColumn(c *ast.ColumnDef) {
	col := columnOfDef(c)
	if i := d.find(c.Name.Name); i >= 0 {
		old := d.t.Columns[i]
		if !(d.overwrite["GENERATED"] && old.Computed != nil || d.overwrite["METADATA"] && old.Metadata != "") {
			fail(perr.New(c.Name.Pos, "column %q is declared twice", c.Name.Name))
		}
		d.t.Columns[i] = col
		return
	}
	d.t.Columns = append(d.t.Columns, col)
}

func columnOfDef(c *ast.ColumnDef) catalog.Column {
	col := catalog.Column{Name: c.Name.Name, At: c.Name.Pos, Virtual: c.Virtual}
	if c.Comment != nil {
		col.Comment = *c.Comment
	}
	switch c.Kind {
	case ast.Computed:
		col.Computed = c.Expr
		return col
	case ast.Metadata:
		col.Metadata = c.MetadataKey
		if col.Metadata == "" {
			col.Metadata = c.Name.Name
		}
	}
	col.Type = typeOf(c.Type)
	if col.Type.Kind == types.Null || col.Type.IsInterval() {
		failf(c.Type.Pos, "a column cannot be of type %s", col.Type.Text())
	}
	return col
}

// addQuery adds the columns of CREATE TABLE … AS that are not declared.
func (d *definition) addQuery(c *ast.CreateTable) {
	plan := uniqueNames(d.b.query(c.AsQuery, &scope{}))
	for _, f := range plan.Schema() {
		if d.find(f.Name) < 0 {
			d.t.Columns = append(d.t.Columns, catalog.Column{Name: f.Name, Type: f.Type.WithAttr(types.NoTime), At: c.AsQuery.Position()})
		}
	}
}

func (d *definition) addOptions(options []ast.Option) {
	seen := map[string]bool{}
	for _, o := range options {
		if seen[o.Key] {
			failf(o.Pos, "option '%s' is given twice", o.Key)
		}
		seen[o.Key] = true
		d.t.Options[o.Key] = o.Value
	}
}

func (d *definition) addWatermarks(ws []ast.Watermark) {
	if len(ws) > 1 {
		failf(ws[1].Pos, "a table can have one WATERMARK only")
	}
	if len(ws) == 0 {
		return
	}
	if d.t.Watermark != nil && !d.overwrite["WATERMARKS"] {
		fail(perr.New(ws[0].Pos, "the table of LIKE has a WATERMARK already").WithHint("write LIKE … (EXCLUDING WATERMARKS), or OVERWRITING WATERMARKS"))
	}
	d.t.Watermark = &ws[0]
}

func (d *definition) setPrimaryKey(k *ast.PrimaryKey) {
	if k.Enforced {
		fail(perr.New(k.Pos, "a PRIMARY KEY cannot be enforced on a stream").WithHint("write PRIMARY KEY (…) NOT ENFORCED"))
	}
	if d.t.PrimaryKey != nil {
		failf(k.Pos, "the table has a PRIMARY KEY already: (%s)", strings.Join(d.t.PrimaryKey, ", "))
	}
	if k.Constraint != nil {
		d.t.Constraint = k.Constraint.Name
	}
	for _, id := range k.Columns {
		c := d.require(id, "PRIMARY KEY")
		if c.Computed != nil {
			failf(id.Pos, "column %q is computed and cannot be in the PRIMARY KEY", id.Name)
		}
		if c.Metadata != "" {
			failf(id.Pos, "column %q is a metadata column and cannot be in the PRIMARY KEY", id.Name)
		}
		for _, other := range d.t.PrimaryKey {
			if other == id.Name {
				failf(id.Pos, "PRIMARY KEY names column %q twice", id.Name)
			}
		}
		c.Type.NotNull = true
		d.t.PrimaryKey = append(d.t.PrimaryKey, id.Name)
	}
}

// check binds the computed columns, which sets their types, and the
// watermark.
func (d *definition) check(pos ast.Pos) {
	if len(d.t.Columns) == 0 {
		failf(pos, "table %q has no columns", d.t.Path.Name)
	}
	d.checkMetadata()
	stored := &catalog.Table{Path: d.t.Path}
	for _, c := range d.t.Columns {
		if c.Computed == nil {
			stored.Columns = append(stored.Columns, c)
		}
	}
	e := d.b.tableEnv(d.b.scan(stored, pos), d.t, "a computed column")
	for i, c := range d.t.Columns {
		if c.Computed != nil {
			d.t.Columns[i].Type = d.computedType(e, c)
		}
	}
	if d.t.Watermark != nil {
		d.checkWatermark(pos)
	}
}

func (d *definition) computedType(e *env, c catalog.Column) types.Type {
	if hasQuery(c.Computed) {
		failf(c.At, "computed column %q cannot hold a subquery", c.Name)
	}
	walk(c.Computed, func(x ast.Expr) bool {
		if ref, ok := x.(*ast.Column); ok {
			if i := d.find(ref.Parts[0].Name); i >= 0 && d.t.Columns[i].Computed != nil {
				fail(perr.New(ref.Pos, "computed column %q uses %q, which is computed too", c.Name, ref.Parts[0].Name).WithHint("repeat its expression"))
			}
		}
		return true
	})
	t := e.expr(c.Computed).Type()
	if t.Kind == types.Null {
		fail(perr.New(c.Computed.Position(), "computed column %q has no type", c.Name).WithHint("CAST it"))
	}
	return t
}

// checkMetadata refuses keys that the connector does not have; of a connector
// that is not known the use of the table tells.
func (d *definition) checkMetadata() {
	known, ok := connectors.Lookup(d.t.Options["connector"])
	if !ok || known.Formats {
		return
	}
	var keys []string
	for _, m := range known.Metadata {
		keys = append(keys, m.Key)
	}
	for _, c := range d.t.Columns {
		if c.Metadata == "" {
			continue
		}
		found := false
		for _, k := range keys {
			found = found || k == c.Metadata
		}
		if !found {
			fail(perr.New(c.At, "connector '%s' has no metadata '%s'", known.Name, c.Metadata).WithHint("%s", suggest(c.Metadata, keys)))
		}
	}
}

// checkWatermark refuses a WATERMARK that makes no row time.
func (d *definition) checkWatermark(pos ast.Pos) {
	w := d.t.Watermark
	if len(w.Column.Parts) == 1 {
		d.require(w.Column.Parts[0], "WATERMARK")
	}
	plain := *d.t
	plain.Watermark = nil
	e := d.b.tableEnv(d.b.scan(&plain, pos), d.t, "WATERMARK")
	t := e.column(&ast.Column{Pos: w.Column.Pos, Parts: w.Column.Parts}).Type()
	if !t.IsTimestamp() || t.Precision > 3 {
		hint := "TIMESTAMP(3) or TIMESTAMP_LTZ(3)"
		if t.IsTimestamp() {
			hint = "a computed column: row_time AS CAST(" + w.Column.String() + " AS TIMESTAMP(3))"
		} else if t.IsString() {
			hint = "a computed column: row_time AS TO_TIMESTAMP(" + w.Column.String() + ")"
		} else if t.Kind == types.BigInt {
			hint = "a computed column: row_time AS TO_TIMESTAMP_LTZ(" + w.Column.String() + ", 3)"
		}
		fail(perr.New(w.Column.Pos, "WATERMARK needs a column of type TIMESTAMP(p) or TIMESTAMP_LTZ(p), p at most 3; %q is %s", w.Column, t.Text()).WithHint("use %s", hint))
	}
	if t.Attr == types.Proctime {
		failf(w.Column.Pos, "WATERMARK cannot be declared for %q: it is the processing time", w.Column)
	}
	d.b.watermark(d.t, d.b.scan(&plain, pos))
}

// stored are the columns that a sink writes: not the computed ones, nor
// virtual metadata.
func stored(t *catalog.Table) []types.Field {
	var fields []types.Field
	for _, c := range t.Columns {
		if c.Computed == nil && !(c.Metadata != "" && c.Virtual) {
			fields = append(fields, types.Field{Name: c.Name, Type: c.Type, Doc: c.Comment})
		}
	}
	return fields
}

package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// SchemaColumn is a row of DESCRIBE. Key, Extras, Watermark and Comment are ""
// where Flink prints NULL.
type SchemaColumn struct {
	Name      string
	Type      string // with its time attribute, without NOT NULL
	Null      bool
	Key       string // PRI(a, b)
	Extras    string // AS expression, METADATA FROM 'key' VIRTUAL
	Watermark string // the expression of WATERMARK FOR this column
	Comment   string
}

// Describe is the schema of a table or view by name.
func (b *Binder) Describe(name ast.Path) (cols []SchemaColumn, err error) {
	defer recoverError(&err)
	p := b.cat.Resolve(name.Names())
	if v := b.cat.View(p); v != nil {
		return b.viewSchema(v), nil
	}
	t := b.cat.Table(p)
	if t == nil {
		fail(b.noTable(name, p, &scope{}))
	}
	return b.tableSchema(t), nil
}

// TableSchema is what DESCRIBE prints of a table.
func (b *Binder) TableSchema(t *catalog.Table) (cols []SchemaColumn, err error) {
	defer recoverError(&err)
	return b.tableSchema(t), nil
}

func (b *Binder) tableSchema(t *catalog.Table) []SchemaColumn {
	fields := b.scan(t, t.At).Schema()
	cols := make([]SchemaColumn, len(fields))
	for i, f := range fields {
		c := t.Columns[i]
		cols[i] = schemaColumn(f)
		cols[i].Comment = c.Comment
		cols[i].Extras = extras(&c)
		if slices.Contains(t.PrimaryKey, c.Name) {
			cols[i].Key = "PRI(" + strings.Join(t.PrimaryKey, ", ") + ")"
		}
		if w := t.Watermark; w != nil && w.Column.String() == c.Name {
			cols[i].Watermark = sqlText(w.Expr)
		}
	}
	return cols
}

func (b *Binder) viewSchema(v *catalog.View) []SchemaColumn {
	var cols []SchemaColumn
	for _, f := range b.view(v, ast.Pos{}).Schema() {
		cols = append(cols, schemaColumn(f))
	}
	return cols
}

func schemaColumn(f types.Field) SchemaColumn {
	return SchemaColumn{Name: f.Name, Type: f.Type.Nullable(true).String(), Null: !f.Type.NotNull}
}

// extras says where the value of a column comes from that is not physical.
func extras(c *catalog.Column) string {
	switch {
	case c.Computed != nil:
		return "AS " + sqlText(c.Computed)
	case c.Metadata != "":
		return metadataText(c)
	}
	return ""
}

func metadataText(c *catalog.Column) string {
	s := "METADATA"
	if c.Metadata != c.Name {
		s += " FROM " + quoted(c.Metadata)
	}
	if c.Virtual {
		s += " VIRTUAL"
	}
	return s
}

// sqlText is an expression with all names in backquotes, as Flink prints it.
func sqlText(x ast.Expr) string {
	walk(x, func(x ast.Expr) bool {
		if c, ok := x.(*ast.Column); ok {
			for i := range c.Parts {
				c.Parts[i].Quoted = true // says only that it is no keyword
			}
		}
		return true
	})
	return ast.Print(x)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func backquoted(names ...string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + strings.ReplaceAll(n, "`", "``") + "`"
	}
	return strings.Join(out, ", ")
}

// ShowCreateTable is the statement that makes the table again; secrets are
// masked.
func (b *Binder) ShowCreateTable(name ast.Path) (text string, err error) {
	defer recoverError(&err)
	p := b.cat.Resolve(name.Names())
	t := b.cat.Table(p)
	if t == nil {
		if b.cat.View(p) != nil {
			fail(perr.New(name.Pos, "%q is a view", p.Name).WithHint("use SHOW CREATE VIEW"))
		}
		fail(b.noTable(name, p, &scope{}))
	}
	return createTableText(t), nil
}

// ShowCreateView is the statement that makes the view again.
func (b *Binder) ShowCreateView(name ast.Path) (text string, err error) {
	defer recoverError(&err)
	p := b.cat.Resolve(name.Names())
	v := b.cat.View(p)
	if v == nil {
		_, views := b.cat.TablesIn(p.Database)
		fail(perr.New(name.Pos, "view %q not found", p.Name).WithHint("%s", suggest(p.Name, views)))
	}
	s := "CREATE " + temporary(v.Temporary) + "VIEW " + pathText(v.Path)
	if v.Columns != nil {
		s += " (" + backquoted(v.Columns...) + ")"
	}
	if v.Comment != "" {
		s += " COMMENT " + quoted(v.Comment)
	}
	return s + "\nAS " + v.Text, nil
}

func temporary(yes bool) string {
	if yes {
		return "TEMPORARY "
	}
	return ""
}

func pathText(p catalog.Path) string {
	return backquoted(p.Catalog) + "." + backquoted(p.Database) + "." + backquoted(p.Name)
}

func createTableText(t *catalog.Table) string {
	var parts []string
	for i := range t.Columns {
		parts = append(parts, columnText(&t.Columns[i]))
	}
	if w := t.Watermark; w != nil {
		parts = append(parts, "WATERMARK FOR "+backquoted(w.Column.Names()...)+" AS "+sqlText(w.Expr))
	}
	if t.PrimaryKey != nil {
		constraint := ""
		if t.Constraint != "" {
			constraint = "CONSTRAINT " + backquoted(t.Constraint) + " "
		}
		parts = append(parts, constraint+"PRIMARY KEY ("+backquoted(t.PrimaryKey...)+") NOT ENFORCED")
	}
	s := "CREATE " + temporary(t.Temporary) + "TABLE " + pathText(t.Path) + " (\n  " + strings.Join(parts, ",\n  ") + "\n)"
	if t.Comment != "" {
		s += "\nCOMMENT " + quoted(t.Comment)
	}
	if t.Partitions != nil {
		s += "\nPARTITIONED BY (" + backquoted(t.Partitions...) + ")"
	}
	return s + optionsText(t.Options)
}

func columnText(c *catalog.Column) string {
	s := backquoted(c.Name) + " "
	switch {
	case c.Computed != nil:
		s += "AS " + sqlText(c.Computed)
	case c.Metadata != "":
		s += c.Type.String() + " " + metadataText(c)
	default:
		s += c.Type.String()
	}
	if c.Comment != "" {
		s += " COMMENT " + quoted(c.Comment)
	}
	return s
}

func optionsText(options map[string]string) string {
	if len(options) == 0 {
		return ""
	}
	var keys []string
	for k := range options {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	lines := make([]string, len(keys))
	for i, k := range keys {
		v := options[k]
		if isSecret(k) {
			v = "******"
		}
		lines[i] = "  " + quoted(k) + " = " + quoted(v)
	}
	return "\nWITH (\n" + strings.Join(lines, ",\n") + "\n)"
}

// isSecret tells by its name that an option's value must not be shown.
func isSecret(key string) bool {
	for _, word := range []string{"password", "secret", "jaas", "token", "keystore.key"} {
		if strings.Contains(strings.ToLower(key), word) {
			return true
		}
	}
	return false
}

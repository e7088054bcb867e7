package kafka

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec/types"
)

// part is the key or the value of a record: its format, its fields, and the
// table columns that they are.
type part struct {
	format  *format.Format // nil: there is no key
	prefix  string         // of the format's options
	fields  []types.Field
	columns []int // table column of each field
}

// layout is how the columns of a table lie in records.
type layout struct {
	key, value part
	topics     []string
}

// layoutOf reads topic, formats, and which column is where.
func layoutOf(t *connectors.Table, upsert bool) (*layout, error) {
	l := &layout{topics: t.Options.List(optTopic)}
	if len(l.topics) == 0 {
		return nil, fmt.Errorf("option '%s' is missing", optTopic)
	}
	var err error
	if upsert {
		err = l.upsert(t)
	} else {
		err = l.append(t)
	}
	if err != nil {
		return nil, err
	}
	return l, l.values(t)
}

func (l *layout) append(t *connectors.Table) error {
	o := t.Options
	if len(t.PrimaryKey) > 0 {
		return fmt.Errorf("a 'kafka' table holds every row, so it cannot have a PRIMARY KEY; take 'connector' = 'upsert-kafka' for a table by key")
	}
	if o.Given(optFormat) == o.Given(optValFormat) {
		return fmt.Errorf("give one of '%s' and '%s'", optFormat, optValFormat)
	}
	l.value.prefix = "value."
	name := o.Text(optValFormat)
	if o.Given(optFormat) {
		name, l.value.prefix = o.Text(optFormat), ""
	}
	var err error
	if l.value.format, err = lookup(name); err != nil {
		return err
	}
	names := o.List(optKeyFields)
	if !o.Given(optKeyFormat) {
		if len(names) > 0 {
			return fmt.Errorf("'%s' needs '%s'", optKeyFields, optKeyFormat)
		}
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("'%s' needs '%s': the columns of the key", optKeyFormat, optKeyFields)
	}
	var columns []int
	for _, n := range names {
		i := slices.IndexFunc(t.Columns, func(c connectors.Column) bool { return c.Name == n && c.Metadata == "" })
		if i < 0 {
			return fmt.Errorf("'%s': the table has no physical column %q", optKeyFields, n)
		}
		columns = append(columns, i)
	}
	return l.keys(t, columns)
}

func (l *layout) upsert(t *connectors.Table) error {
	o := t.Options
	if len(t.PrimaryKey) == 0 {
		return fmt.Errorf("an 'upsert-kafka' table needs PRIMARY KEY (…) NOT ENFORCED: its columns are the record's key")
	}
	if len(l.topics) > 1 {
		return fmt.Errorf("'%s': an 'upsert-kafka' table has one topic", optTopic)
	}
	for _, k := range []string{optKeyFormat, optValFormat} {
		if !o.Given(k) {
			return fmt.Errorf("option '%s' is missing: an 'upsert-kafka' table needs both formats", k)
		}
	}
	var err error
	l.value.prefix = "value."
	if l.value.format, err = lookup(o.Text(optValFormat)); err != nil {
		return err
	}
	if l.value.format.Changelog != connectors.Append {
		return fmt.Errorf("'%s': format '%s' has changes of its own; 'upsert-kafka' takes one of plain rows", optValFormat, l.value.format.Name)
	}
	return l.keys(t, t.PrimaryKey)
}

func lookup(name string) (*format.Format, error) {
	f, ok := format.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown format '%s'", name)
	}
	return f, nil
}

func (l *layout) keys(t *connectors.Table, columns []int) error {
	f, err := lookup(t.Options.Text(optKeyFormat))
	if err != nil {
		return err
	}
	if f.Changelog != connectors.Append {
		return fmt.Errorf("'%s': format '%s' has changes of its own and cannot be a key's", optKeyFormat, f.Name)
	}
	l.key = part{format: f, prefix: "key.", columns: columns}
	prefix := t.Options.Text(optKeyPrefix)
	if prefix != "" && t.Options.Enum(optInclude) == "all" {
		return fmt.Errorf("'%s' needs '%s' = 'EXCEPT_KEY'", optKeyPrefix, optInclude)
	}
	for _, c := range columns {
		name, ok := strings.CutPrefix(t.Columns[c].Name, prefix)
		if !ok {
			return fmt.Errorf("'%s' = '%s': key column %q does not begin with it", optKeyPrefix, prefix, t.Columns[c].Name)
		}
		l.key.fields = append(l.key.fields, types.Field{Name: name, Type: t.Columns[c].Type})
	}
	return nil
}

func (l *layout) values(t *connectors.Table) error {
	except := t.Options.Enum(optInclude) == "except_key"
	for i, c := range t.Columns {
		if c.Metadata != "" || except && slices.Contains(l.key.columns, i) {
			continue
		}
		l.value.columns = append(l.value.columns, i)
		l.value.fields = append(l.value.fields, types.Field{Name: c.Name, Type: c.Type})
	}
	if len(l.value.columns) == 0 {
		return fmt.Errorf("the table has no column in the record's value")
	}
	return nil
}

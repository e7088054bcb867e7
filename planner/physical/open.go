package physical

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// scanOptions are the keys that the planner itself understands on every
// source.
var scanOptions = []connectors.Option{
	{Key: "scan.watermark.idle-timeout", Kind: connectors.Duration, Doc: "takes a silent split out of the watermark after this time"},
	{Key: "scan.watermark.emit.strategy", Kind: connectors.Enum, Values: []string{"on-periodic", "on-event"}, Default: "on-periodic", Doc: "emit a watermark with every row that raises it, or periodically"},
	{Key: "scan.watermark.alignment.group", Doc: "aligns sources of a group", Unsupported: true},
	{Key: "scan.watermark.alignment.max-drift", Doc: "aligns sources of a group", Unsupported: true},
	{Key: "scan.watermark.alignment.update-interval", Doc: "aligns sources of a group", Unsupported: true},
}

func openSource(at ast.Pos, t *catalog.Table, cfg Config) (connectors.SourceTable, *connectors.Table, error) {
	c, ct, err := openTable(t, cfg)
	if err != nil {
		return nil, nil, tableError(at, t, err)
	}
	if c.Source == nil {
		return nil, nil, perr.New(at, "table %s cannot be read: connector '%s' is for writing only", t.Path.Name, c.Name)
	}
	s, err := c.Source(ct)
	return s, ct, tableError(at, t, err)
}

func openSink(at ast.Pos, t *catalog.Table, rowtime int, cfg Config) (connectors.SinkTable, error) {
	c, ct, err := openTable(t, cfg)
	if err != nil {
		return nil, tableError(at, t, err)
	}
	if c.Sink == nil {
		return nil, perr.New(at, "table %s cannot be written: connector '%s' is for reading only", t.Path.Name, c.Name)
	}
	markRowtime(ct, rowtime)
	s, err := c.Sink(ct)
	return s, tableError(at, t, err)
}

// markRowtime sets Rowtime on the i-th column that is written.
func markRowtime(t *connectors.Table, i int) {
	for c := range t.Columns {
		if t.Columns[c].Virtual {
			continue
		}
		if i == 0 {
			t.Columns[c].Rowtime = true
		}
		i--
	}
}

// tableError places err, and says which table it is about.
func tableError(at ast.Pos, t *catalog.Table, err error) error {
	if err == nil {
		return nil
	}
	var placed *perr.Error
	if errors.As(err, &placed) {
		return err
	}
	e := perr.New(at, "table %s: %s", t.Path.Name, err)
	var lacking *connectors.UnsupportedError
	if errors.As(err, &lacking) {
		e.Kind = perr.Unsupported
	}
	var option *connectors.OptionError
	if errors.As(err, &option) {
		e.Option = perr.Option{Table: t.Path.String(), Key: option.Key}
	}
	return e
}

func openTable(t *catalog.Table, cfg Config) (*connectors.Connector, *connectors.Table, error) {
	c, err := connectorOf(t)
	if err != nil {
		return nil, nil, err
	}
	known, err := knownOptions(c, t.Options)
	if err != nil {
		return nil, nil, err
	}
	given := map[string]string{}
	for k, v := range t.Options {
		if k != "connector" {
			given[k] = v
		}
	}
	o, err := connectors.NewOptions(given, known)
	if err != nil {
		return nil, nil, err
	}
	ct := &connectors.Table{Name: t.Path.Name, Options: o, Env: cfg.env()}
	if err := addColumns(ct, t, c); err != nil {
		return nil, nil, err
	}
	return c, ct, nil
}

func connectorOf(t *catalog.Table) (*connectors.Connector, error) {
	name, ok := t.Options["connector"]
	var names []string
	for _, c := range connectors.All() {
		names = append(names, c.Name)
	}
	if !ok {
		return nil, fmt.Errorf("option 'connector' is missing; one of '%s'", strings.Join(names, "', '"))
	}
	c, ok := connectors.Lookup(name)
	if !ok {
		return nil, &connectors.OptionError{Key: "connector", Err: fmt.Errorf("unknown connector '%s'; %s", name, suggestion(name, names))}
	}
	return c, nil
}

func suggestion(word string, known []string) string {
	s := connectors.Nearest(word, known)
	if i := slices.IndexFunc(known, func(k string) bool { return sameLetters(word, k) }); s == "" && i >= 0 {
		s = known[i]
	}
	if s != "" {
		return fmt.Sprintf("did you mean '%s'?", s)
	}
	return fmt.Sprintf("known are '%s'", strings.Join(known, "', '"))
}

// sameLetters: letters that changed places are two edits of a short word.
func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// formatKeys are the options that choose formats, and what stands before the
// keys of the format they choose.
var formatKeys = []struct{ key, prefix string }{{"format", ""}, {"value.format", "value."}, {"key.format", "key."}}

// knownOptions are the connector's, those of the chosen formats, and the
// planner's.
func knownOptions(c *connectors.Connector, given map[string]string) ([]connectors.Option, error) {
	known := slices.Clone(c.Options)
	if c.Formats {
		for _, k := range formatKeys {
			name, ok := given[k.key]
			if !ok {
				continue
			}
			f, ok := format.Lookup(name)
			if !ok {
				return nil, unknownFormat(k.key, name)
			}
			for _, o := range f.Options {
				o.Key = k.prefix + o.Key
				known = append(known, o)
			}
		}
	}
	for _, o := range scanOptions {
		if !slices.ContainsFunc(known, func(k connectors.Option) bool { return k.Key == o.Key }) {
			known = append(known, o)
		}
	}
	return known, nil
}

func unknownFormat(key, name string) error {
	var names []string
	for _, f := range format.All() {
		names = append(names, f.Name)
	}
	return &connectors.OptionError{Key: key, Err: fmt.Errorf("option '%s' = '%s': unknown format; %s", key, name, suggestion(name, names))}
}

// addColumns gives the connector the physical and metadata columns.
func addColumns(ct *connectors.Table, t *catalog.Table, c *connectors.Connector) error {
	index := map[string]int{}
	for _, col := range t.Columns {
		if col.Computed != nil {
			continue
		}
		if col.Metadata != "" && !slices.ContainsFunc(c.Metadata, func(m connectors.Metadata) bool { return m.Key == col.Metadata }) {
			return unknownMetadata(col, c)
		}
		index[col.Name] = len(ct.Columns)
		ct.Columns = append(ct.Columns, connectors.Column{Name: col.Name, Type: col.Type, Metadata: col.Metadata, Virtual: col.Virtual})
	}
	for _, k := range t.PrimaryKey {
		i, ok := index[k]
		if !ok {
			return fmt.Errorf("primary key column %q is not a physical column", k)
		}
		ct.PrimaryKey = append(ct.PrimaryKey, i)
	}
	for _, k := range t.Partitions {
		i, ok := index[k]
		if !ok {
			return fmt.Errorf("partition column %q is not a physical column", k)
		}
		ct.PartitionedBy = append(ct.PartitionedBy, i)
	}
	return nil
}

func unknownMetadata(col catalog.Column, c *connectors.Connector) error {
	var keys []string
	for _, m := range c.Metadata {
		keys = append(keys, m.Key)
	}
	if len(keys) == 0 {
		return fmt.Errorf("column %q: connector '%s' has no metadata", col.Name, c.Name)
	}
	return fmt.Errorf("column %q: connector '%s' has no metadata '%s'; %s", col.Name, c.Name, col.Metadata, suggestion(col.Metadata, keys))
}

// Package datagen is the source that makes rows up: random values and
// sequences, with Flink's options. Every value is a function of the seed, the
// column and the row's number, so that rows read again after a crash are the
// same rows.
package datagen

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() { connectors.Register(Connector) }

// Connector is the descriptor of 'connector' = 'datagen'.
var Connector = &connectors.Connector{
	Name: "datagen",
	Doc:  "makes up rows: random values or sequences, at a given rate",
	Options: []connectors.Option{
		{Key: "rows-per-second", Kind: connectors.Integer, Default: "10000", Doc: "rate over all subtasks"},
		{Key: "number-of-rows", Kind: connectors.Integer, Doc: "ends the table after so many rows; without it the table is unbounded"},
		{Key: "scan.parallelism", Kind: connectors.Integer, Default: "1", Doc: "number of splits"},
		{Key: "seed", Kind: connectors.Integer, Default: "1", Doc: "the same seed gives the same rows"},
		{Key: "fields.#.kind", Kind: connectors.Enum, Values: []string{"random", "sequence"}, Default: "random",
			Doc: "random values, or numbers from start to end, which ends the table"},
		{Key: "fields.#.min", Kind: connectors.Text, Doc: "least random number; the type's least by default"},
		{Key: "fields.#.max", Kind: connectors.Text, Doc: "greatest random number; the type's greatest by default"},
		{Key: "fields.#.max-past", Kind: connectors.Duration, Default: "0", Doc: "timestamps lie between now and so long ago"},
		{Key: "fields.#.length", Kind: connectors.Integer, Doc: "length of a string (100), of a collection (3)"},
		{Key: "fields.#.var-len", Kind: connectors.Boolean, Default: "false", Doc: "length is the greatest length"},
		{Key: "fields.#.start", Kind: connectors.Integer, Doc: "first number of a sequence"},
		{Key: "fields.#.end", Kind: connectors.Integer, Doc: "last number of a sequence"},
		{Key: "fields.#.null-rate", Kind: connectors.Text, Default: "0", Doc: "fraction of NULLs, from 0 to 1"},
	},
	Source: newTable,
}

// table is a datagen table opened for reading.
type table struct {
	rate    int64
	rows    int64 // math.MaxInt64: unbounded
	splits  int
	seed    uint64
	columns []column
}

func newTable(t *connectors.Table) (connectors.SourceTable, error) {
	d := &table{
		rate: t.Options.Int("rows-per-second"), splits: int(t.Options.Int("scan.parallelism")),
		seed: uint64(t.Options.Int("seed")), rows: math.MaxInt64,
	}
	if t.Options.Given("number-of-rows") {
		d.rows = t.Options.Int("number-of-rows")
	}
	switch {
	case d.rate < 1:
		return nil, fmt.Errorf("option 'rows-per-second' = '%d': expected 1 or more", d.rate)
	case d.splits < 1 || d.splits > 128:
		return nil, fmt.Errorf("option 'scan.parallelism' = '%d': expected 1 to 128", d.splits)
	case d.rows < 0:
		return nil, fmt.Errorf("option 'number-of-rows' = '%d': expected 0 or more", d.rows)
	}
	for i, c := range t.Columns {
		s := &spec{options: t.Options, seed: mix(d.seed, uint64(i)+1)}
		col, err := s.column(c.Name, c.Type)
		if err != nil {
			return nil, err
		}
		d.rows = min(d.rows, s.rows())
		d.columns = append(d.columns, col)
	}
	return d, checkNames(t)
}

// checkNames refuses options of columns that the table does not have.
func checkNames(t *connectors.Table) error {
	var names []string
	known := map[string]bool{}
	for _, c := range t.Columns {
		names = append(names, c.Name)
		known[c.Name] = true
	}
	for key := range t.Options.Prefixed("fields.") {
		if !named(key, known) {
			return fmt.Errorf("option 'fields.%s': the table has no such column; its columns are %v", key, names)
		}
	}
	return nil
}

// named tells whether a key begins with the name of a column, which may hold
// dots itself.
func named(key string, known map[string]bool) bool {
	for i := range key {
		if key[i] == '.' && known[key[:i]] {
			return true
		}
	}
	return false
}

func (*table) Changelog() connectors.Changelog { return connectors.Append }
func (d *table) Bounded() bool                 { return d.rows < math.MaxInt64 }
func (*table) PushDown() connectors.PushDown   { return connectors.PushDown{} }

func (d *table) Describe() string {
	if d.Bounded() {
		return fmt.Sprintf("%d generated rows, %d a second", d.rows, d.rate)
	}
	return fmt.Sprintf("generated rows, %d a second", d.rate)
}

func (d *table) Scan(s connectors.Scan) (exec.Source, error) {
	return &source{table: d, fields: s.Output}, nil
}

// source is a scan. Split k of n owns the rows k, k+n, k+2n …; its position
// is the number of its rows made so far.
type source struct {
	*table
	fields []types.Field
}

func (s *source) Splits(context.Context) ([]exec.Split, error) {
	var all []exec.Split
	for k := range s.splits {
		all = append(all, exec.Split{ID: fmt.Sprintf("%d/%d", k, s.splits)})
	}
	return all, nil
}

func (s *source) Reader(ctx exec.SourceContext, splits []exec.Split) (exec.Reader, error) {
	r := &reader{source: s, ctx: ctx, begin: ctx.Clock.Now()}
	for _, split := range splits {
		var k, n int
		if _, err := fmt.Sscanf(split.ID, "%d/%d", &k, &n); err != nil || n != s.splits || k >= n {
			return nil, fmt.Errorf("split %s of an earlier run: 'scan.parallelism' was another; "+
				"set it as it was, or start anew", split.ID)
		}
		p := part{k: int64(k), n: int64(n), end: (s.rows - int64(k) + int64(n) - 1) / int64(n)}
		if s.rows == math.MaxInt64 {
			p.end = math.MaxInt64 / int64(n)
		}
		if split.Position != nil {
			at, err := strconv.ParseInt(string(split.Position), 10, 64)
			if err != nil {
				return nil, fmt.Errorf("position of split %s: %w", split.ID, err)
			}
			p.at = at
		}
		p.base = p.at
		r.parts = append(r.parts, p)
	}
	return r, nil
}

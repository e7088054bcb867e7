package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/broker"
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// wallClock is the real time.
type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// memJournal is a Journal that survives what a test drops.
type memJournal struct {
	mu sync.Mutex
	m  map[string][]byte
}

func newJournal() *memJournal { return &memJournal{m: map[string][]byte{}} }

func (j *memJournal) Put(k string, v []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.m[k] = slices.Clone(v)
	return nil
}

func (j *memJournal) Get(k string) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.m[k], nil
}

func (j *memJournal) Delete(k string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.m, k)
	return nil
}

func (j *memJournal) Scan(prefix string, f func(string, []byte) error) error {
	j.mu.Lock()
	keys := slices.Sorted(maps.Keys(j.m))
	j.mu.Unlock()
	for _, k := range keys {
		if strings.HasPrefix(k, prefix) {
			if err := f(k, j.m[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// clone is a copy of the directory.
func (j *memJournal) clone() *memJournal {
	j.mu.Lock()
	defer j.mu.Unlock()
	return &memJournal{m: maps.Clone(j.m)}
}

func startBroker(t testing.TB, topics ...broker.Topic) *broker.Broker {
	t.Helper()
	b, err := broker.Start(broker.Options{Topics: topics})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// column describes a test table's column: "name", a type, and a metadata key.
func column(name string, t types.Type, meta ...string) connectors.Column {
	c := connectors.Column{Name: name, Type: t}
	if len(meta) > 0 {
		c.Metadata = meta[0]
	}
	return c
}

// newTable checks the options as the planner does.
func newTable(connector string, columns []connectors.Column, key []int, given map[string]string) (*connectors.Table, error) {
	c, _ := connectors.Lookup(connector)
	known := slices.Clone(c.Options)
	for k, prefix := range map[string]string{"format": "", "value.format": "value.", "key.format": "key."} {
		if f, ok := format.Lookup(given[k]); ok {
			for _, o := range f.Options {
				o.Key = prefix + o.Key
				known = append(known, o)
			}
		}
	}
	options, err := connectors.NewOptions(given, known)
	if err != nil {
		return nil, err
	}
	return &connectors.Table{Name: "t", Columns: columns, PrimaryKey: key, Options: options,
		Env: connectors.Env{JobName: "job", Zone: time.UTC, CheckpointInterval: 10 * time.Second, MaxConcurrent: 1}}, nil
}

func mustTable(t testing.TB, connector string, columns []connectors.Column, key []int, given map[string]string) *connectors.Table {
	t.Helper()
	table, err := newTable(connector, columns, key, given)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// with adds to a map of options.
func with(base map[string]string, more ...string) map[string]string {
	m := maps.Clone(base)
	for i := 0; i < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

// fullScan reads all columns.
func fullScan(table *connectors.Table) connectors.Scan {
	s := connectors.Scan{Parallelism: 1}
	for i, c := range table.Columns {
		s.Columns = append(s.Columns, connectors.Path{i})
		s.Output = append(s.Output, types.Field{Name: c.Name, Type: c.Type})
	}
	return s
}

func batchOf(scan connectors.Scan) *vec.Batch {
	var ts []types.Type
	for _, f := range scan.Output {
		ts = append(ts, f.Type)
	}
	return vec.NewBatch(ts...)
}

func sourceContext(t testing.TB) exec.SourceContext {
	return exec.SourceContext{Subtask: checkpoint.Subtask{UID: "src"}, Parallelism: 1, UID: "src", JobName: "job", Clock: wallClock{},
		Metrics: &exec.Metrics{}, Log: slog.New(slog.DiscardHandler), Journal: newJournal(), Wake: make(chan struct{})}
}

// openReader opens a scan's reader over all its splits, or over given ones.
func openReader(t testing.TB, connector string, table *connectors.Table, scan connectors.Scan, splits []exec.Split) exec.Reader {
	t.Helper()
	c, _ := connectors.Lookup(connector)
	st, err := c.Source(table)
	if err != nil {
		t.Fatal(err)
	}
	src, err := st.Scan(scan)
	if err != nil {
		t.Fatal(err)
	}
	if splits == nil {
		if splits, err = src.Splits(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	r, err := src.Reader(sourceContext(t), splits)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readAll reads a bounded table to its end: a line a row, "op|col|col".
func readAll(t testing.TB, connector string, table *connectors.Table) []string {
	t.Helper()
	scan := fullScan(table)
	r := openReader(t, connector, table, scan, nil)
	defer r.Close()
	return drain(t, r, batchOf(scan), len(r.Positions()))
}

// drain reads until n splits have ended.
func drain(t testing.TB, r exec.Reader, b *vec.Batch, n int) []string {
	t.Helper()
	var rows []string
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for n > 0 {
		_, ended, err := r.Next(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, lines(b)...)
		if ended {
			n--
		}
	}
	return rows
}

func lines(b *vec.Batch) []string {
	var out []string
	for _, row := range b.Rows() {
		cells := []string{b.Op(int(row)).String()}
		for _, c := range b.Cols {
			cells = append(cells, cell(c, int(row)))
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out
}

func cell(c *vec.Vector, row int) string {
	v := c.At(row)
	switch {
	case v.Null:
		return "NULL"
	case v.Kind == vec.Bytes:
		return v.S
	case v.Kind == vec.I64, v.Kind == vec.Bool:
		return fmt.Sprint(v.I)
	case v.Kind == vec.I128:
		return fmt.Sprint(v.W.Hi)
	case v.Kind == vec.List:
		var parts []string
		for _, e := range v.L {
			parts = append(parts, e.S)
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return fmt.Sprint(v)
}

// sorted is a multiset in an order to compare.
func sorted(rows []string) []string {
	rows = slices.Clone(rows)
	sort.Strings(rows)
	return rows
}

// rowsOf makes a batch of (BIGINT id, STRING text) rows.
func rowsOf(ids ...int) *vec.Batch {
	b := vec.NewBatch(types.Of(types.BigInt), types.String())
	for _, id := range ids {
		b.Cols[0].I64 = append(b.Cols[0].I64, int64(id))
		b.Cols[1].AppendBytes(fmt.Appendf(nil, "row %d", id))
		b.N++
	}
	return b
}

var idColumns = []connectors.Column{column("id", types.Of(types.BigInt)), column("text", types.String())}

package datagen

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/conntest"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func open(t testing.TB, columns string, options ...string) (*connectors.Table, connectors.SourceTable) {
	t.Helper()
	m := map[string]string{}
	for i := 0; i < len(options); i += 2 {
		m[options[i]] = options[i+1]
	}
	table := conntest.Table(t, Connector, nil, columns, m)
	s, err := Connector.Source(table)
	if err != nil {
		t.Fatal(err)
	}
	return table, s
}

// newReader reads all splits. Its first wait for rows is cut short.
func newReader(t testing.TB, table *connectors.Table, s connectors.SourceTable, clock exec.Clock) (exec.Reader, *vec.Batch) {
	t.Helper()
	scan := conntest.AllColumns(table)
	src, err := s.Scan(scan)
	if err != nil {
		t.Fatal(err)
	}
	splits, _ := src.Splits(context.Background())
	wake := make(chan struct{}, 1)
	wake <- struct{}{}
	r, err := src.Reader(exec.SourceContext{Clock: clock, Wake: wake}, splits)
	if err != nil {
		t.Fatal(err)
	}
	return r, vec.NewBatch(exectest.Types(scan.Output)...)
}

func TestSuite(t *testing.T) {
	options := []string{"fields.id.kind", "sequence", "fields.id.start", "1", "fields.id.end", "9",
		"fields.name.kind", "sequence", "fields.name.start", "5", "fields.name.end", "100", "scan.parallelism", "2"}
	table, _ := open(t, "id INT, name STRING", options...)
	var rows []string
	for i := range 9 {
		rows = append(rows, fmt.Sprintf("+I %d, %d", i+1, i+5))
	}
	conntest.RunSource(t, conntest.Source{
		Open: func(t testing.TB) connectors.SourceTable {
			_, s := open(t, "id INT, name STRING", options...)
			return s
		},
		Table: table, Rows: rows,
	})
}

func TestRate(t *testing.T) {
	clock := exectest.NewClock()
	table, s := open(t, "x INT", "rows-per-second", "10")
	r, b := newReader(t, table, s, clock)
	next := func(want int) {
		t.Helper()
		if _, ended, err := r.Next(context.Background(), b); err != nil || ended || b.N != want {
			t.Fatalf("%d rows, ended %v, %v; expected %d rows", b.N, ended, err, want)
		}
	}
	next(0)
	clock.Advance(time.Second)
	next(10)
	clock.Advance(1500 * time.Millisecond)
	next(15)
}

func TestRandomIsDeterministicAndInRange(t *testing.T) {
	columns := "a TINYINT, b DOUBLE, c STRING, d DECIMAL(5, 2), e ARRAY<INT>, f ROW<g INT, h STRING>, i TIMESTAMP(3), j MAP<STRING, INT>, k BOOLEAN, l BIGINT"
	options := []string{"number-of-rows", "500", "fields.a.min", "-3", "fields.a.max", "3", "fields.b.min", "0", "fields.b.max", "1",
		"fields.c.length", "5", "fields.e.element.min", "7", "fields.e.element.max", "7", "fields.f.g.min", "1", "fields.f.g.max", "2",
		"fields.k.null-rate", "0.5", "fields.j.length", "1"}
	all := func(more ...string) []string {
		clock := exectest.NewClock()
		table, s := open(t, columns, append(options, more...)...)
		r, b := newReader(t, table, s, clock)
		clock.Advance(time.Second)
		if _, ended, err := r.Next(context.Background(), b); err != nil || !ended || b.N != 500 {
			t.Fatalf("%d rows, ended %v, %v", b.N, ended, err)
		}
		if err := exectest.Check(b, 10); err != nil {
			t.Fatal(err)
		}
		nulls := 0
		for i := range 500 {
			if a := b.Cols[0].I64[i]; a < -3 || a > 3 {
				t.Fatalf("a = %d", a)
			}
			if f := b.Cols[1].F64[i]; f < 0 || f > 1 {
				t.Fatalf("b = %v", f)
			}
			if b.Cols[8].IsNull(i) {
				nulls++
			}
		}
		if nulls < 150 || nulls > 350 {
			t.Fatalf("%d of 500 are NULL at a rate of 0.5", nulls)
		}
		return exectest.Format(conntest.AllColumns(table).Output, b)
	}
	first, second, other := all(), all(), all("seed", "2")
	if strings.Join(first, "\n") != strings.Join(second, "\n") {
		t.Error("two runs with one seed differ")
	}
	if first[0] == other[0] {
		t.Errorf("two seeds give the same row %s", first[0])
	}
	if !strings.Contains(first[0], "[7, 7, 7]") {
		t.Errorf("row %s", first[0])
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ columns, key, value, want string }{
		{"x INT", "fields.y.min", "1", "no such column"},
		{"x INT", "fields.x.min", "a", "expected an integer"},
		{"x TINYINT", "fields.x.max", "1000", "range"},
		{"x INT", "fields.x.kind", "sequence", "a sequence needs it"},
		{"x BOOLEAN", "rows-per-second", "0", "expected 1 or more"},
		{"x INT", "fields.x.null-rate", "2", "from 0 to 1"},
	} {
		table := conntest.Table(t, Connector, nil, c.columns, map[string]string{c.key: c.value})
		if _, err := Connector.Source(table); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %s: %v, expected %q", c.key, c.value, err, c.want)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	clock := exectest.NewClock()
	table, s := open(b, "id BIGINT, name STRING", "rows-per-second", "1000000000000", "fields.name.length", "16")
	r, batch := newReader(b, table, s, clock)
	clock.Advance(time.Hour)
	rows := 0
	for b.Loop() {
		if _, _, err := r.Next(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
		rows += batch.N
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
}

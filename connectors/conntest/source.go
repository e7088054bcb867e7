package conntest

import (
	"context"
	"fmt"
	"sort"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Source is a bounded source under test, with the rows that it holds.
type Source struct {
	Open func(t testing.TB) connectors.SourceTable
	// Table is what Open opened; Rows the rows it holds, in exectest's text, in
	// any order.
	Table *connectors.Table
	Rows  []string
	// Filter is a predicate over all columns that Passes of the Rows satisfy;
	// nil if the source takes none.
	Filter expr.Expr
	Passes int
}

// limit bounds how often an idle reader is asked before the test gives up.
const limit = 400

// RunSource runs the suite of sources.
func RunSource(t *testing.T, s Source) {
	t.Run("reads every row once", s.readsAll)
	t.Run("resumes exactly at its positions", s.resumes)
	t.Run("a batch holds rows of one split", s.oneSplit)
	t.Run("a wake-up ends the wait", s.wakes)
	t.Run("projection reorders columns", s.projects)
	t.Run("a predicate only sets Sel", s.filters)
	t.Run("a context's end ends Next", s.cancels)
}

func (s Source) open(t *testing.T, scan connectors.Scan) exec.Source {
	t.Helper()
	src, err := s.Open(t).Scan(scan)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func splitsOf(t *testing.T, src exec.Source) []exec.Split {
	t.Helper()
	splits, err := src.Splits(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(splits) == 0 {
		t.Fatal("a source without splits")
	}
	return splits
}

func readerOf(t *testing.T, src exec.Source, splits []exec.Split) exec.Reader {
	t.Helper()
	r, err := src.Reader(sourceContext(), splits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r
}

// read reads until all splits have ended, or calls batches were not empty;
// it returns the rows and, by split, whether it ended.
func read(t *testing.T, scan connectors.Scan, r exec.Reader, splits, calls int) (rows []string, ended map[int]bool) {
	t.Helper()
	b := batchOf(scan)
	ended = map[int]bool{}
	for range limit {
		if len(ended) == splits || calls == 0 {
			return rows, ended
		}
		split, end, err := r.Next(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		if ended[split] && b.N > 0 {
			t.Fatalf("split %d has rows after its end", split)
		}
		if end {
			ended[split] = true
		}
		rows = append(rows, exectest.Format(scan.Output, b)...)
		if b.N > 0 {
			calls--
		}
	}
	t.Fatalf("the source has not ended after %d calls", limit)
	return nil, nil
}

func batchOf(scan connectors.Scan) *vec.Batch {
	return vec.NewBatch(exectest.Types(scan.Output)...)
}

func (s Source) readsAll(t *testing.T) {
	scan := AllColumns(s.Table)
	src := s.open(t, scan)
	splits := splitsOf(t, src)
	rows, _ := read(t, scan, readerOf(t, src, splits), len(splits), -1)
	s.compare(t, rows)
}

func (s Source) compare(t *testing.T, rows []string) {
	t.Helper()
	got, want := append([]string(nil), rows...), append([]string(nil), s.Rows...)
	sort.Strings(got)
	sort.Strings(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("rows differ (-want +got):\n%s", d)
	}
}

// resumes stops after each number of batches and goes on in a new reader.
func (s Source) resumes(t *testing.T) {
	scan := AllColumns(s.Table)
	for calls := 1; calls <= 4; calls++ {
		src := s.open(t, scan)
		splits := splitsOf(t, src)
		r := readerOf(t, src, splits)
		rows, _ := read(t, scan, r, len(splits), calls)
		positions := r.Positions()
		if len(positions) != len(splits) {
			t.Fatalf("%d positions for %d splits", len(positions), len(splits))
		}
		for i := range splits {
			if positions[i].ID != splits[i].ID {
				t.Fatalf("position %d is of split %q, expected %q", i, positions[i].ID, splits[i].ID)
			}
		}
		again := s.open(t, scan)
		more, _ := read(t, scan, readerOf(t, again, positions), len(splits), -1)
		s.compare(t, append(rows, more...))
	}
}

// oneSplit reads each split on its own: together they are the whole.
func (s Source) oneSplit(t *testing.T) {
	scan := AllColumns(s.Table)
	src := s.open(t, scan)
	var rows []string
	for _, split := range splitsOf(t, src) {
		part, _ := read(t, scan, readerOf(t, src, []exec.Split{split}), 1, -1)
		rows = append(rows, part...)
	}
	s.compare(t, rows)
}

func (s Source) wakes(t *testing.T) {
	scan := AllColumns(s.Table)
	src := s.open(t, scan)
	ctx := sourceContext()
	wake := make(chan struct{}, 1)
	ctx.Wake = wake
	splits := splitsOf(t, src)
	r, err := src.Reader(ctx, splits)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read(t, scan, r, len(splits), -1)
	wake <- struct{}{}
	begin := time.Now()
	if _, _, err := r.Next(context.Background(), batchOf(scan)); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d > 2*time.Second {
		t.Errorf("Next returned %v after a wake-up", d)
	}
}

func (s Source) projects(t *testing.T) {
	if !s.Open(t).PushDown().Projection {
		t.Skip("the source takes no projection")
	}
	all := AllColumns(s.Table)
	last := len(all.Columns) - 1
	scan := connectors.Scan{Parallelism: 1, Columns: []connectors.Path{{last}, {0}}, Output: append(all.Output[last:last+1:last+1], all.Output[0])}
	src := s.open(t, scan)
	splits := splitsOf(t, src)
	rows, _ := read(t, scan, readerOf(t, src, splits), len(splits), -1)
	if len(rows) != len(s.Rows) {
		t.Errorf("%d rows, expected %d", len(rows), len(s.Rows))
	}
	counts := map[string]int{}
	full, _ := readAgain(t, s, all)
	for _, b := range full {
		counts[fmt.Sprint(b.Cols[last].At(0), b.Cols[0].At(0))]++
	}
	narrow, _ := readAgain(t, s, scan)
	for _, b := range narrow {
		counts[fmt.Sprint(b.Cols[0].At(0), b.Cols[1].At(0))]--
	}
	for k, n := range counts {
		if n != 0 {
			t.Errorf("row %s: %+d", k, n)
		}
	}
}

// readAgain reads all rows as batches of one row.
func readAgain(t *testing.T, s Source, scan connectors.Scan) (rows []*vec.Batch, physical int) {
	t.Helper()
	src := s.open(t, scan)
	splits := splitsOf(t, src)
	r := readerOf(t, src, splits)
	b := batchOf(scan)
	ended := 0
	for range limit {
		if ended == len(splits) {
			return rows, physical
		}
		_, end, err := r.Next(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		if end {
			ended++
		}
		physical += b.N
		for _, i := range b.Rows() {
			one := batchOf(scan)
			one.AppendRows(b, []int32{i})
			rows = append(rows, one)
		}
	}
	t.Fatalf("the source has not ended after %d calls", limit)
	return nil, 0
}

func (s Source) filters(t *testing.T) {
	if s.Filter == nil || !s.Open(t).PushDown().Filter {
		t.Skip("the source takes no predicate")
	}
	scan := AllColumns(s.Table)
	scan.Filter = s.Filter
	rows, physical := readAgain(t, s, scan)
	if len(rows) != s.Passes {
		t.Errorf("%d rows pass the predicate, expected %d", len(rows), s.Passes)
	}
	if physical != len(s.Rows) {
		t.Errorf("%d physical rows, expected all %d: a dropped row still moves the watermark", physical, len(s.Rows))
	}
}

func (s Source) cancels(t *testing.T) {
	scan := AllColumns(s.Table)
	src := s.open(t, scan)
	splits := splitsOf(t, src)
	r := readerOf(t, src, splits)
	read(t, scan, r, len(splits), -1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = r.Next(ctx, batchOf(scan))
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("Next waits on though its context has ended")
	}
}

package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
	"pgregory.net/rapid"
)

// upsertJob writes changes of a table by key with at-least-once, and is
// killed: what it wrote since its last checkpoint it writes again.
type upsertJob struct {
	table   *connectors.Table
	changes []change
	each    int // changes a checkpoint
	stored  int // changes covered by the stored checkpoint
	wrote   int // changes handed over, repeats counted
}

type change struct {
	key, value int
	deleted    bool
}

func changeRows(list []change) *vec.Batch {
	b := rowsOf()
	for _, c := range list {
		b.Cols[0].I64 = append(b.Cols[0].I64, int64(c.key))
		b.Cols[1].AppendBytes(fmt.Appendf(nil, "%d", c.value))
		op := vec.UpdateAfter
		if c.deleted {
			op = vec.Delete
		}
		b.Ops = append(b.Ops, op)
		b.N++
	}
	return b
}

// run is one process; it dies after so many writes (0: at the end only), with
// or without waiting for the answers to what it sent.
func (j *upsertJob) run(t fataler, dieAfter int, flushed bool) {
	st, err := openSink(j.table, true)
	if err != nil {
		t.Fatal(err)
	}
	s, err := st.Sink()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	w, err := s.Writer(ctx, sinkContextFor(newJournal(), false))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for n, at := 0, j.stored; at < len(j.changes); n++ {
		if dieAfter > 0 && n == dieAfter {
			if flushed {
				flush(t, w) // the flush of a barrier whose checkpoint is never stored
			}
			return
		}
		next := min(at+1, len(j.changes))
		if err := w.Write(ctx, changeRows(j.changes[at:next])); err != nil {
			t.Fatal(err)
		}
		j.wrote++
		if at = next; at%j.each == 0 || at == len(j.changes) {
			flush(t, w)
			j.stored = at
		}
	}
}

type fataler interface{ Fatal(...any) }

func flush(t fataler, w exec.Writer) {
	if err := w.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// want is the table in the end.
func (j *upsertJob) want() map[string]string {
	m := map[string]string{}
	for _, c := range j.changes {
		if c.deleted {
			delete(m, fmt.Sprint(c.key))
		} else {
			m[fmt.Sprint(c.key)] = fmt.Sprint(c.value)
		}
	}
	return m
}

// folded is the table as a reader has it after all changes, and how many
// changes it read.
func folded(t testing.TB, table *connectors.Table) (map[string]string, int) {
	m := map[string]string{}
	lines := readAll(t, "upsert-kafka", table)
	for _, l := range lines {
		f := strings.Split(l, "|")
		if f[0] == "-D" {
			delete(m, f[1])
		} else {
			m[f[1]] = f[2]
		}
	}
	return m, len(lines)
}

// TestUpsertAtLeastOnceTable: an upsert-kafka sink with at-least-once, killed
// any number of times, before and after the flush of a checkpoint, gives the
// table that a run without crashes gives. Rows are visible at once, and some
// are repeated.
func TestUpsertAtLeastOnceTable(t *testing.T) {
	c := testCases(t)
	repeated := false
	rapid.Check(t, func(rt *rapid.T) {
		j := &upsertJob{table: mustTable(t, "upsert-kafka", idColumns, []int{0}, upsertJSON(c.addr, "topic", c.topic(t))), each: rapid.IntRange(1, 7).Draw(rt, "each")}
		for i := range rapid.IntRange(1, 40).Draw(rt, "changes") {
			j.changes = append(j.changes, change{rapid.IntRange(0, 4).Draw(rt, "key"), i, rapid.IntRange(0, 4).Draw(rt, "deleted") == 0})
		}
		for range rapid.IntRange(0, 4).Draw(rt, "crashes") {
			j.run(rt, rapid.IntRange(1, 10).Draw(rt, "die after"), rapid.Bool().Draw(rt, "flushed"))
		}
		j.run(rt, 0, true)
		got, read := folded(t, j.table)
		if d := cmp.Diff(j.want(), got); d != "" {
			rt.Fatal(d)
		}
		repeated = repeated || read > len(j.changes)
	})
	if !repeated {
		t.Fatal("no change was ever repeated: the crashes do nothing")
	}
}

// TestUpsertAtLeastOnceIsVisibleAtOnce: rows wait for no checkpoint.
func TestUpsertAtLeastOnceIsVisibleAtOnce(t *testing.T) {
	c := testCases(t)
	table := mustTable(t, "upsert-kafka", idColumns, []int{0}, upsertJSON(c.addr, "topic", c.topic(t)))
	w := openWriterOf(t, "upsert-kafka", table)
	defer w.Close()
	if err := w.Write(context.Background(), rowsOf(1)); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		if m, _ := folded(t, table); m["1"] == "row 1" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a row is not visible without a checkpoint")
		}
	}
}

// TestUpsertPromise is what EXPLAIN says.
func TestUpsertPromise(t *testing.T) {
	st, err := openSink(mustTable(t, "upsert-kafka", idColumns, []int{0}, upsertJSON("127.0.0.1:1")), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"at-least-once", "table by key is exactly-once", "without waiting for checkpoints"} {
		if !strings.Contains(st.Promise(), want) {
			t.Errorf("%q does not say %q", st.Promise(), want)
		}
	}
}

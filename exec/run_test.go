package exec_test

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// world is what outlives a job: the feed, the ledger, the state directory.
type world struct {
	t      *testing.T
	feed   *exectest.Feed
	ledger *exectest.Ledger
	dir    *checkpoint.MemDir
	clock  *exectest.Clock
	// batches runs without row mode.
	batches bool
}

func newWorld(t *testing.T, splits ...string) *world {
	return &world{
		t: t, dir: checkpoint.NewMemDir(), clock: exectest.NewClock(),
		feed:   exectest.NewFeed(exectest.Columns("k STRING, v BIGINT"), splits...),
		ledger: exectest.NewLedger(exectest.CounterOutput),
	}
}

// counting is feed → hash → counter → ledger.
func (w *world) counting(sources, counters int) *exec.Graph {
	ledger := w.ledger.Node("sink", counters, exec.Edge{From: 1})
	return &exec.Graph{Name: "test", Nodes: []*exec.Node{
		w.feed.Node("feed", sources), exectest.CounterNode("counter", counters, 0), ledger,
	}}
}

func (w *world) store() checkpoint.Store {
	w.t.Helper()
	s, err := w.dir.Open(checkpoint.Job{Name: "test", Hash: "h"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	return s
}

func (w *world) run(g *exec.Graph, cfg exec.Config) *exec.Job {
	w.t.Helper()
	if cfg.Store == nil {
		cfg.Store = w.store()
	}
	if cfg.Clock == nil {
		cfg.Clock = w.clock
	}
	cfg.RowMode = !w.batches
	w.feed.Forget()
	j, err := exec.Run(context.Background(), g, cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { j.Cancel(); j.Wait() })
	return j
}

func (w *world) add(split, rows string) {
	w.feed.Add(split, exectest.MustRows(w.feed.Fields, rows))
}

func (w *world) wait(j *exec.Job) {
	w.t.Helper()
	if err := waitFor(j); err != nil {
		w.t.Fatal(err)
	}
}

func waitFor(j *exec.Job) error {
	select {
	case <-j.Done():
		return j.Wait()
	case <-time.After(20 * time.Second):
		panic(fmt.Sprintf("the job does not end: %+v", j.Status()))
	}
}

// table is the visible table. A transaction whose commit was tried twice may
// become visible after a later one, so only the sum of changes counts.
func (w *world) table() []string {
	w.t.Helper()
	count := map[string]int{}
	for _, l := range w.ledger.Visible() {
		op, row := l[:2], l[3:]
		if strings.HasPrefix(op, "+") {
			count[row]++
		} else {
			count[row]--
		}
	}
	var rows []string
	for row, n := range count {
		switch {
		case strings.HasPrefix(row, "<end") || n == 0:
		case n == 1:
			rows = append(rows, row)
		default:
			w.t.Fatalf("row %s is there %d times:\n%s", row, n, strings.Join(w.ledger.Visible(), "\n"))
		}
	}
	sort.Strings(rows)
	return rows
}

func (w *world) want(rows ...string) {
	w.t.Helper()
	sort.Strings(rows)
	if got := w.table(); !slices.Equal(got, rows) {
		w.t.Fatalf("visible table %q, expected %q", got, rows)
	}
}

func (w *world) checkpoint(j *exec.Job) checkpoint.ID {
	w.t.Helper()
	id, err := j.Checkpoint(context.Background(), checkpoint.Periodic)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func TestBounded(t *testing.T) {
	for _, p := range []int{1, 3} {
		w := newWorld(t, "a", "b", "c")
		w.add("a", "x, 1\ny, 2\nx, 3")
		w.add("b", "x, 1\nz, 1")
		for _, s := range []string{"a", "b", "c"} {
			w.feed.End(s)
		}
		j := w.run(w.counting(p, p), exec.Config{})
		w.wait(j)
		w.want("x, 3", "y, 1", "z, 1")
	}
}

func TestCheckpointCrashRescale(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.add("a", "x, 1\ny, 2\nx, 3")
	counts := []int{1, 3, 2, 1}
	for i, p := range counts {
		j := w.run(w.counting(min(p, 2), p), exec.Config{})
		w.awaitRows(j, 0)
		w.checkpoint(j)
		w.add("b", "x, 1\nz, 1")
		w.awaitRead(j)
		// These rows are lost with the process and read again.
		j.Cancel()
		waitFor(j)
		w.dir.Crash()
		if i == 0 {
			w.want("x, 2", "y, 1")
		}
	}
	j := w.run(w.counting(2, 2), exec.Config{})
	w.feed.End("a")
	w.feed.End("b")
	w.wait(j)
	w.want("x, 6", "y, 1", "z, 4")
}

// awaitRead waits until the sources have read all that is in the feed.
func (w *world) awaitRead(j *exec.Job) { w.awaitRows(j, 0) }

func (w *world) awaitRows(j *exec.Job, _ int64) {
	w.t.Helper()
	if !w.feed.AwaitRead(10 * time.Second) {
		w.t.Fatal("the feed is not read")
	}
}

func TestStopAndResume(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	store := w.store()
	j := w.run(w.counting(1, 1), exec.Config{Store: store})
	w.awaitRead(j)
	j.Stop(false)
	w.wait(j)
	w.want("x, 1")
	if lines := w.ledger.Visible(); len(lines) != 1 {
		t.Fatalf("a stop ended event time: %q", lines)
	}
	w.add("a", "x, 2")
	j = w.run(w.counting(1, 1), exec.Config{Store: store})
	w.awaitRead(j)
	j.Stop(true)
	w.wait(j)
	w.want("x, 2")
	_, err := exec.Run(context.Background(), w.counting(1, 1), exec.Config{Store: store})
	if err == nil || !strings.Contains(err.Error(), "finished") {
		t.Fatalf("a drained job can be resumed: %v", err)
	}
	_ = types.MaxTime
}

package exec_test

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// until waits for a condition that the job brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(limit) {
			t.Fatalf("it does not happen: %s", what)
		}
		runtime.Gosched()
	}
}

func newStuck() stuck {
	return stuck{entered: make(chan struct{}, 10), release: make(chan struct{}, 10)}
}

// stuckNode is a node whose Process waits for a release.
func stuckNode(w *world, s stuck, p int, in exec.Edge) *exec.Node {
	n := passNode("stuck", p, in, w.feed.Fields)
	n.New = func() (exec.Operator, error) { return s, nil }
	return n
}

// trigger asks for a checkpoint and returns once its barriers are on the way.
func (w *world) trigger(j *exec.Job) <-chan error {
	before := len(j.Status().Checkpoints)
	result := make(chan error, 1)
	go func() {
		_, err := j.Checkpoint(context.Background(), checkpoint.Periodic)
		result <- err
	}()
	until(w.t, "the checkpoint is injected", func() bool { return len(j.Status().Checkpoints) > before })
	return result
}

func acked(j *exec.Job) int {
	if f := j.Status().Progress.InFlight; len(f) > 0 {
		return f[0].Acked
	}
	return 0
}

// One of two sinks has pre-committed when the checkpoint is aborted. Its rows
// are committed with the next one, for no source rewinds.
func TestAbortedCheckpointIsCommittedByTheNext(t *testing.T) {
	w := newWorld(t, "a")
	w.ledger.Fields = w.feed.Fields
	other := exectest.NewLedger(w.feed.Fields)
	s := newStuck()
	second := stuckNode(w, s, 1, exec.Edge{From: 0, Exchange: exec.Gather})
	feed := w.feed.Node("feed", 2) // two subtasks: the stuck one is behind a queue
	g := &exec.Graph{Nodes: []*exec.Node{
		feed, second, w.ledger.Node("first", 2, exec.Edge{From: 0}), other.Node("second", 1, exec.Edge{From: 1}),
	}}
	store := w.store()
	j := w.run(g, exec.Config{Store: store, Checkpoint: exec.CheckpointConfig{Timeout: time.Minute, TolerableFailed: 5}})
	w.add("a", "x, 1")
	<-s.entered
	result := w.trigger(j)
	until(t, "the sources have acked", func() bool { return acked(j) == 2 })
	w.clock.Advance(time.Minute)
	if err := <-result; err == nil {
		t.Fatal("the checkpoint is complete without the stuck subtask")
	}
	s.release <- struct{}{}
	w.add("a", "y, 1")
	<-s.entered
	s.release <- struct{}{}
	w.awaitRead(j)
	w.checkpoint(j)
	for name, l := range map[string]*exectest.Ledger{"first": w.ledger, "second": other} {
		got := l.Visible()
		slices.Sort(got)
		if !slices.Equal(got, []string{"+I x, 1", "+I y, 1"}) {
			t.Errorf("%s sink: visible %q", name, got)
		}
	}
}

// A channel that is blocked for an aborted checkpoint flows again.
func TestAbortEndsAlignment(t *testing.T) {
	w := newWorld(t, "a")
	w.ledger.Fields = w.feed.Fields
	other := exectest.NewFeed(w.feed.Fields, "b")
	s, r := newStuck(), newRecorder("k STRING, v BIGINT")
	defer func() { s.release <- struct{}{} }()
	g := &exec.Graph{Nodes: []*exec.Node{
		w.feed.Node("feed", 1), other.Node("other", 1), stuckNode(w, s, 1, exec.Edge{From: 1}),
		r.node("r", exec.Edge{From: 0}, exec.Edge{From: 2}), w.ledger.Node("sink", 1, exec.Edge{From: 3}),
	}}
	j := w.run(g, exec.Config{Checkpoint: exec.CheckpointConfig{Timeout: time.Minute, TolerableFailed: 5}})
	other.Add("b", exectest.MustRows(w.feed.Fields, "late, 1"))
	<-s.entered
	result := w.trigger(j)
	until(t, "the free source has acked", func() bool { return acked(j) == 1 })
	w.add("a", "x, 1")
	w.awaitRead(j)
	w.clock.Advance(time.Minute)
	<-result
	r.await(t, "x, 1")
}

// Rows that wait in an exchange for a full batch go before the barrier.
func TestBarrierGoesBehindBufferedRows(t *testing.T) {
	w := newWorld(t, "a")
	s := newStuck()
	g := &exec.Graph{Nodes: []*exec.Node{
		w.feed.Node("feed", 1), stuckNode(w, s, 1, exec.Edge{From: 0}), exectest.CounterNode("counter", 2, 1),
		w.ledger.Node("sink", 2, exec.Edge{From: 2}),
	}}
	j := w.run(g, exec.Config{})
	w.add("a", "x, 1\ny, 1")
	<-s.entered
	result := w.trigger(j)
	runtime.Gosched()
	s.release <- struct{}{}
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	w.crash(j)
	w.want("x, 1", "y, 1")
}

// After a restore a producer that has ended still tells a queue that began at
// the least watermark of its port.
func TestRestoredOutputsSpeakAgain(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.ledger.Fields = w.feed.Fields
	r := newRecorder("k STRING, v BIGINT")
	g := &exec.Graph{Nodes: []*exec.Node{
		w.feed.Node("feed", 2), passNode("pass", 2, exec.Edge{From: 0}, w.feed.Fields),
		r.node("r", exec.Edge{From: 1, Exchange: exec.Gather}), w.ledger.Node("sink", 1, exec.Edge{From: 2}),
	}}
	store := w.store()
	j := w.run(g, exec.Config{Store: store})
	w.feed.End("b")
	w.feed.Watermark("a", 5)
	r.await(t, "W5")
	w.checkpoint(j)
	j.Cancel()
	waitFor(j)
	j = w.run(g, exec.Config{Store: store})
	w.feed.Watermark("a", 6)
	r.await(t, "W6")
	w.feed.EndAll()
	w.wait(j)
}

// putCounter counts the chunks written.
type putCounter struct {
	checkpoint.Store
	puts atomic.Int64
}

func (p *putCounter) PutChunk(data []byte) (uint64, error) {
	p.puts.Add(1)
	return p.Store.PutChunk(data)
}

func TestSnapshotsAreIncremental(t *testing.T) {
	w := newWorld(t, "a")
	store := &putCounter{Store: w.store()}
	j := w.run(w.counting(1, 1), exec.Config{Store: store})
	w.add("a", "x, 1\ny, 1")
	w.awaitRead(j)
	w.checkpoint(j)
	if store.puts.Load() == 0 {
		t.Fatal("a checkpoint without chunks")
	}
	until(t, "a checkpoint without changes writes nothing", func() bool {
		before := store.puts.Load()
		w.checkpoint(j)
		return store.puts.Load() == before
	})
}

// holder keeps rows back until it is flushed.
type holder struct {
	pass
	kept *vec.Batch
}

func (h *holder) Process(_ int, b *vec.Batch, _ exec.Output) error {
	if h.kept == nil {
		h.kept = vec.NewBatch(exectest.Types(exectest.Columns("k STRING, v BIGINT"))...)
	}
	h.kept.Append(b)
	return nil
}

func (h *holder) Flush(out exec.Output) error {
	if h.kept == nil {
		return nil
	}
	defer h.kept.Reset()
	return out.Emit(h.kept)
}

func TestHeldBackRowsGoBeforeTheBarrier(t *testing.T) {
	w := newWorld(t, "a")
	// Two in a row: the head is flushed first, into the tail.
	g := w.through(func() exec.Operator { return &holder{} })
	tail := *g.Nodes[1]
	tail.UID, tail.Inputs = "tail", []exec.Edge{{From: 1}}
	g.Nodes = []*exec.Node{g.Nodes[0], g.Nodes[1], &tail, w.ledger.Node("sink", 1, exec.Edge{From: 2})}
	j := w.run(g, exec.Config{})
	w.add("a", "x, 1\ny, 1")
	w.awaitRead(j)
	w.checkpoint(j)
	if got := w.ledger.Visible(); !slices.Equal(got, []string{"+I x, 1", "+I y, 1"}) {
		t.Errorf("visible %q", got)
	}
}

package exec_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// recorder writes down what an operator sees.
type recorder struct {
	mu     sync.Mutex
	fields []types.Field
	seen   []string
	more   chan struct{}
}

func newRecorder(columns string) *recorder {
	return &recorder{fields: exectest.Columns(columns), more: make(chan struct{}, 1000)}
}

func (r *recorder) note(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, s)
	r.more <- struct{}{}
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.seen, " ")
}

// await waits until the last thing seen is s.
func (r *recorder) await(t *testing.T, s string) {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		r.mu.Lock()
		ok := len(r.seen) > 0 && r.seen[len(r.seen)-1] == s
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-r.more:
		case <-limit:
			t.Fatalf("%q does not come; seen: %s", s, r.text())
		}
	}
}

// node is an operator that records and hands on.
func (r *recorder) node(uid string, edges ...exec.Edge) *exec.Node {
	return &exec.Node{UID: uid, Name: "Recorder", Parallelism: 1, Inputs: edges, Output: r.fields,
		New: func() (exec.Operator, error) { return &recording{r: r}, nil }}
}

type recording struct {
	pass
	r   *recorder
	ctx *exec.Context
}

func (o *recording) Open(ctx *exec.Context) error {
	o.ctx = ctx
	if ctx.Watermark != types.MinTime {
		o.r.note("from" + mark(ctx.Watermark))
	}
	return nil
}

func (o *recording) Process(in int, b *vec.Batch, out exec.Output) error {
	lines := exectest.Format(o.r.fields, b)
	o.r.note(strings.ReplaceAll(strings.Join(lines, ";"), "+I ", ""))
	return out.Emit(b)
}

func (o *recording) Advance(t types.Time, out exec.Output) error {
	if o.ctx.Watermark != t {
		return fmt.Errorf("advance to %v with watermark %v", t, o.ctx.Watermark)
	}
	o.r.note(mark(t))
	return out.Watermark(t)
}

func mark(t types.Time) string {
	if t == types.MaxTime {
		return "W+inf"
	}
	return fmt.Sprintf("W%d", int64(t))
}

// timed is a source of rows (x, ms) whose watermark is the second column.
func timed(w *world) *exec.Node {
	n := w.feed.Node("feed", 1)
	n.Source.Watermark = func() (exec.WatermarkGenerator, error) { return secondColumn{}, nil }
	return n
}

type secondColumn struct{}

func (secondColumn) Eval(b *vec.Batch) (*vec.Vector, error) {
	v := &vec.Vector{Kind: vec.I64}
	for i := range b.N {
		if b.Cols[1].IsNull(i) {
			v.AppendNull()
			continue
		}
		v.AppendValue(vec.Value{Kind: vec.I64, I: b.Cols[1].I64[i] * 1000})
	}
	return v, nil
}

func TestWatermarkPerRow(t *testing.T) {
	for interval, want := range map[time.Duration]string{
		0:           "a, 5 W5 b, 3;c, 9 W9 d, 9 W+inf",
		time.Second: "a, 5;b, 3;c, 9;d, 9 W+inf",
	} {
		w := newWorld(t, "s")
		w.ledger.Fields = w.feed.Fields
		r := newRecorder("k STRING, v BIGINT")
		w.add("s", "a, 5\nb, 3\nc, 9\nd, 9")
		w.feed.EndAll()
		g := &exec.Graph{Nodes: []*exec.Node{timed(w), r.node("r", exec.Edge{From: 0}), w.ledger.Node("sink", 1, exec.Edge{From: 1})}}
		j := w.run(g, exec.Config{WatermarkInterval: interval})
		w.wait(j)
		if got := r.text(); got != want {
			t.Errorf("interval %v: %s, expected %s", interval, got, want)
		}
	}
}

func TestWatermarkIsTheMinimumOverActiveSplits(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.ledger.Fields = w.feed.Fields
	r := newRecorder("k STRING, v BIGINT")
	n := w.feed.Node("feed", 1)
	n.Source.IdleTimeout = time.Minute
	g := &exec.Graph{Nodes: []*exec.Node{n, r.node("r", exec.Edge{From: 0, Exchange: exec.Hash, Key: []int{0}}), w.ledger.Node("sink", 1, exec.Edge{From: 1})}}
	store := w.store()
	j := w.run(g, exec.Config{Store: store})
	w.feed.Watermark("a", 7)
	w.feed.Watermark("b", 5)
	r.await(t, "W5")
	w.feed.Watermark("b", 9)
	r.await(t, "W7")
	w.awaitRead(j)
	w.clock.Advance(30 * time.Second)
	w.feed.Watermark("b", 10)
	w.awaitRead(j)
	w.clock.Advance(31 * time.Second)
	r.await(t, "W10") // a is idle
	w.feed.Watermark("a", 8)
	w.awaitRead(j)
	for _, s := range j.Status().Splits {
		if s.Idle || s.ID == "a" && s.Watermark != 8 || s.ID == "b" && s.Watermark != 10 {
			t.Errorf("split %+v", s)
		}
	}
	// a is back and behind: the source's watermark stands still.
	w.feed.Watermark("b", 20)
	w.awaitRead(j)
	w.checkpoint(j)
	if got := r.text(); !strings.HasSuffix(got, "W10") {
		t.Errorf("seen %s", got)
	}
	// A restart begins with the watermarks of the checkpoint.
	j.Cancel()
	waitFor(j)
	j = w.run(g, exec.Config{Store: store})
	r.await(t, "fromW10")
	w.feed.Watermark("a", 15)
	r.await(t, "W15")
	w.feed.EndAll()
	w.wait(j)
}

// Subtasks without splits hold up nobody, before and after a rescale.
func TestSubtasksWithoutSplits(t *testing.T) {
	w := newWorld(t, "a")
	w.ledger.Fields = w.feed.Fields
	r := newRecorder("k STRING, v BIGINT")
	store := w.store()
	for i, p := range []int{3, 2, 1} {
		g := &exec.Graph{Nodes: []*exec.Node{
			w.feed.Node("feed", p), passNode("pass", p, exec.Edge{From: 0}, w.feed.Fields),
			r.node("r", exec.Edge{From: 1, Exchange: exec.Gather}), w.ledger.Node("sink", 1, exec.Edge{From: 2}),
		}}
		j := w.run(g, exec.Config{Store: store})
		at := types.Time(5 + i)
		w.feed.Watermark("a", at)
		r.await(t, mark(at))
		j.Stop(false)
		w.wait(j)
	}
	if got := r.text(); got != "W5 fromW5 W6 fromW6 W7" {
		t.Errorf("seen %s", got)
	}
}

func TestTwoInputsAdvanceByTheMinimum(t *testing.T) {
	w := newWorld(t, "s")
	w.ledger.Fields = w.feed.Fields
	other := exectest.NewFeed(w.feed.Fields, "s")
	r := newRecorder("k STRING, v BIGINT")
	second := other.Node("other", 1)
	second.Source.IdleTimeout = time.Minute
	g := &exec.Graph{Nodes: []*exec.Node{
		w.feed.Node("feed", 1), second,
		r.node("r", exec.Edge{From: 0, Port: 0}, exec.Edge{From: 1, Port: 1}), w.ledger.Node("sink", 1, exec.Edge{From: 2}),
	}}
	store := w.store()
	j := w.run(g, exec.Config{Store: store})
	w.feed.Watermark("s", 5)
	other.Watermark("s", 3)
	r.await(t, "W3")
	other.Watermark("s", 10)
	r.await(t, "W5")
	w.feed.Watermark("s", 8)
	r.await(t, "W8")
	other.End("s")
	w.feed.Watermark("s", 50)
	r.await(t, "W50")
	w.checkpoint(j)
	j.Cancel()
	waitFor(j)
	// The ended input stays ended.
	j = w.run(g, exec.Config{Store: store})
	r.await(t, "fromW50")
	w.feed.Watermark("s", 60)
	r.await(t, "W60")
	w.feed.EndAll()
	w.wait(j)
}

// everySecond is a Waker that wants to be called every second.
type everySecond struct {
	recording
	next types.Time
}

func (a *everySecond) Wake(now types.Time, _ exec.Output) (types.Time, error) {
	if a.next == 0 {
		a.next = now + 1000
	}
	for a.next <= now {
		a.r.note(fmt.Sprintf("tick%d", int64(a.next)/1000%60))
		a.next += 1000
	}
	return a.next, nil
}

func TestWakersFollowTheClock(t *testing.T) {
	for _, exchange := range []exec.Exchange{exec.Forward, exec.Gather} {
		w := newWorld(t, "s")
		w.ledger.Fields = w.feed.Fields
		r := newRecorder("k STRING, v BIGINT")
		n := r.node("r", exec.Edge{From: 0, Exchange: exchange})
		n.New = func() (exec.Operator, error) { return &everySecond{recording: recording{r: r}}, nil }
		source := w.feed.Node("feed", 1)
		if exchange == exec.Gather {
			source.Parallelism = 2
		}
		g := &exec.Graph{Nodes: []*exec.Node{source, n, w.ledger.Node("sink", 1, exec.Edge{From: 1})}}
		j := w.run(g, exec.Config{})
		w.awaitRead(j)
		w.checkpoint(j) // the operator is open
		w.clock.Advance(2500 * time.Millisecond)
		r.await(t, "tick2")
		w.clock.Advance(500 * time.Millisecond)
		r.await(t, "tick3")
		w.feed.EndAll()
		w.wait(j)
	}
}

func TestRowModeSplitsForFolds(t *testing.T) {
	for _, folds := range []bool{false, true} {
		w := newWorld(t, "s")
		w.ledger.Fields = w.feed.Fields
		r := newRecorder("k STRING, v BIGINT")
		var rows []string
		for i := range 30 {
			rows = append(rows, fmt.Sprintf("k%d, %d", i, i))
		}
		w.add("s", strings.Join(rows, "\n"))
		w.feed.EndAll()
		n := r.node("r", exec.Edge{From: 0})
		n.Folds = folds
		g := &exec.Graph{Nodes: []*exec.Node{w.feed.Node("feed", 1), n, w.ledger.Node("sink", 1, exec.Edge{From: 1})}}
		w.wait(w.run(g, exec.Config{}))
		separator := ";"
		if folds {
			separator = " "
		}
		if got, want := r.text(), strings.Join(rows, separator)+" W+inf"; got != want {
			t.Errorf("folds %v: %s, expected %s", folds, got, want)
		}
		if got := w.ledger.Visible(); len(got) != 30 {
			t.Errorf("visible %q", got)
		}
	}
}

func TestFanOutAndUnion(t *testing.T) {
	for _, p := range []int{1, 2} {
		w := newWorld(t, "a", "b")
		w.ledger.Fields = w.feed.Fields
		other := exectest.NewLedger(w.feed.Fields)
		f := w.feed.Fields
		g := &exec.Graph{Nodes: []*exec.Node{
			w.feed.Node("feed", p), passNode("left", p, exec.Edge{From: 0}, f), passNode("right", p, exec.Edge{From: 0}, f),
			{UID: "union", Name: "Union", Parallelism: p, Output: f, New: func() (exec.Operator, error) { return pass{}, nil },
				Inputs: []exec.Edge{{From: 1, Exchange: exec.Hash, Key: []int{0}}, {From: 2, Exchange: exec.Rebalance}}},
			w.ledger.Node("sink", p, exec.Edge{From: 3}), other.Node("other", p, exec.Edge{From: 1}),
		}}
		w.add("a", "x, 1\ny, 1")
		w.add("b", "z, 1")
		j := w.run(g, exec.Config{})
		w.awaitRead(j)
		w.checkpoint(j)
		w.add("b", "x, 2")
		if err := w.endAll(j); err != nil {
			t.Fatal(err)
		}
		both, one := w.ledger.Visible(), other.Visible()
		slices.Sort(both)
		slices.Sort(one)
		if want := "+I x, 1|+I x, 2|+I y, 1|+I z, 1"; strings.Join(one, "|") != want {
			t.Errorf("one way: %q", one)
		}
		if want := "+I x, 1|+I x, 1|+I x, 2|+I x, 2|+I y, 1|+I y, 1|+I z, 1|+I z, 1"; strings.Join(both, "|") != want {
			t.Errorf("both ways: %q", both)
		}
	}
}

func TestSavepointIsKept(t *testing.T) {
	w := newWorld(t, "a")
	store := w.store()
	j := w.run(w.counting(1, 1), exec.Config{Store: store, Checkpoint: exec.CheckpointConfig{Keep: 1}})
	id, err := j.Checkpoint(context.Background(), checkpoint.Savepoint)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.checkpoint(j)
	}
	j.Stop(false)
	w.wait(j)
	list, err := store.List()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].ID != id || list[0].Kind != checkpoint.Savepoint {
		t.Errorf("kept %+v", list)
	}
	if _, err := j.Checkpoint(context.Background(), checkpoint.Periodic); err == nil {
		t.Error("a checkpoint of a job that is over")
	}
}

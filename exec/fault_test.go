package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// crash kills the job and forgets what is not durable.
func (w *world) crash(j *exec.Job) {
	j.Cancel()
	waitFor(j)
	w.dir.Crash()
}

// endAll ends the feed and waits for the end of the job, while the clock
// goes on.
func (w *world) endAll(j *exec.Job) error {
	w.feed.EndAll()
	return w.pass(j)
}

// pass lets time pass until the job is over.
func (w *world) pass(j *exec.Job) error {
	stop := time.After(20 * time.Second)
	for {
		select {
		case <-j.Done():
			return j.Wait()
		case <-time.After(time.Millisecond):
			w.clock.Advance(time.Second)
		case <-stop:
			panic("the job does not end")
		}
	}
}

func TestRestartInside(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1\ny, 1")
	restart := &exec.FixedDelay{Attempts: 3, Delay: time.Second}
	var mu sync.Mutex
	var kinds []string
	j := w.run(w.counting(1, 2), exec.Config{Restart: restart, OnEvent: func(e exec.Event) {
		mu.Lock()
		defer mu.Unlock()
		kinds = append(kinds, e.Kind.String())
	}})
	w.awaitRead(j)
	w.checkpoint(j)
	for i := range 3 {
		w.add("a", "x, 2")
		w.awaitRead(j)
		w.feed.Fail(fmt.Errorf("failure %d", i))
		w.clock.AwaitTimer(time.Second)
		for !w.feed.AwaitRead(10 * time.Millisecond) {
			w.clock.Advance(time.Second)
		}
	}
	if s := j.Status(); s.Attempt != 4 || s.Err == nil || s.State != exec.Running {
		t.Errorf("status %+v", s)
	}
	if err := w.endAll(j); err != nil {
		t.Fatal(err)
	}
	w.want("x, 4", "y, 1")
	mu.Lock()
	defer mu.Unlock()
	for _, k := range []string{"started", "checkpoint completed", "committed", "restarting", "restored", "finished"} {
		if !slices.Contains(kinds, k) {
			t.Errorf("no event %q among %q", k, kinds)
		}
	}
}

func TestRestartsRunOut(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	j := w.run(w.counting(1, 1), exec.Config{Restart: &exec.FixedDelay{Attempts: 1}})
	for range 2 {
		w.awaitRead(j)
		w.feed.Fail(errors.New("no luck"))
	}
	err := w.pass(j)
	if err == nil || !strings.Contains(err.Error(), "Feed: no luck") || !strings.Contains(err.Error(), "1 restarts") {
		t.Fatalf("error %v", err)
	}
}

func TestFatalIsNotRestarted(t *testing.T) {
	w := newWorld(t, "a")
	j := w.run(w.counting(1, 1), exec.Config{Restart: &exec.FixedDelay{Attempts: 100}})
	w.awaitRead(j)
	w.feed.Fail(exec.Fatal(errors.New("bad value")))
	if err := w.pass(j); err == nil || err.Error() != "Feed: bad value" {
		t.Fatalf("error %v", err)
	}
}

// broken fails or panics where it is told to.
type broken struct {
	pass
	open, process error
	panics        bool
}

func (b broken) Open(*exec.Context) error { return b.open }
func (b broken) Process(_ int, rows *vec.Batch, out exec.Output) error {
	if b.panics {
		panic("at the disco")
	}
	if b.process != nil {
		return b.process
	}
	return out.Emit(rows)
}

// through is feed → op → ledger of the feed's own columns.
func (w *world) through(op func() exec.Operator) *exec.Graph {
	w.ledger.Fields = w.feed.Fields
	n := passNode("op", 1, exec.Edge{From: 0}, w.feed.Fields)
	n.Name = "Op"
	n.New = func() (exec.Operator, error) { return op(), nil }
	return &exec.Graph{Name: "test", Nodes: []*exec.Node{w.feed.Node("feed", 1), n, w.ledger.Node("sink", 1, exec.Edge{From: 1})}}
}

func TestOperatorErrors(t *testing.T) {
	for _, c := range []struct {
		op   broken
		want string
	}{
		{broken{open: errors.New("no table")}, "Op: no table"},
		{broken{process: errors.New("no sense")}, "Op: no sense"},
		{broken{panics: true}, "internal error in feed[0]: at the disco; please report it"},
	} {
		w := newWorld(t, "a")
		w.add("a", "x, 1")
		restart := exec.RestartStrategy(&exec.FixedDelay{Attempts: 100})
		if c.op.process != nil {
			restart = nil
		}
		j := w.run(w.through(func() exec.Operator { return c.op }), exec.Config{Restart: restart})
		if err := w.pass(j); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error %v, expected %s", err, c.want)
		}
		if s := j.Status().State; s != exec.Failed {
			t.Errorf("state %v", s)
		}
	}
}

func TestUnknownOutcomesAreTriedAgain(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	w.ledger.UnknownNext(3)
	j := w.run(w.counting(1, 1), exec.Config{})
	w.awaitRead(j)
	w.checkpoint(j)
	if got := w.ledger.Visible(); len(got) != 0 {
		t.Fatalf("visible %q", got)
	}
	w.add("a", "x, 1")
	w.awaitRead(j)
	j.Stop(false)
	if err := w.pass(j); err != nil {
		t.Fatal(err)
	}
	w.want("x, 2")
}

func TestKilledBetweenFinalAndItsCommit(t *testing.T) {
	for _, drain := range []bool{false, true} {
		w := newWorld(t, "a")
		w.add("a", "x, 1\ny, 1")
		w.ledger.UnknownNext(2)
		j := w.run(w.counting(1, 1), exec.Config{})
		w.awaitRead(j)
		j.Stop(drain)
		w.clock.AwaitTimer(time.Second) // the retry of the commit
		w.crash(j)
		if got := w.ledger.Visible(); len(got) != 0 {
			t.Fatalf("visible %q", got)
		}
		w.feed.Forget()
		j, err := exec.Run(context.Background(), w.counting(1, 1), exec.Config{Store: w.store(), Clock: w.clock})
		if err != nil {
			t.Fatal(err)
		}
		if !drain {
			w.awaitRead(j)
			j.Stop(false)
		}
		if err := w.pass(j); err != nil {
			t.Fatal(err)
		}
		w.want("x, 1", "y, 1")
		w.dir.Crash()
		_, err = exec.Run(context.Background(), w.counting(1, 1), exec.Config{Store: w.store(), Clock: w.clock})
		if drain != errors.Is(err, exec.ErrFinished) {
			t.Errorf("drain %v: %v", drain, err)
		}
	}
}

func TestDeclineKeepsRows(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	w.ledger.Fields = w.feed.Fields
	j := w.run(w.through(func() exec.Operator { return pass{} }), exec.Config{Restart: &exec.FixedDelay{Attempts: 5}})
	w.awaitRead(j)
	w.ledger.DeclineNext(1)
	if _, err := j.Checkpoint(context.Background(), checkpoint.Periodic); err == nil || !strings.Contains(err.Error(), "no free id") {
		t.Fatalf("checkpoint: %v", err)
	}
	// Nothing in flight could free an id, so the job starts again from the
	// last completed checkpoint: the beginning.
	if err := w.endAll(j); err != nil {
		t.Fatal(err)
	}
	if got := w.ledger.Visible(); len(got) != 1 {
		t.Errorf("visible %q", got)
	}
}

func TestLostTransactionStopsEveryStart(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	w.ledger.UnknownNext(1000)
	j := w.run(w.counting(1, 1), exec.Config{Restart: &exec.FixedDelay{Attempts: 100}})
	w.awaitRead(j)
	w.checkpoint(j)
	w.ledger.LoseAll(true)
	w.ledger.UnknownNext(0)
	for range 2 {
		err := w.pass(j)
		if err == nil || !strings.Contains(err.Error(), "is lost: aborted by the ledger") {
			t.Fatalf("error %v", err)
		}
		w.dir.Crash()
		j = w.run(w.counting(1, 1), exec.Config{Restart: &exec.FixedDelay{Attempts: 100}})
	}
	if err := w.pass(j); err == nil {
		t.Error("a start forgets the lost transaction")
	}
}

// stuck blocks in Process until it is released.
type stuck struct {
	pass
	entered, release chan struct{}
}

func (s stuck) Process(_ int, b *vec.Batch, out exec.Output) error {
	s.entered <- struct{}{}
	<-s.release
	return out.Emit(b)
}

func TestTimedOutCheckpointLosesNothing(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	s := stuck{entered: make(chan struct{}, 10), release: make(chan struct{}, 10)}
	defer func() { s.release <- struct{}{} }()
	g := w.through(func() exec.Operator { return s })
	g.Nodes[0].Parallelism, g.Nodes[1].Inputs[0].Exchange = 2, exec.Gather // a queue between
	j := w.run(g, exec.Config{Checkpoint: exec.CheckpointConfig{Timeout: time.Minute, TolerableFailed: 5}})
	<-s.entered
	result := make(chan error)
	go func() {
		_, err := j.Checkpoint(context.Background(), checkpoint.Periodic)
		result <- err
	}()
	for acked := 0; acked < 2; { // the sources
		if f := j.Status().Progress.InFlight; len(f) > 0 {
			acked = f[0].Acked
		}
		runtime.Gosched()
	}
	w.clock.Advance(time.Minute)
	if err := <-result; err == nil || !strings.Contains(err.Error(), "timed out after 1m0s, not acknowledged by op[0]") {
		t.Fatalf("checkpoint: %v", err)
	}
	s.release <- struct{}{}
	w.awaitRead(j)
	w.checkpoint(j)
	if got := w.ledger.Visible(); len(got) != 1 {
		t.Errorf("visible %q", got)
	}
	s2 := j.Status()
	if n := len(s2.Checkpoints); n != 2 || s2.Checkpoints[0].State != "aborted" || s2.Checkpoints[1].State != "completed" {
		t.Errorf("checkpoints %+v", s2.Checkpoints)
	}
}

func TestStopEndsTheWaitForARestart(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	j := w.run(w.counting(1, 1), exec.Config{Restart: &exec.FixedDelay{Attempts: 1, Delay: time.Hour}})
	w.awaitRead(j)
	w.feed.Fail(errors.New("flat tyre"))
	w.clock.AwaitTimer(time.Hour)
	j.Stop(false)
	w.wait(j)
}

func TestMemoryLimitNamesTheOperator(t *testing.T) {
	w := newWorld(t, "a")
	for i := range 3000 {
		w.add("a", fmt.Sprintf("key%d, 1", i))
	}
	j := w.run(w.counting(1, 1), exec.Config{MemoryLimit: 1})
	err := w.pass(j)
	if err == nil || !strings.Contains(err.Error(), "that of Counter") || !strings.Contains(err.Error(), "table.exec.state.ttl") {
		t.Fatalf("error %v", err)
	}
}

// TestRandomKills kills the job at random moments, at random parallelisms,
// with several checkpoints in flight, commits without answers and restarts
// inside: every row counts once.
func TestRandomKills(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomKills(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func randomKills(t *testing.T, rnd *rand.Rand) {
	w := newWorld(t, "a", "b", "c")
	splits := []string{"a", "b", "c"}
	want := map[string]int{}
	w.feed.BatchSize = 1 + rnd.IntN(5)
	add := func(n int) {
		for range n {
			k := fmt.Sprintf("k%d", rnd.IntN(7))
			want[k]++
			w.add(splits[rnd.IntN(3)], k+", 1")
		}
	}
	config := func() exec.Config {
		return exec.Config{Clock: exec.SystemClock{}, Restart: &exec.FixedDelay{Attempts: 1000}, WatermarkInterval: time.Millisecond,
			Checkpoint: exec.CheckpointConfig{Interval: time.Duration(1+rnd.IntN(4)) * time.Millisecond, MaxConcurrent: 1 + rnd.IntN(3), TolerableFailed: -1}}
	}
	w.batches = rnd.IntN(2) == 0
	graph := func() *exec.Graph {
		g := w.counting(1+rnd.IntN(3), 1+rnd.IntN(3))
		n := passNode("mid", 1+rnd.IntN(3), exec.Edge{From: 0, Exchange: exec.Rebalance}, w.feed.Fields)
		g.Nodes = slices.Insert(g.Nodes, 1, n)
		g.Nodes[2].Inputs[0].From, g.Nodes[3].Inputs[0].From = 1, 2
		return g
	}
	for range 30 {
		j := w.run(graph(), config())
		for range 1 + rnd.IntN(4) {
			add(rnd.IntN(30))
			if rnd.IntN(3) == 0 {
				w.ledger.UnknownNext(rnd.IntN(4))
			}
			if rnd.IntN(4) == 0 {
				w.feed.Fail(errors.New("random"))
			}
			w.feed.AwaitRead(time.Duration(rnd.IntN(4000)) * time.Microsecond)
		}
		if rnd.IntN(4) == 0 {
			w.ledger.UnknownNext(0)
			j.Stop(false)
			waitFor(j)
		}
		w.crash(j)
	}
	w.ledger.UnknownNext(0)
	j := w.run(graph(), config())
	w.feed.EndAll()
	w.wait(j)
	var rows []string
	for k, n := range want {
		rows = append(rows, fmt.Sprintf("%s, %d", k, n))
	}
	w.want(rows...)
}

// The order in which a sink is asked: nothing opens before every sink has
// recovered, and only a restart inside the process is called one.
func TestSinkCalls(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	w.ledger.UnknownNext(2)
	j := w.run(w.counting(1, 1), exec.Config{Restart: &exec.FixedDelay{Attempts: 1}})
	w.awaitRead(j)
	w.checkpoint(j)
	w.feed.Fail(errors.New("once"))
	if err := w.endAll(j); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(w.ledger.Calls(), ", ")
	want := "start 0, recover 0, open sink[0] restart=false, prepare t1 sink[0] 1, commit t1 unknown, " +
		"start 1, commit t1 unknown, recover 1, open sink[0] restart=true, "
	if !strings.HasPrefix(got, want) {
		t.Errorf("calls:\n%s\nexpected to begin with\n%s", got, want)
	}
	for _, s := range []string{"commit t1 committed", "settled t1"} {
		if !strings.Contains(got, s) {
			t.Errorf("no %q in %s", s, got)
		}
	}
}

func TestFullDiskDeclinesAndGoesOn(t *testing.T) {
	w := newWorld(t, "a")
	w.add("a", "x, 1")
	j := w.run(w.counting(1, 1), exec.Config{Checkpoint: exec.CheckpointConfig{TolerableFailed: -1}})
	w.awaitRead(j)
	w.dir.SetFull(true)
	_, err := j.Checkpoint(context.Background(), checkpoint.Periodic)
	if err == nil || !strings.Contains(err.Error(), checkpoint.ErrNoSpace.Error()) {
		t.Fatalf("checkpoint on a full disk: %v", err)
	}
	w.dir.SetFull(false)
	w.add("a", "x, 1")
	w.awaitRead(j)
	w.checkpoint(j)
	w.want("x, 2")
}

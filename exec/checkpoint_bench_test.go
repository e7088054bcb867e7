package exec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
	"golang.org/x/sys/unix"
)

// million keys, each with three values, are the state of one subtask.
const million = 1_000_000

const benchBatch = 4096

// keyFeed hands the source ranges of keys to read.
type keyFeed struct{ batches chan []int64 }

func (f *keyFeed) Splits(context.Context) ([]exec.Split, error) {
	return []exec.Split{{ID: "0"}}, nil
}

func (f *keyFeed) Reader(c exec.SourceContext, _ []exec.Split) (exec.Reader, error) {
	return &keyReader{f, c.Wake}, nil
}

type keyReader struct {
	f    *keyFeed
	wake <-chan struct{}
}

func (r *keyReader) Next(ctx context.Context, b *vec.Batch) (int, bool, error) {
	b.Reset()
	select {
	case keys := <-r.f.batches:
		b.Cols[0].I64 = append(b.Cols[0].I64[:0], keys...)
		b.N = len(keys)
	case <-r.wake:
	case <-ctx.Done():
	}
	return 0, false, nil
}

func (r *keyReader) Positions() []exec.Split                       { return []exec.Split{{ID: "0", Position: []byte{1}}} }
func (r *keyReader) Completed(context.Context, []exec.Split) error { return nil }
func (r *keyReader) Close() error                                  { return nil }

// tally keeps count, sum and last value of random numbers by key, and notes
// how long rows waited: from the end of one batch to the end of the next.
type tally struct {
	table   *state.Table
	n, sum  state.Col[int64]
	last    state.Col[float64]
	probe   state.Probe
	rows    atomic.Int64
	opened  chan time.Time
	end     time.Time
	longest atomic.Int64 // ns, of a batch and what came before it
	cpuEnd  time.Duration
	busiest atomic.Int64 // ns, the same in CPU time of the subtask alone
}

func (s *tally) Open(c *exec.Context) (err error) {
	runtime.LockOSThread() // so that the thread's CPU time is the subtask's
	s.table, err = c.State.Table(state.Layout{Name: "t", Version: 1, Keys: []state.Class{state.I64}, Values: []state.Class{state.I64, state.I64, state.F64}})
	if err == nil {
		s.n, s.sum, s.last = s.table.I64Col(0), s.table.I64Col(1), s.table.F64Col(2)
		s.opened <- time.Now()
	}
	return err
}

func (s *tally) Process(_ int, b *vec.Batch, _ exec.Output) error {
	s.probe.Groups, s.probe.Hashes, s.probe.Rows, s.probe.N = b.Hash, b.Hash, nil, b.N
	s.probe.Keys = append(s.probe.Keys[:0], state.KeyCol{Class: state.I64, I64: b.Cols[0].I64})
	s.table.FindOrInsert(&s.probe)
	s.table.Touch(s.probe.Slots)
	for _, slot := range s.probe.Slots {
		x := rand.Int64N(million)
		s.n.Set(slot, s.n.At(slot)+1)
		s.sum.Set(slot, s.sum.At(slot)+x)
		s.last.Set(slot, float64(x)/100)
	}
	now := time.Now()
	if took := int64(now.Sub(s.end)); !s.end.IsZero() && took > s.longest.Load() {
		s.longest.Store(took)
	}
	s.end = now
	cpu := threadTime()
	s.busiest.Store(max(s.busiest.Load(), int64(cpu-s.cpuEnd)))
	s.cpuEnd = cpu
	s.rows.Add(int64(b.N))
	return nil
}

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

func (s *tally) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (s *tally) Close() error                                { return nil }

// counting counts the bytes of state that reach the engine.
type counting struct {
	checkpoint.Engine
	bytes atomic.Int64
}

func (c *counting) Put(key string, value []byte) error {
	c.bytes.Add(int64(len(value)))
	return c.Engine.Put(key, value)
}

// millionJob is a job with the keys 0 … million−1.
type millionJob struct {
	b      *testing.B
	dir    string
	feed   *keyFeed
	op     *tally
	engine *counting
	store  checkpoint.Store
	job    *exec.Job
	fed    int64
}

func startMillion(b *testing.B, dir string) *millionJob {
	b.Helper()
	m := &millionJob{b: b, dir: dir, feed: &keyFeed{make(chan []int64)}, op: &tally{opened: make(chan time.Time, 1)}}
	var err error
	m.store, err = badger.OpenWrapped(dir, checkpoint.Job{Name: "million", Hash: "h"}, func(e checkpoint.Engine) checkpoint.Engine {
		m.engine = &counting{Engine: e}
		return m.engine
	})
	if err != nil {
		b.Fatal(err)
	}
	columns := exectest.Columns("k BIGINT")
	g := &exec.Graph{Name: "million", Nodes: []*exec.Node{
		{UID: "s", Name: "Keys", Parallelism: 1, Output: columns, Source: &exec.SourceNode{Source: m.feed}},
		{UID: "t", Name: "Tally", Parallelism: 1, Output: columns, Inputs: []exec.Edge{{From: 0, Exchange: exec.Hash, Key: []int{0}}}, New: func() (exec.Operator, error) { return m.op, nil }},
		{UID: "k", Name: "Discard", Parallelism: 1, Inputs: []exec.Edge{{From: 1}}, Sink: &exec.SinkNode{Sink: discard{}}},
	}}
	if m.job, err = exec.Run(context.Background(), g, exec.Config{Store: m.store, Checkpoint: exec.CheckpointConfig{MaxConcurrent: 1}}); err != nil {
		b.Fatal(err)
	}
	return m
}

// touch sends n keys, key(i) for i below n, and waits until they are counted.
func (m *millionJob) touch(n int, key func(i int) int64) {
	m.send(n, key)
	for m.op.rows.Load() < m.fed {
		time.Sleep(100 * time.Microsecond)
	}
}

func (m *millionJob) send(n int, key func(i int) int64) {
	for i := 0; i < n; {
		var keys []int64
		for ; i < n && len(keys) < benchBatch; i++ {
			keys = append(keys, key(i))
		}
		m.feed.batches <- keys
		m.fed += int64(len(keys))
	}
}

func inOrder(i int) int64 { return int64(i) }
func uniform(int) int64   { return rand.Int64N(million) }

// checkpoint takes one and returns the bytes of state that it wrote.
func (m *millionJob) checkpoint() int64 {
	m.b.Helper()
	before := m.engine.bytes.Load()
	if _, err := m.job.Checkpoint(context.Background(), checkpoint.Periodic); err != nil {
		m.b.Fatal(err)
	}
	return m.engine.bytes.Load() - before
}

func (m *millionJob) stop() {
	m.b.Helper()
	m.job.Cancel()
	if err := m.job.Wait(); err != exec.ErrCancelled {
		m.b.Fatal(err)
	}
	if err := m.store.Close(); err != nil {
		m.b.Fatal(err)
	}
}

// BenchmarkBarrierPause: how long rows wait at most, while uniform keys flow
// as fast as they can, with no checkpoint and with one: freeze, copies on
// write, and the writing of all pages beside it. (Target: 20 ms.) The CPU
// time tells what of it is not waiting for a core.
func BenchmarkBarrierPause(b *testing.B) {
	m := startMillion(b, filepath.Join(b.TempDir(), "job"))
	defer m.stop()
	m.touch(million, inOrder)
	m.checkpoint()
	flowing, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for flowing.Err() == nil {
			m.send(benchBatch, uniform)
		}
	}()
	var plain, pause, cpu, took []time.Duration
	for b.Loop() {
		from := m.op.rows.Load()
		m.op.longest.Store(0)
		for m.op.rows.Load() < from+100*benchBatch {
			time.Sleep(time.Millisecond)
		}
		plain = append(plain, time.Duration(m.op.longest.Swap(0)))
		m.op.busiest.Store(0)
		start := time.Now()
		m.checkpoint()
		cpu = append(cpu, time.Duration(m.op.busiest.Load()))
		took = append(took, time.Since(start))
		pause = append(pause, time.Duration(m.op.longest.Load()))
	}
	end()
	<-ended
	b.ReportMetric(medianMillis(plain), "p50-longest-without-ms")
	b.ReportMetric(medianMillis(pause), "p50-longest-with-ms")
	b.ReportMetric(medianMillis(took), "p50-checkpoint-ms")
	b.ReportMetric(medianMillis(cpu), "p50-cpu-with-ms")
}

// medianMillis sorts the list. A median, for other processes share the cores.
func medianMillis(list []time.Duration) float64 {
	slices.Sort(list)
	return float64(list[len(list)/2].Microseconds()) / 1000
}

// BenchmarkIncrementalCheckpoint: bytes written after some of the keys
// changed. Keys in order lie on the same pages; uniform ones on all.
func BenchmarkIncrementalCheckpoint(b *testing.B) {
	for _, c := range []struct {
		name    string
		changed int
		key     func(int) int64
	}{{"none", 0, inOrder}, {"0.1%", million / 1000, inOrder}, {"1%", million / 100, inOrder}, {"10%", million / 10, inOrder}, {"100%", million, inOrder},
		{"0.01%-uniform", million / 10_000, uniform}, {"1%-uniform", million / 100, uniform}} {
		b.Run(c.name, func(b *testing.B) {
			m := startMillion(b, filepath.Join(b.TempDir(), "job"))
			defer m.stop()
			m.touch(million, inOrder)
			full := m.checkpoint()
			var bytes int64
			for b.Loop() {
				m.touch(c.changed, c.key)
				bytes += m.checkpoint()
			}
			b.ReportMetric(float64(bytes)/float64(b.N)/1024, "KiB/checkpoint")
			b.ReportMetric(float64(full)/1024, "KiB/full")
		})
	}
}

// BenchmarkRecovery: from the opening of the directory until the subtask has
// its million keys back and its first row is through. (Target: 2 s.)
func BenchmarkRecovery(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "job")
	m := startMillion(b, dir)
	m.touch(million, inOrder)
	m.checkpoint()
	m.stop()
	var restored, first time.Duration
	for b.Loop() {
		start := time.Now()
		m := startMillion(b, dir)
		restored += (<-m.op.opened).Sub(start)
		m.touch(1, inOrder)
		first += time.Since(start)
		if got := m.op.table.Rows(); got != million {
			b.Fatal(fmt.Errorf("%d keys, want %d", got, million))
		}
		b.StopTimer()
		m.stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(restored.Milliseconds())/float64(b.N), "restored-ms")
	b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "first-row-ms")
}

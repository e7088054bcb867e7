package torture

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/broker"
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
)

// World is a broker, the topics of one job, and the job's directory.
type World struct {
	Addr       string
	Broker     *broker.Broker // nil: a real Kafka
	Name       string         // of the job
	In         string
	Out, Out2  string
	Partitions int   // of the input
	Records    int   // fed so far
	Drained    []int // ids that no process will ever read: the job was drained before
	Dir        Directory

	decided *decided
	wire    *wire
	create  func(topic string, partitions int) error
	starts  int
}

// decided are the last outcomes that committers returned, by committable.
type decided struct {
	mu sync.Mutex
	m  map[string]exec.Outcome
}

func (d *decided) note(list []exec.Outcome) {
	if d == nil { // of a child
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range list {
		d.m[o.Committable.Key()] = o
	}
}

// Cluster is an embedded broker with a wire in front; worlds share it, one
// after the other or at once.
type Cluster struct {
	*broker.Broker
	wire *wire
	n    int
}

// NewCluster starts an embedded broker.
func NewCluster() (*Cluster, error) {
	w := newWire()
	w.timeouts = &timeouts{last: map[string]int32{}}
	b, err := broker.Start(broker.Options{ListenFn: w.Listen})
	return &Cluster{Broker: b, wire: w}, err
}

// World makes fresh topics and an empty directory in memory, and feeds the
// input. name must be new on this cluster.
func (c *Cluster) World(name string, records int) (*World, error) {
	w := &World{Addr: c.Addr(), Broker: c.Broker, wire: c.wire, create: c.CreateTopic}
	return w, w.make(name, records)
}

func (w *World) make(name string, records int) error {
	w.Name, w.In, w.Out, w.Out2, w.Partitions = name, name+"-in", name+"-out", name+"-out2", 2
	w.Dir, w.decided = NewMemory(), &decided{m: map[string]exec.Outcome{}}
	for _, t := range []string{w.In, w.Out, w.Out2} {
		if err := w.create(t, w.Partitions); err != nil {
			return err
		}
	}
	return w.Feed(records)
}

// Process is one start of the job.
type Process struct {
	stepper
	w      *World
	client string
	job    *exec.Job
	store  checkpoint.Store
	limit  time.Duration

	emu    sync.Mutex
	events []exec.Event
}

// Start begins a process. An error is a refused start.
func (w *World) Start(j Job, hook Hook) (*Process, error) {
	j = j.complete()
	w.starts++
	p := &Process{w: w, client: fmt.Sprintf("%s/%d", w.Name, w.starts), limit: 15 * time.Second}
	ctx, cancel := context.WithCancel(context.Background())
	dir := w.Dir
	p.hook, p.kill = hook, func() { dir.crash(); cancel() }
	if w.wire != nil {
		w.wire.add(p.client, &p.stepper)
	}
	store, err := dir.open(checkpoint.Job{Name: w.Name, Hash: "torture"}, func(e checkpoint.Engine) checkpoint.Engine { return tappedEngine{e, &p.stepper} })
	if err != nil {
		cancel()
		return p, p.explain(err)
	}
	p.store = store
	g, err := w.graph(j, p.client, &p.stepper)
	if err == nil {
		p.job, err = exec.Run(ctx, g, p.config(j))
	}
	if err != nil {
		cancel()
		return p, errors.Join(p.explain(err), p.close())
	}
	return p, nil
}

// explain: all errors of a dead process are one.
func (p *Process) explain(err error) error {
	if p.Killed() {
		return errKilled
	}
	return err
}

func (p *Process) close() error {
	if p.Killed() {
		return nil
	}
	return p.store.Close()
}

func (p *Process) config(j Job) exec.Config {
	c := exec.Config{
		JobName: p.w.Name, JobHash: "torture", Store: p.store, Fresh: j.Fresh, Log: slog.New(slog.DiscardHandler), OnEvent: p.note,
		Checkpoint: exec.CheckpointConfig{Interval: j.Interval, MaxConcurrent: j.Concurrent, Timeout: j.Timeout, TolerableFailed: -1},
		Restart:    &exec.FixedDelay{Attempts: 1000, Delay: time.Millisecond},
	}
	if j.NoRestart {
		c.Restart = nil
	}
	return c
}

func (p *Process) note(e exec.Event) {
	p.emu.Lock()
	defer p.emu.Unlock()
	p.events = append(p.events, e)
}

// Count is how many events of a kind there were.
func (p *Process) Count(kind exec.EventKind) (n int) {
	p.emu.Lock()
	defer p.emu.Unlock()
	for _, e := range p.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// Wait returns when the process is over: nil after the job's end or a stop,
// errKilled after a kill.
func (p *Process) Wait() error {
	select {
	case <-p.job.Done():
	case <-time.After(p.limit):
		s := p.job.Status()
		return fmt.Errorf("the process does not end: %v, attempt %d, %v, %+v", s.State, s.Attempt, s.Err, s.Progress)
	}
	err := p.explain(p.job.Wait())
	return errors.Join(err, p.close())
}

// Stop asks for the final checkpoint.
func (p *Process) Stop(drain bool) { p.job.Stop(drain) }

// Run is Start and Wait.
func (w *World) Run(j Job, hook Hook) (*Process, error) {
	p, err := w.Start(j, hook)
	if err != nil {
		return p, err
	}
	return p, p.Wait()
}

// Finish starts processes until the job has come to its end; hook is that of
// the first. Killed ones are followed by others, which nothing disturbs.
func (w *World) Finish(j Job, hook Hook) (*Process, error) {
	first, err := w.Run(j, hook)
	for range 8 {
		if !errors.Is(err, errKilled) {
			break
		}
		_, err = w.Run(j, nil)
	}
	if errors.Is(err, exec.ErrFinished) {
		err = nil
	}
	return first, err
}

package exec

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// attempt is one run of all subtasks, between two restarts.
type attempt struct {
	job    *Job
	cfg    *Config
	g      *Graph
	clock  Clock
	log    *slog.Logger
	store  checkpoint.Store
	ctx    context.Context
	cancel context.CancelCauseFunc

	restored   *restored
	pending    []Committable // unknown after Committer.Commit at start
	committers []*committerRun
	tasks      []*task
	tasksOf    map[checkpoint.Subtask]*task // by chain head
	writers    map[checkpoint.Subtask]*task // of sinks, by the sink's own subtask
	driver     *driver
	inputs     chan checkpoint.Input
	background sync.WaitGroup
	restart    bool        // the process has started the sinks before
	started    bool        // all subtasks were open
	ready      atomic.Bool // tasks are complete: Job.Status may read them
}

// errEnd ends an attempt whose job is over.
var errEnd = errors.New("the job is over")

func newAttempt(j *Job) *attempt {
	ctx, cancel := context.WithCancelCause(j.ctx)
	return &attempt{
		job: j, cfg: &j.cfg, g: j.graph, clock: j.cfg.Clock, log: j.cfg.Log, store: j.cfg.Store,
		ctx: ctx, cancel: cancel, restart: j.sinksStarted, inputs: make(chan checkpoint.Input, 64),
		tasksOf: map[checkpoint.Subtask]*task{}, writers: map[checkpoint.Subtask]*task{},
	}
}

// input hands an event to the coordinator, from any goroutine.
func (a *attempt) input(in checkpoint.Input) {
	select {
	case a.inputs <- in:
	case <-a.ctx.Done():
	}
}

// run restores, recovers the sinks, runs all subtasks and returns when they
// have ended: nil at the end of the job.
func (a *attempt) run() (err error) {
	defer func() {
		a.cancel(errEnd)
		a.background.Wait()
		if cerr := a.closeCommitters(); err == nil {
			err = cerr
		}
	}()
	if err := a.load(); err != nil {
		return err
	}
	if err := a.recoverSinks(); err != nil {
		return err
	}
	if m := a.restored.meta; m != nil && m.Finished {
		return a.settleRest()
	}
	if err := a.prepare(); err != nil {
		return err
	}
	return a.runTasks()
}

// load reads the checkpoint to resume from.
func (a *attempt) load() error {
	m, err := a.store.Latest()
	if err != nil {
		return err
	}
	if a.restored, err = newRestored(m, a.g); err != nil {
		return Fatal(err)
	}
	return nil
}

// prepare makes the subtasks; the sinks have recovered.
func (a *attempt) prepare() error {
	splits, err := a.dealAll()
	if err != nil {
		return err
	}
	if err := a.build(splits); err != nil {
		return err
	}
	a.ready.Store(true)
	a.driver, err = newDriver(a)
	return err
}

// dealAll asks the sources for their splits, once a process, and deals them
// out.
func (a *attempt) dealAll() (map[string][][]checkpoint.SplitState, error) {
	dealt := map[string][][]checkpoint.SplitState{}
	for _, n := range a.g.Nodes {
		if n.Source == nil {
			continue
		}
		listed, ok := a.job.splits[n.UID]
		if !ok {
			var err error
			if listed, err = n.Source.Source.Splits(a.ctx); err != nil {
				return nil, &StageError{Node: n.Name, Err: err}
			}
			a.job.splits[n.UID] = listed
		}
		dealt[n.UID] = dealSplits(listed, a.restored.sources[n.UID], n.Parallelism)
	}
	return dealt, nil
}

// runTasks starts the subtasks and the driver, and waits for them.
func (a *attempt) runTasks() error {
	begin := make(chan struct{})
	opened := make(chan error, 2*len(a.tasks))
	var running sync.WaitGroup
	for _, t := range a.tasks {
		running.Add(1)
		go func() {
			defer running.Done()
			if err := t.start(func(err error) { opened <- err }, begin); err != nil && !isStop(err) {
				a.cancel(err)
			}
		}()
	}
	err := a.awaitOpen(opened)
	if err == nil {
		a.started = true
		a.driver.tick() // the interval counts from here
		a.job.running(a)
		close(begin)
		err = a.driver.loop()
	}
	if err != nil {
		a.cancel(err)
	}
	running.Wait()
	return a.result(err)
}

// awaitOpen waits until all subtasks are open, or one has failed.
func (a *attempt) awaitOpen(opened <-chan error) error {
	for range a.tasks {
		select {
		case err := <-opened:
			if err != nil {
				return err
			}
		case <-a.ctx.Done():
			return context.Cause(a.ctx)
		}
	}
	return nil
}

// result is the first error of driver or subtasks; a subtask's error while
// the job finishes (a writer's Close) counts.
func (a *attempt) result(err error) error {
	if cause := context.Cause(a.ctx); cause != nil && (err == nil || isStop(err)) {
		err = cause
	}
	if errors.Is(err, errEnd) {
		return nil
	}
	return err
}
func (a *attempt) sinkContext(n *Node, s checkpoint.Subtask, m *Metrics) SinkContext {
	return SinkContext{
		Subtask: s, Parallelism: n.Parallelism, UID: n.UID, JobName: a.cfg.JobName, RunID: a.store.RunID(),
		Clock: a.clock, Metrics: m, Log: a.log.With("sink", n.Name, "subtask", s.Index), Journal: a.store.Journal(n.UID),
		Interval: a.cfg.Checkpoint.Interval, MaxConcurrent: a.cfg.Checkpoint.MaxConcurrent,
		Fresh: a.cfg.Fresh, Restart: a.restart,
		Checkpoint: func() { a.input(checkpoint.Trigger{Kind: checkpoint.Periodic}) },
	}
}
func (a *attempt) sourceContext(n *Node, t *task) SourceContext {
	return SourceContext{
		Subtask: t.subtask, Parallelism: n.Parallelism, UID: n.UID, JobName: a.cfg.JobName, Clock: a.clock,
		Metrics: t.metrics, Log: a.log.With("source", n.Name, "subtask", t.subtask.Index),
		Journal: a.store.Journal(n.UID), Wake: t.mail.wake,
	}
}

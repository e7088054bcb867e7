package exec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/state"
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

// build makes the tasks and connects them.
func (a *attempt) build(splits map[string][][]checkpoint.SplitState) error {
	cs := a.job.chains
	byChain := make([][]*task, len(cs.list))
	for i, c := range cs.list {
		head := a.g.Nodes[c.head]
		for k := range head.Parallelism {
			t, err := a.newTask(cs, c, k, splits)
			if err != nil {
				return err
			}
			byChain[i] = append(byChain[i], t)
			a.tasks = append(a.tasks, t)
			a.tasksOf[t.subtask] = t
		}
	}
	for i, c := range cs.list {
		a.connect(cs, c, byChain, byChain[i])
	}
	return nil
}

func (a *attempt) newTask(cs *chains, c *chain, index int, splits map[string][][]checkpoint.SplitState) (*task, error) {
	head := a.g.Nodes[c.head]
	t := &task{
		run: a, chain: c, ctx: a.ctx, metrics: newMetrics(),
		subtask: checkpoint.Subtask{UID: head.UID, Index: index},
		mail:    mailbox{wake: make(chan struct{}, 1)},
		watch:   stopwatch{coarse: a.cfg.RowMode},
	}
	outs := map[int]*output{}
	for _, i := range c.nodes {
		n := a.g.Nodes[i]
		if n.Source != nil {
			t.source = &sourceRun{task: t, node: n, spec: n.Source, starts: splits[n.UID][index], out: newOutput(n, t.metrics)}
			t.source.makeSplits(a.clock.Now())
			outs[i] = t.source.out
			continue
		}
		s, err := a.newStage(t, n, index)
		if err != nil {
			return nil, err
		}
		t.stages = append(t.stages, s)
		outs[i] = s.out
		if i != c.head {
			e := n.Inputs[0]
			out := outs[e.From]
			out.targets = append(out.targets, a.newInlet(s, e.Port, newHasher(e)))
		}
	}
	a.addExchanges(cs, t, outs)
	return t, nil
}

func newMetrics() *Metrics {
	m := &Metrics{}
	m.Watermark.Store(int64(types.MinTime))
	return m
}

func (a *attempt) newInlet(s *stage, port int, h hasher) *inlet {
	in := &inlet{stage: s, port: port, split: a.cfg.RowMode && s.node.Folds, keys: h}
	for _, e := range s.node.Inputs {
		if e.Port == port {
			in.one.types = fieldTypes(a.g.Nodes[e.From].Output)
		}
	}
	return in
}

func (a *attempt) newStage(t *task, n *Node, index int) (*stage, error) {
	m := t.metrics
	if len(t.stages) > 0 || t.source != nil {
		m = newMetrics()
	}
	marks := a.restored.marks(n.UID, index, n.Parallelism, ports(n))
	s := &stage{
		task: t, node: n, subtask: checkpoint.Subtask{UID: n.UID, Index: index}, out: newOutput(n, m),
		marks: marks[:ports(n)], idle: make([]bool, ports(n)), next: types.MaxTime,
	}
	s.out.last = marks[ports(n)]
	s.ctx = &Context{
		Subtask: s.subtask, Parallelism: n.Parallelism, Metrics: m, Watermark: slices.Min(s.marks),
		Log: a.log.With("operator", n.Name, "subtask", index),
	}
	s.out.ctx = s.ctx
	m.Watermark.Store(int64(s.ctx.Watermark))
	if n.Sink != nil {
		a.writers[s.subtask] = t
		return s, nil
	}
	b, err := state.Open(state.Options{
		Operator: n.Name, Range: state.RangeOf(index, n.Parallelism),
		Manifests: a.restored.manifests(n.UID), Chunks: chunkStore{a.store},
	})
	s.ctx.State = b
	return s, err
}

// addExchanges makes the producer's side of the edges that leave the chain.
func (a *attempt) addExchanges(cs *chains, t *task, outs map[int]*output) {
	for _, i := range t.chain.nodes {
		for _, c := range cs.consumers[i] {
			to := a.g.Nodes[c.node]
			if fused(a.g, to) {
				continue
			}
			e := to.Inputs[c.edge]
			x := &exchange{task: t, kind: e.Exchange, types: fieldTypes(a.g.Nodes[i].Output), keys: newHasher(e)}
			t.exchanges = append(t.exchanges, x)
			outs[i].targets = append(outs[i].targets, x)
		}
	}
}

// connect makes the gates of a chain's subtasks and fills the lanes of their
// producers, edge by edge.
func (a *attempt) connect(cs *chains, c *chain, byChain [][]*task, tasks []*task) {
	head := a.g.Nodes[c.head]
	if head.Source != nil {
		return
	}
	for _, t := range tasks {
		t.gate = newGate(t.mail.wake)
		for p := range t.stages[0].marks {
			t.inlets = append(t.inlets, a.newInlet(t.stages[0], p, hasher{}))
			t.valves = append(t.valves, &valve{last: t.stages[0].marks[p]})
		}
	}
	for e, edge := range head.Inputs {
		for _, from := range byChain[cs.of[edge.From]] {
			x := from.exchanges[exchangeIndex(cs, a.g, cs.of[edge.From], consumer{c.head, e})]
			for _, to := range receivers(edge, from, tasks) {
				x.lanes = append(x.lanes, &lane{queue: to.addChannel(edge.Port)})
			}
		}
	}
	for _, t := range tasks {
		t.aligner = newAligner(len(t.gate.queues))
	}
}

// exchangeIndex finds an edge among the exchanges of a chain's tasks, which
// are in the order of addExchanges.
func exchangeIndex(cs *chains, g *Graph, chain int, want consumer) int {
	at := 0
	for _, i := range cs.list[chain].nodes {
		for _, c := range cs.consumers[i] {
			if c == want {
				return at
			}
			if !fused(g, g.Nodes[c.node]) {
				at++
			}
		}
	}
	panic("exec: edge without an exchange")
}

// receivers are the consumer's subtasks that a producer sends to.
func receivers(e Edge, from *task, to []*task) []*task {
	switch e.Exchange {
	case Forward:
		return to[from.subtask.Index : from.subtask.Index+1]
	case Gather:
		return to[:1]
	default:
		return to
	}
}

// addChannel adds a queue into a port, which stands at the restored
// watermark.
func (t *task) addChannel(port int) *queue {
	v := t.valves[port]
	t.portOf = append(t.portOf, port)
	t.indexOf = append(t.indexOf, len(v.channels))
	v.channels = append(v.channels, channelMark{at: v.last, aligned: true})
	return t.gate.add()
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
	}
}

func (a *attempt) sourceContext(n *Node, t *task) SourceContext {
	return SourceContext{
		Subtask: t.subtask, Parallelism: n.Parallelism, UID: n.UID, JobName: a.cfg.JobName, Clock: a.clock,
		Metrics: t.metrics, Log: a.log.With("source", n.Name, "subtask", t.subtask.Index),
		Journal: a.store.Journal(n.UID), Wake: t.mail.wake,
	}
}

// measure brings the state metrics up to date, about once a second, and
// enforces the memory limit.
func (t *task) measure() error {
	if t.now-t.measured < 1000 && t.now >= t.measured {
		return nil
	}
	t.measured = t.now
	for _, s := range t.stages {
		if s.ctx.State != nil {
			s.ctx.Metrics.StateRows.Store(int64(s.ctx.State.Rows()))
			s.ctx.Metrics.StateBytes.Store(int64(s.ctx.State.Bytes()))
		}
	}
	if limit := t.run.cfg.MemoryLimit; limit > 0 {
		return t.run.checkMemory(limit)
	}
	return nil
}

func (a *attempt) checkMemory(limit int64) error {
	total, largest := int64(0), int64(-1)
	name := ""
	for _, t := range a.tasks {
		for _, s := range t.stages {
			n := s.ctx.Metrics.StateBytes.Load()
			total += n
			if n > largest {
				largest, name = n, s.node.Name
			}
		}
	}
	if total <= limit {
		return nil
	}
	return Fatal(fmt.Errorf("the state takes %d MB, over the limit of %d MB (--memory); the largest part, %d MB, is that of %s; "+
		"let old keys expire with table.exec.state.ttl, or raise the limit", total>>20, limit>>20, largest>>20, name))
}

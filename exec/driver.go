package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// driver is the world around the pure Coordinator: one goroutine for its
// decisions, and one worker for what takes time (Save, Commit, Retain), one
// after the other.
type driver struct {
	a       *attempt
	c       *checkpoint.Coordinator
	work    chan func()
	queue   []func()
	sources []*task
	waiting map[uint64]chan<- triggered        // by tag, until injected
	running map[checkpoint.ID]chan<- triggered // until completed or aborted
	nextTag uint64
	over    bool
}

// triggered answers a Job.Checkpoint.
type triggered struct {
	id  checkpoint.ID
	err error
}

// request is what the job's callers ask of the driver.
type request struct {
	stop  bool
	drain bool
	kind  checkpoint.Kind
	reply chan<- triggered
}

func newDriver(a *attempt) (*driver, error) {
	d := &driver{
		a: a, work: make(chan func()), waiting: map[uint64]chan<- triggered{}, running: map[checkpoint.ID]chan<- triggered{},
	}
	k := a.cfg.Checkpoint
	cfg := checkpoint.Config{
		Header: checkpoint.Header{
			RunID: a.store.RunID(), JobHash: a.cfg.JobHash, KeyHashVersion: vec.HashVersion, MaxParallelism: state.MaxParallelism,
		},
		Interval: k.Interval, Timeout: k.Timeout, MinPause: k.MinPause, MaxConcurrent: k.MaxConcurrent,
		TolerableFailed: k.TolerableFailed, Keep: k.Keep, Next: a.store.NextID(), Pending: a.pending,
	}
	for _, t := range a.tasks {
		cfg.Subtasks = append(cfg.Subtasks, t.subtask)
		if t.source != nil {
			cfg.Sources = append(cfg.Sources, t.subtask)
			d.sources = append(d.sources, t)
		}
	}
	var err error
	d.c, err = checkpoint.NewCoordinator(cfg)
	return d, Fatal(err)
}

// loop runs until the job is over (nil) or has failed.
func (d *driver) loop() error {
	workerDone := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(workerDone)
		d.worker(stop)
	}()
	err := d.decide()
	if err != nil {
		d.a.cancel(err) // a Commit that waits for the network ends
	}
	close(stop)
	<-workerDone
	for _, f := range d.queue {
		if err == nil {
			f() // old checkpoints are still to be deleted
		}
	}
	d.refuseAll(err)
	return err
}

func (d *driver) worker(stop <-chan struct{}) {
	for {
		select {
		case f := <-d.work:
			f()
		case <-stop:
			return
		}
	}
}

func (d *driver) decide() error {
	if asked, drain := d.a.job.stopAsked(); asked {
		d.tick()
		d.c.Step(checkpoint.StopAsked{Drain: drain})
	}
	for {
		d.tick()
		if err := d.obey(); err != nil {
			return err
		}
		if d.over {
			return nil
		}
		if err := d.await(); err != nil {
			return err
		}
	}
}

func (d *driver) tick() { d.c.Tick(d.a.clock.Now()) }

// await takes the next input, or returns when time alone may change
// something.
func (d *driver) await() error {
	var timer <-chan time.Time
	if at, ok := d.c.Deadline(); ok {
		timer = alarm(d.a.clock, at)
	}
	var work chan<- func()
	var next func()
	if len(d.queue) > 0 {
		work, next = d.work, d.queue[0]
	}
	select {
	case in := <-d.a.inputs:
		d.tick()
		d.c.Step(in)
	case r := <-d.a.job.requests:
		d.tick()
		d.request(r)
	case work <- next:
		d.queue = d.queue[1:]
	case <-timer:
	case <-d.a.ctx.Done():
		return context.Cause(d.a.ctx)
	}
	return nil
}

func (d *driver) request(r request) {
	if r.stop {
		d.c.Step(checkpoint.StopAsked{Drain: r.drain})
		return
	}
	d.nextTag++
	d.waiting[d.nextTag] = r.reply
	d.c.Step(checkpoint.Trigger{Kind: r.kind, Tag: d.nextTag})
}

// obey does what the coordinator says, until it says nothing.
func (d *driver) obey() error {
	for {
		rd, ok := d.c.Ready()
		d.a.job.noteStats(d.c.Stats())
		if !ok {
			return nil
		}
		if err := d.do(rd); err != nil {
			return err
		}
	}
}

func (d *driver) do(rd checkpoint.Ready) error {
	for _, ab := range rd.Abort {
		d.abort(ab)
	}
	if rd.Store != nil {
		d.save(rd.Store)
	}
	if len(rd.Commit) > 0 {
		d.commit(rd.Commit)
	}
	for _, n := range rd.Notify {
		d.notify(n)
	}
	if keep := rd.Discard; keep > 0 {
		d.queue = append(d.queue, func() { d.retain(keep) })
	}
	for _, in := range rd.Inject {
		d.inject(in)
	}
	if rd.Fail != nil {
		return failure(rd.Fail)
	}
	if rd.Done {
		d.over = true
		for _, t := range d.a.tasks {
			t.mail.send(finishMessage{})
		}
	}
	return nil
}

// failure is the error of a job that cannot go on.
func failure(f *checkpoint.Failure) error {
	err := f.Err
	if err == nil {
		err = errors.New(f.Message)
	}
	if f.Restart {
		return err
	}
	return Fatal(err)
}

func (d *driver) abort(ab checkpoint.Aborted) {
	for _, t := range d.a.tasks {
		t.mail.send(abortMessage{ab.Checkpoint})
	}
	d.a.job.noteAborted(ab)
	d.answer(ab.Checkpoint, fmt.Errorf("checkpoint %d: %s", ab.Checkpoint, ab.Reason))
}

// answer tells whoever triggered the checkpoint.
func (d *driver) answer(id checkpoint.ID, err error) {
	if reply, ok := d.running[id]; ok {
		delete(d.running, id)
		reply <- triggered{id, err}
	}
}

func (d *driver) refuseAll(err error) {
	if err == nil {
		err = ErrFinished
	}
	for _, reply := range d.waiting {
		reply <- triggered{0, err}
	}
	for id, reply := range d.running {
		reply <- triggered{id, err}
	}
}

func (d *driver) save(m *checkpoint.Metadata) {
	d.queue = append(d.queue, func() {
		if mutant.Is(mutant.CommitEarly) {
			d.a.commit(m.Pending)
		}
		err := d.a.store.Save(m)
		if errors.Is(err, checkpoint.ErrUnusable) {
			d.a.cancel(Fatal(err)) // no later one could be stored either
			return
		}
		if err != nil {
			d.a.input(checkpoint.StoreFailed{Checkpoint: m.ID, Err: err})
			return
		}
		d.a.input(checkpoint.Stored{Checkpoint: m.ID})
	})
}

func (d *driver) commit(all []Committable) {
	d.queue = append(d.queue, func() {
		outcomes, err := d.a.commit(all)
		if serr := d.a.store.SaveOutcomes(outcomes); serr != nil {
			d.a.cancel(fmt.Errorf("outcomes of transactions could not be stored: %w", serr))
			return
		}
		if d.a.ctx.Err() == nil {
			d.a.job.noteOutcomes(outcomes)
		}
		d.a.input(checkpoint.Settled{Outcomes: outcomes, Err: err})
	})
}

func (d *driver) retain(keep int) {
	if err := d.a.store.Retain(keep); err != nil {
		d.a.log.Warn("old checkpoints were not deleted", "error", err)
	}
}

func (d *driver) inject(in checkpoint.Inject) {
	if reply, ok := d.waiting[in.Tag]; ok && in.Tag != 0 {
		delete(d.waiting, in.Tag)
		d.running[in.Checkpoint] = reply
	}
	if err := d.a.store.Begin(in.Checkpoint); err != nil {
		d.c.Step(checkpoint.Decline{Subtask: d.sources[0].subtask, Checkpoint: in.Checkpoint, Reason: err.Error()})
		return
	}
	d.a.job.noteInjected(in)
	for _, t := range d.sources {
		t.mail.send(injectMessage{barrier: barrier{in.Checkpoint, in.Kind}, drain: in.Drain})
	}
}

// notify tells the subtasks what has become durable. Outcomes of a writer
// that this run does not have (it ran at a higher parallelism) concern nobody.
func (d *driver) notify(n checkpoint.Notify) {
	byWriter := map[checkpoint.Subtask][]Committable{}
	for _, o := range n.Settled {
		w := o.Committable.Writer
		byWriter[w] = append(byWriter[w], o.Committable)
	}
	for w, known := range byWriter {
		if t := d.a.writers[w]; t != nil {
			t.mail.send(settledMessage{w, known})
		}
	}
	if n.Completed == nil {
		return
	}
	for _, t := range d.a.tasks {
		t.mail.send(completedMessage{n.Completed})
	}
	d.a.job.noteCompleted(n.Completed)
	d.answer(n.Completed.ID, nil)
}

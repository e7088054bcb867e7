package exec

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
)

// task is one subtask of a chain: one goroutine. All its fields but mail and
// gate belong to that goroutine once it runs.
type task struct {
	run     *attempt
	chain   *chain
	subtask checkpoint.Subtask // UID of the chain's head
	metrics *Metrics           // of the head
	ctx     context.Context
	mail    mailbox
	now     types.Time // set once a batch

	source    *sourceRun // nil: the chain begins behind a gate
	stages    []*stage   // topological; without the source
	exchanges []*exchange
	idle      bool // what exchanges were told last

	// Behind a gate: the channels into the head, and what they feed.
	gate     *gate
	portOf   []int // channel → port
	indexOf  []int // channel → index in its valve
	valves   []*valve
	inlets   []*inlet // per port
	aligner  *aligner
	timer    <-chan time.Time
	timerAt  types.Time
	frozen   []frozen // snapshots whose checkpoint is not yet complete
	writing  chan struct{}
	watch    stopwatch
	measured types.Time // when state was last measured
}

// errFinish ends a task's loop: the job is over.
var errFinish = errors.New("finished")

// isStop tells whether err is just the end of the attempt.
func isStop(err error) bool {
	return errors.Is(err, errFinish) || errors.Is(err, ErrCancelled) || errors.Is(err, errEnd)
}

// start opens the subtask, waits until all are open, runs it and closes it.
func (t *task) start(opened func(error), begin <-chan struct{}) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Fatal(&PanicError{Node: t.subtask.String(), Value: p, Stack: string(debug.Stack())})
			opened(err)
		}
		err = t.close(err)
	}()
	if err := t.open(); err != nil {
		opened(err)
		return err
	}
	opened(nil)
	select {
	case <-begin:
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
	if t.source != nil {
		return t.source.loop()
	}
	return t.loop()
}

// PanicError is a bug of ours.
type PanicError struct {
	Node  string
	Value any
	Stack string // for the log, never for the message
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("internal error in %s: %v; please report it", e.Node, e.Value)
}

// open goes from the tail to the head, so that what a head emits finds its
// receivers open.
func (t *task) open() error {
	t.setNow()
	for i := len(t.stages) - 1; i >= 0; i-- {
		if err := t.stages[i].open(); err != nil {
			return err
		}
	}
	if t.source != nil {
		return t.source.open()
	}
	return nil
}

// close closes everything that was opened, head first, and keeps the first
// error.
func (t *task) close(err error) error {
	note := func(e error) {
		if err == nil || isStop(err) && e != nil && !isStop(e) {
			err = e
		}
	}
	if t.source != nil {
		note(t.source.close())
	}
	for _, s := range t.stages {
		note(s.close())
	}
	return err
}

// loop runs a chain behind a gate.
func (t *task) loop() error {
	if err := t.timed(t.resume); err != nil {
		return err
	}
	for {
		if err := t.readMail(); err != nil {
			return err
		}
		e, from, ok := t.gate.poll(t.aligner.blocked)
		if !ok {
			if err := t.wait(); err != nil {
				return err
			}
			continue
		}
		if err := t.timed(func() error { return t.element(e, from) }); err != nil {
			return err
		}
	}
}

// resume tells the consumers how far the restored operators had come.
func (t *task) resume() error {
	for _, s := range t.stages {
		if err := s.out.resume(); err != nil {
			return err
		}
	}
	return nil
}

// timed runs f with a fresh Now, wakes what wants to be woken after a batch,
// and counts the time.
func (t *task) timed(f func() error) error {
	t.watch.start(t.metrics)
	defer t.watch.stop()
	t.setNow()
	if err := f(); err != nil {
		return err
	}
	if err := t.wakeAll(); err != nil {
		return err
	}
	for _, x := range t.exchanges {
		if err := x.linger(t.now); err != nil {
			return err
		}
	}
	return t.measure()
}

// setNow reads the clock, once a batch.
func (t *task) setNow() {
	t.now = types.TimeOf(t.run.clock.Now())
	for _, s := range t.stages {
		s.ctx.Now = t.now
	}
}

// wakeAll calls every Waker, head first.
func (t *task) wakeAll() error {
	for _, s := range t.stages {
		if err := s.wake(); err != nil {
			return err
		}
	}
	return nil
}

// due is when the next Waker wants to be called.
func (t *task) due() types.Time {
	next := types.MaxTime
	for _, s := range t.stages {
		next = min(next, s.next)
	}
	return next
}

// wait returns when there is mail, an element, or a Waker is due.
func (t *task) wait() error {
	if err := t.flushExchanges(); err != nil {
		return err
	}
	t.setNow()
	due := t.due()
	if due <= t.now {
		return t.timed(func() error { return nil })
	}
	if due != t.timerAt || due == types.MaxTime {
		t.timer, t.timerAt = nil, due
		if due != types.MaxTime {
			t.timer = alarm(t.run.clock, time.UnixMilli(int64(due)))
		}
	}
	select {
	case <-t.mail.wake:
	case <-t.timer:
		t.timer, t.timerAt = nil, types.MinTime
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
	return nil
}

func (t *task) flushExchanges() error {
	for _, x := range t.exchanges {
		if err := x.flush(); err != nil {
			return err
		}
	}
	return nil
}

// element handles one element of a channel.
func (t *task) element(e element, from int) error {
	port := t.portOf[from]
	v, head := t.valves[port], t.stages[0]
	switch e.kind {
	case rowsElement:
		err := t.inlets[port].rows(e.batch)
		t.gate.recycle(from, e.batch)
		return err
	case watermarkElement:
		if v.watermark(t.indexOf[from], e.time) {
			return head.advance(port, v.last)
		}
		return nil
	case idleElement:
		return t.channelIdle(v, port, from)
	case activeElement:
		v.setActive(t.indexOf[from])
		head.idle[port] = false
		return t.setIdle(false)
	case barrierElement:
		if t.aligner.arrive(from, e.barrier) {
			return t.checkpoint(e.barrier)
		}
		return nil
	}
	panic("exec: unknown element")
}

func (t *task) channelIdle(v *valve, port, from int) error {
	head := t.stages[0]
	if v.setIdle(t.indexOf[from]) {
		if err := head.advance(port, v.last); err != nil {
			return err
		}
	}
	if !v.idle {
		return nil
	}
	head.idle[port] = true
	if err := head.combine(); err != nil {
		return err
	}
	for _, idle := range head.idle {
		if !idle {
			return nil
		}
	}
	return t.setIdle(true)
}

// setIdle tells the consumers that this subtask's watermark does not, or
// does again, count.
func (t *task) setIdle(idle bool) error {
	if t.idle == idle {
		return nil
	}
	t.idle = idle
	e := element{kind: activeElement}
	if idle {
		e.kind = idleElement
	}
	for _, x := range t.exchanges {
		if err := x.control(e); err != nil {
			return err
		}
	}
	return nil
}

// readMail does what the driver asks for.
func (t *task) readMail() error {
	if err := t.ctx.Err(); err != nil {
		return context.Cause(t.ctx)
	}
	for _, m := range t.mail.take() {
		if err := t.handle(m); err != nil {
			return err
		}
	}
	return nil
}

func (t *task) handle(m message) error {
	switch m := m.(type) {
	case injectMessage:
		return t.timed(func() error { return t.source.inject(m) })
	case abortMessage:
		if t.aligner != nil {
			t.aligner.abort(m.id)
		}
		t.abandon(m.id)
		if mutant.Is(mutant.DropAborted) {
			t.dropAborted(m.id)
		}
		return nil
	case completedMessage:
		return t.completed(m.meta)
	case settledMessage:
		return t.settled(m)
	case finishMessage:
		return errFinish
	}
	panic("exec: unknown message")
}

func (t *task) settled(m settledMessage) error {
	for _, s := range t.stages {
		if s.subtask != m.writer || s.sink == nil || s.sink.pre == nil {
			continue
		}
		if err := s.sink.settle(m.known); err != nil {
			return s.errorf(err)
		}
		s.ctx.Metrics.PendingTransactions.Store(int64(len(s.sink.untold)))
	}
	return nil
}

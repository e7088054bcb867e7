package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// committerRun is the committer of one exactly-once sink.
type committerRun struct {
	node      *Node
	committer Committer
}

// recoverSinks settles what earlier runs left, before any writer opens: every
// sink's Start, then every sink's Commit with its outcomes stored, then every
// sink's Recover.
func (a *attempt) recoverSinks() error {
	for _, n := range a.g.Nodes {
		if n.Sink == nil || n.Sink.Guarantee != ExactlyOnce {
			continue
		}
		if err := a.openCommitter(n); err != nil {
			return err
		}
	}
	var pending []Committable
	if a.restored.meta != nil {
		pending = a.restored.meta.Pending
	}
	for _, c := range a.committers {
		if err := c.committer.Start(a.ctx, ofSink(pending, c.node.UID)); err != nil {
			return c.errorf(err)
		}
	}
	a.job.sinksStarted = true
	for _, c := range a.committers {
		if err := a.commitRestored(c, ofSink(pending, c.node.UID)); err != nil {
			return err
		}
	}
	for _, c := range a.committers {
		if err := c.committer.Recover(a.ctx, ofSink(a.pending, c.node.UID)); err != nil {
			return c.errorf(err)
		}
	}
	return nil
}

func (a *attempt) openCommitter(n *Node) error {
	two, ok := n.Sink.Sink.(TwoPhaseCommitSink)
	if !ok {
		return Fatal(&StageError{Node: n.Name, Err: fmt.Errorf("the sink promises exactly-once, but has no committer")})
	}
	c, err := two.Committer(a.ctx, a.sinkContext(n, checkpoint.Subtask{UID: n.UID}, newMetrics()))
	if err != nil {
		return &StageError{Node: n.Name, Err: err}
	}
	a.committers = append(a.committers, &committerRun{n, c})
	return nil
}

// commitRestored commits what the checkpoint named, and stores the outcomes;
// then what replaced lost transactions, when that is durable, and so on.
func (a *attempt) commitRestored(c *committerRun, pending []Committable) error {
	for len(pending) > 0 {
		outcomes, err := c.committer.Commit(a.ctx, pending)
		if err := a.keepOutcomes(c, outcomes, err); err != nil {
			return err
		}
		var again bool
		if pending, again = unsettled(pending, outcomes); !again {
			a.pending = append(a.pending, pending...)
			return nil
		}
	}
	return nil
}

// keepOutcomes stores outcomes; then the error of Commit, or a fatal outcome,
// ends the attempt.
func (a *attempt) keepOutcomes(c *committerRun, outcomes []Outcome, err error) error {
	if serr := a.store.SaveOutcomes(outcomes); serr != nil {
		return serr
	}
	a.job.noteOutcomes(outcomes)
	for _, o := range outcomes {
		if o.Fatal {
			return Fatal(c.errorf(fmt.Errorf("checkpoint %d: the transaction of %v is lost: %s",
				o.Committable.Checkpoint, o.Committable.Writer, o.Detail)))
		}
	}
	if err != nil {
		return c.errorf(err)
	}
	return nil
}

// settleRest commits what a job that has ended left unknown, until it is
// known.
func (a *attempt) settleRest() error {
	delay := time.Second
	for len(a.pending) > 0 {
		select {
		case <-a.clock.After(delay):
		case <-a.ctx.Done():
			return context.Cause(a.ctx)
		}
		delay = min(2*delay, 30*time.Second)
		pending := a.pending
		a.pending = nil
		for _, c := range a.committers {
			if err := a.commitRestored(c, ofSink(pending, c.node.UID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// unsettled are the committables without a durable outcome, and those that
// replaced lost ones (replaced: there is one).
func unsettled(pending []Committable, outcomes []Outcome) (left []Committable, replaced bool) {
	known := map[string]*Committable{}
	for _, o := range outcomes {
		if o.Final() {
			known[o.Committable.Key()] = o.Replacement
		}
	}
	for _, p := range pending {
		replacement, ok := known[p.Key()]
		switch {
		case !ok:
			left = append(left, p)
		case replacement != nil:
			left = append(left, *replacement)
			replaced = true
		}
	}
	return left, replaced
}

func ofSink(all []Committable, uid string) []Committable {
	var mine []Committable
	for _, p := range all {
		if p.Writer.UID == uid {
			mine = append(mine, p)
		}
	}
	return mine
}

func (c *committerRun) errorf(err error) error {
	return &StageError{Node: c.node.Name, Err: err}
}

// commit hands committables to their sinks; every sink is tried, and the
// first error is returned beside all outcomes.
func (a *attempt) commit(all []Committable) ([]Outcome, error) {
	var outcomes []Outcome
	var errs []error
	for _, c := range a.committers {
		mine := ofSink(all, c.node.UID)
		if len(mine) == 0 {
			continue
		}
		o, err := c.committer.Commit(a.ctx, mine)
		outcomes = append(outcomes, o...)
		if err != nil {
			errs = append(errs, c.errorf(err))
		}
	}
	if len(errs) == 0 {
		return outcomes, nil
	}
	return outcomes, errs[0]
}

func (a *attempt) closeCommitters() error {
	var errs []error
	for _, c := range a.committers {
		if err := c.committer.Close(); err != nil {
			errs = append(errs, c.errorf(err))
		}
	}
	return errors.Join(errs...)
}

func outcomesText(outcomes []Outcome) string {
	var n [checkpoint.Replaced + 1]int
	for _, o := range outcomes {
		n[o.Status]++
	}
	s := fmt.Sprintf("%d transactions committed", n[checkpoint.Committed])
	if n[checkpoint.Lost] > 0 {
		s += fmt.Sprintf(", %d lost", n[checkpoint.Lost])
	}
	if n[checkpoint.Replaced] > 0 {
		s += fmt.Sprintf(", %d written anew because the broker aborted them", n[checkpoint.Replaced])
	}
	if n[checkpoint.Unknown] > 0 {
		s += fmt.Sprintf(", %d not settled yet", n[checkpoint.Unknown])
	}
	return s
}

package checkpoint

import (
	"errors"
	"fmt"
	"slices"
)

// onStored: the checkpoint is durable. It covers all older ones, so these
// are given up, and everything it names is committed.
func (c *Coordinator) onStored(in Stored) {
	f := c.storing
	if f == nil || f.id != in.Checkpoint {
		return
	}
	c.storing = nil
	c.drop(f)
	c.stored = f.id
	c.failedInRow = 0
	c.overtake(f)
	c.pending = f.meta.Pending
	c.forget(f)
	c.completed = f.meta
	if len(c.pending) > 0 {
		c.commit()
		return
	}
	c.complete(nil)
}

// overtake gives up the checkpoints older than f.
func (c *Coordinator) overtake(f *flight) {
	for _, g := range slices.Clone(c.flights) {
		if g.id < f.id {
			c.abort(g, fmt.Sprintf("overtaken by checkpoint %d", f.id))
		}
	}
}

// onStoreFailed: the metadata may be durable all the same, and a restart
// would begin from it; so nothing older may be stored any more.
func (c *Coordinator) onStoreFailed(in StoreFailed) {
	f := c.storing
	if f == nil || f.id != in.Checkpoint {
		return
	}
	c.storing = nil
	c.overtake(f)
	c.abort(f, fmt.Sprintf("not stored: %v", in.Err))
	c.failed()
}

// onSettled takes the outcomes that are now durable out of pending; the rest
// is tried again later.
func (c *Coordinator) onSettled(in Settled) {
	if !c.committing {
		return
	}
	c.committing = false
	var known []Outcome
	var fatal *Outcome
	for i, o := range in.Outcomes {
		if !o.Final() {
			if o.Fatal && fatal == nil {
				fatal = &in.Outcomes[i]
			}
			continue
		}
		if c.settle(o.Committable.Key()) {
			known = append(known, o)
		}
	}
	c.scheduleRetry()
	c.complete(known)
	switch {
	case fatal != nil:
		c.fail(lostFailure(fatal))
	case in.Err != nil:
		c.fail(Failure{Message: in.Err.Error(), Restart: errors.Is(in.Err, ErrRestart), Err: in.Err})
	}
}

func lostFailure(o *Outcome) Failure {
	return Failure{Message: fmt.Sprintf("checkpoint %d: the transaction of %v is lost: %s",
		o.Committable.Checkpoint, o.Committable.Writer, o.Detail)}
}

// settle reports whether the key was pending.
func (c *Coordinator) settle(key string) bool {
	n := len(c.pending)
	// A new slice: the old one is in a metadata.
	left := make([]Committable, 0, n)
	for _, p := range c.pending {
		if p.Key() != key {
			left = append(left, p)
		}
	}
	c.pending = left
	if len(left) == n {
		return false
	}
	c.settled[key] = struct{}{}
	return true
}

// scheduleRetry: 1 s after the first attempt that left something Unknown,
// doubling to 30 s. A checkpoint in between tries all of them as well.
func (c *Coordinator) scheduleRetry() {
	if len(c.pending) == 0 {
		c.backoff = 0
		return
	}
	c.backoff = grow(c.backoff)
	c.retryAt = c.now.Add(c.backoff)
}

// complete tells the subtasks what is durable, and ends the job after Final.
func (c *Coordinator) complete(known []Outcome) {
	m := c.completed
	c.completed = nil
	if len(known) > 0 {
		for _, f := range c.flights {
			f.freed = true
		}
	}
	if m != nil || len(known) > 0 {
		c.out.Notify = append(c.out.Notify, Notify{Completed: m, Settled: known})
	}
	if m != nil {
		c.out.Discard = c.cfg.Keep
		c.pauseUntil = c.now.Add(c.cfg.MinPause)
		c.end.final = m.Kind == Final
		c.stats.complete(m, c.now)
	}
	if c.end.final && len(c.pending) == 0 {
		c.over = true
		c.out.Done = true
	}
}

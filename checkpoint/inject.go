package checkpoint

import (
	"slices"
	"time"
)

// ending is how a job comes to its end.
type ending struct {
	ended    map[Subtask]bool
	stop     bool
	drain    bool // Watermark(max) was or will be sent; never taken back
	injected bool // a Final is in flight or stored
	final    bool // a Final is stored
	notUntil time.Time
	backoff  time.Duration
}

// ask notes a stop. Once Final is under way its kind is fixed.
func (e *ending) ask(in StopAsked) {
	if !e.injected {
		e.drain = e.drain || in.Drain
	}
	e.stop = true
}

// putOff allows another Final after one that failed, with back-off.
func (e *ending) putOff(now time.Time) {
	e.injected = false
	e.backoff = grow(e.backoff)
	e.notUntil = now.Add(e.backoff)
}

func grow(d time.Duration) time.Duration {
	return min(max(2*d, retryMin), retryMax)
}

func (c *Coordinator) allEnded() bool {
	for _, s := range c.cfg.Sources {
		if !c.end.ended[s] {
			return false
		}
	}
	return len(c.cfg.Sources) > 0
}

func (c *Coordinator) ending() bool { return c.end.stop || c.allEnded() }

func (c *Coordinator) advanceInject() {
	if c.ending() {
		c.triggers = nil
		c.injectFinal()
		return
	}
	for len(c.triggers) > 0 && len(c.flights) < c.cfg.MaxConcurrent {
		t := c.triggers[0]
		c.triggers = c.triggers[1:]
		c.inject(t.Kind, t.Tag)
	}
	if at, due := c.nextInject(); due && !c.now.Before(at) {
		c.inject(Periodic, 0)
	}
}

// injectFinal gives up periodic checkpoints that are still collecting acks,
// for Final covers them; a savepoint is waited for.
func (c *Coordinator) injectFinal() {
	if c.end.injected || c.now.Before(c.end.notUntil) || c.savepointCollecting() {
		return
	}
	for _, f := range slices.Clone(c.flights) {
		if !f.full() {
			c.abort(f, "overtaken by the final checkpoint")
		}
	}
	c.end.injected = true
	c.inject(Final, 0)
}

func (c *Coordinator) savepointCollecting() bool {
	return slices.ContainsFunc(c.flights, func(f *flight) bool { return f.kind == Savepoint && !f.full() })
}

func (c *Coordinator) inject(k Kind, tag uint64) {
	f := &flight{
		id: c.next, kind: k, injected: c.now,
		want: len(c.cfg.Subtasks), acks: make(map[Subtask]Ack, len(c.cfg.Subtasks)),
	}
	c.next++
	c.lastInject = c.now
	in := Inject{Checkpoint: f.id, Kind: k, Tag: tag}
	if k == Final {
		in.Drain = c.end.drain
		f.finished = c.end.drain || c.allEnded()
	}
	c.flights = append(c.flights, f)
	c.out.Inject = append(c.out.Inject, in)
}

// nextInject is when time alone makes the next injection due; due is false
// if it waits for an input as well.
func (c *Coordinator) nextInject() (at time.Time, due bool) {
	if c.ending() {
		return c.end.notUntil, !c.end.injected && !c.savepointCollecting()
	}
	if c.cfg.Interval <= 0 || len(c.flights) >= c.cfg.MaxConcurrent {
		return at, false
	}
	at = c.lastInject.Add(c.cfg.Interval)
	if c.pauseUntil.After(at) {
		at = c.pauseUntil
	}
	return at, true
}

package checkpoint

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// flight is a checkpoint between its injection and its Stored or abort.
type flight struct {
	id       ID
	kind     Kind
	finished bool // Metadata.Finished
	injected time.Time
	freed    bool // something was settled since: a decline may be outdated
	want     int
	acks     map[Subtask]Ack
	meta     *Metadata // once its Store was asked for
}

func (f *flight) full() bool { return len(f.acks) == f.want }

func (c *Coordinator) flight(id ID) *flight {
	for _, f := range c.flights {
		if f.id == id {
			return f
		}
	}
	return nil
}

func (c *Coordinator) drop(f *flight) {
	c.flights = slices.DeleteFunc(c.flights, func(g *flight) bool { return g == f })
}

func (c *Coordinator) ack(a Ack) {
	f := c.flight(a.Checkpoint)
	if f == nil || !c.known[a.Subtask] {
		return
	}
	if _, again := f.acks[a.Subtask]; !again {
		f.acks[a.Subtask] = a
	}
}

func (c *Coordinator) decline(d Decline) {
	f := c.flight(d.Checkpoint)
	if f == nil || f.full() || !c.known[d.Subtask] {
		return
	}
	c.abort(f, fmt.Sprintf("declined by %v: %s", d.Subtask, d.Reason))
	switch {
	case !d.NoFreeID:
		c.failed()
	case len(c.flights) == 0 && len(c.pending) == 0 && !c.committing && !f.freed:
		c.fail(Failure{Restart: true, Message: fmt.Sprintf(
			"checkpoint %d was declined by %v, and nothing in flight can change that: %s", f.id, d.Subtask, d.Reason)})
	}
}

// expire aborts what has waited too long for acks. Full ones wait for
// nothing but an earlier Store or Commit and are never given up.
func (c *Coordinator) expire() {
	if c.cfg.Timeout <= 0 {
		return
	}
	for _, f := range slices.Clone(c.flights) {
		if f.full() || c.now.Before(f.injected.Add(c.cfg.Timeout)) || c.over {
			continue
		}
		c.abort(f, fmt.Sprintf("timed out after %v, not acknowledged by %s", c.cfg.Timeout, c.missing(f)))
		c.failed()
	}
}

// abort ends alignment and forgets the acks. What sinks have pre-committed
// comes again with the next Ack: sources do not rewind.
func (c *Coordinator) abort(f *flight, reason string) {
	c.drop(f)
	if f.kind == Final {
		c.end.putOff(c.now)
	}
	c.out.Abort = append(c.out.Abort, Aborted{f.id, f.kind, reason})
	c.stats.Aborted++
	c.stats.LastAbort = fmt.Sprintf("checkpoint %d %s", f.id, reason)
}

// failed counts an abort against the tolerable ones.
func (c *Coordinator) failed() {
	c.failedInRow++
	c.pauseUntil = c.now.Add(c.cfg.MinPause)
	if c.cfg.TolerableFailed < 0 || c.failedInRow <= c.cfg.TolerableFailed {
		return
	}
	c.fail(Failure{Restart: true, Message: fmt.Sprintf(
		"%s; failed checkpoints in a row: %d, tolerated: %d (execution.checkpointing.tolerable-failed-checkpoints)",
		c.stats.LastAbort, c.failedInRow, c.cfg.TolerableFailed)})
}

const missingNamed = 8

// missing names the subtasks that have not acked, in the order of the job.
func (c *Coordinator) missing(f *flight) string {
	var names []string
	for _, s := range c.cfg.Subtasks {
		if _, ok := f.acks[s]; !ok {
			names = append(names, s.String())
		}
	}
	if more := len(names) - missingNamed; more > 0 {
		names = append(names[:missingNamed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

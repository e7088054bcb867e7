package checkpoint

import "time"

// Coordinator decides when checkpoints are taken, stored and committed. It is
// a pure state machine: no clock, goroutine or I/O. The driver calls Tick and
// Step with what happened, then Ready for what is to be done; one goroutine
// at a time. Time is that of the latest Tick, so a driver ticks before it
// steps.
//
// Invariants:
//   - at most one Store, or one Commit, is unanswered at a time;
//   - IDs rise, and no metadata is stored after one with a higher ID;
//   - nothing is committed that the newest stored metadata does not name;
//   - a committable leaves pending only by a durable outcome;
//   - once Final is injected nothing but another Final is injected;
//   - after Fail or Done, Ready is empty for ever.
type Coordinator struct {
	cfg     Config
	known   map[Subtask]bool
	now     time.Time
	started bool // a Tick has come
	over    bool // Fail or Done was said

	next        ID
	flights     []*flight // injected, neither stored nor aborted; by ID
	triggers    []Trigger
	lastInject  time.Time
	pauseUntil  time.Time
	failedInRow int

	storing    *flight   // its Store is unanswered
	committing bool      // a Commit is unanswered
	completed  *Metadata // stored, its first Commit is unanswered
	stored     ID        // newest

	pending []Committable       // named by the newest metadata, no durable outcome
	settled map[string]struct{} // keys with a durable outcome that an ack may still carry
	retryAt time.Time           // when pending is tried again, if no Commit is unanswered
	backoff time.Duration

	end   ending
	stats Stats
	out   Ready
}

// NewCoordinator checks the configuration; an error names the option.
func NewCoordinator(cfg Config) (*Coordinator, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	c := &Coordinator{
		cfg:     cfg,
		known:   make(map[Subtask]bool, len(cfg.Subtasks)),
		next:    cfg.Next,
		pending: append([]Committable(nil), cfg.Pending...),
		settled: map[string]struct{}{},
		end:     ending{ended: map[Subtask]bool{}},
	}
	for _, s := range cfg.Subtasks {
		c.known[s] = true
	}
	sortCommittables(c.pending)
	return c, nil
}

// Tick tells the time. It never goes back; an earlier now counts as no time
// passed.
func (c *Coordinator) Tick(now time.Time) {
	if c.over {
		return
	}
	if !c.started {
		c.started = true
		c.now, c.lastInject = now, now
		c.scheduleRetry()
	}
	if now.After(c.now) {
		c.now = now
	}
	c.expire()
	c.advance()
}

// Step takes one input. Inputs that no longer concern anything (late,
// repeated, of an aborted checkpoint) are ignored.
func (c *Coordinator) Step(in Input) {
	if c.over {
		return
	}
	switch in := in.(type) {
	case Ack:
		c.ack(in)
	case Decline:
		c.decline(in)
	case Stored:
		c.onStored(in)
	case StoreFailed:
		c.onStoreFailed(in)
	case Settled:
		c.onSettled(in)
	case Ended:
		c.end.ended[in.Source] = true
	case StopAsked:
		c.end.ask(in)
	case Trigger:
		c.triggers = append(c.triggers, in)
	default:
		panic("checkpoint: unknown input")
	}
	c.advance()
}

// Ready hands over what is to be done and forgets it; ok is false if there is
// nothing.
func (c *Coordinator) Ready() (rd Ready, ok bool) {
	rd, c.out = c.out, Ready{}
	return rd, !rd.empty()
}

// advance takes every step that no longer waits for anything. Storing comes
// before injecting: it frees a place.
func (c *Coordinator) advance() {
	if c.over || !c.started {
		return
	}
	c.advanceCycle()
	if !c.over {
		c.advanceInject()
	}
	c.check()
}

// advanceCycle starts the next Store or Commit if none is unanswered.
func (c *Coordinator) advanceCycle() {
	if c.storing != nil || c.committing {
		return
	}
	if f := c.storable(); f != nil {
		c.storing = f
		c.out.Store = c.metadata(f)
		f.meta = c.out.Store
		return
	}
	if len(c.pending) > 0 && !c.now.Before(c.retryAt) {
		c.commit()
	}
}

func (c *Coordinator) commit() {
	c.committing = true
	c.out.Commit = append([]Committable(nil), c.pending...)
}

func (c *Coordinator) fail(f Failure) {
	c.over = true
	c.out.Fail = &f
}

// Deadline is the next time at which a Tick may change something; ok is
// false if only inputs can.
func (c *Coordinator) Deadline() (at time.Time, ok bool) {
	if c.over {
		return at, false
	}
	if !c.started {
		return at, true
	}
	earlier := func(t time.Time) {
		if !ok || t.Before(at) {
			at, ok = t, true
		}
	}
	if c.cfg.Timeout > 0 {
		for _, f := range c.flights {
			if !f.full() {
				earlier(f.injected.Add(c.cfg.Timeout))
			}
		}
	}
	if len(c.pending) > 0 && !c.committing && c.storing == nil {
		earlier(c.retryAt)
	}
	if t, due := c.nextInject(); due {
		earlier(t)
	}
	return at, ok
}

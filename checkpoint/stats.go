package checkpoint

import "time"

// Stats is for SHOW JOBS and metrics.
type Stats struct {
	Completed     int // by this coordinator
	Aborted       int // overtaken ones included
	LastCompleted ID  // 0: none yet
	LastTime      time.Time
	LastDuration  time.Duration // from injection to the end of the first commit
	LastAbort     string        // reason
	InFlight      []InFlight
	Pending       int // committables without an outcome
	FailedInRow   int
}

// InFlight is a checkpoint that is not stored yet.
type InFlight struct {
	ID       ID
	Kind     Kind
	Injected time.Time
	Acked    int
	Missing  string // names of the subtasks that have not acked
}

// Stats returns a copy.
func (c *Coordinator) Stats() Stats {
	s := c.stats
	s.Pending, s.FailedInRow = len(c.pending), c.failedInRow
	for _, f := range c.flights {
		s.InFlight = append(s.InFlight, InFlight{f.id, f.kind, f.injected, len(f.acks), c.missing(f)})
	}
	return s
}

func (s *Stats) complete(m *Metadata, now time.Time) {
	s.Completed++
	s.LastCompleted, s.LastTime = m.ID, now
	s.LastDuration = now.Sub(time.UnixMilli(m.TimeMillis))
}

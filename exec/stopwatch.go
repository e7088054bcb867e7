package exec

import "time"

// stopwatch counts each operator's own time: without the operators that it
// calls, and without waiting for room in a queue. In row mode, where looking
// at the clock would cost more than a row, all goes to the head of the chain.
type stopwatch struct {
	coarse  bool
	current *Metrics // whose time runs; nil: nobody's
	since   time.Time
	waited  time.Duration // since start
}

// start begins a piece of work of the chain's head.
func (w *stopwatch) start(m *Metrics) {
	w.current, w.since, w.waited = m, time.Now(), 0
}

// stop ends it.
func (w *stopwatch) stop() {
	w.current.BusyNanos.Add(int64(time.Since(w.since)))
	w.current = nil
}

// enter gives the time to m and returns whose it was, to be entered again.
func (w *stopwatch) enter(m *Metrics) *Metrics {
	before := w.current
	if w.coarse || before == nil {
		return before
	}
	now := time.Now()
	before.BusyNanos.Add(int64(now.Sub(w.since)))
	w.current, w.since = m, now
	return before
}

// wait runs f, which may block, and charges it to the blocked time.
func (w *stopwatch) wait(m *Metrics, f func() error) error {
	from := time.Now()
	err := f()
	d := time.Since(from)
	w.since = w.since.Add(d)
	w.waited += d
	m.BlockedNanos.Add(int64(d))
	return err
}

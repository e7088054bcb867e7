package shell

import (
	"context"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/session"
)

const (
	// silence after which the reason is shown, and how often it is redrawn.
	silence = 3 * time.Second
	redraw  = 500 * time.Millisecond
)

// selected is told of each SELECT that starts.
func (s *Shell) selected(q *session.Query) {
	s.watch(func() (int64, string) { return q.Rows(), q.WhySilent() })
}

// watch names what runs in the foreground; nil: nothing that can be silent.
func (s *Shell) watch(f func() (rows int64, why string)) {
	s.watchMu.Lock()
	defer s.watchMu.Unlock()
	s.watched = f
}

func (s *Shell) watching() func() (int64, string) {
	s.watchMu.Lock()
	defer s.watchMu.Unlock()
	return s.watched
}

// attend stays with what runs in the foreground until it is over: Ctrl-C
// cancels it, silence is explained on one line.
func (s *Shell) attend(cancel context.CancelFunc, over <-chan struct{}) {
	s.forgetInterrupts()
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	defer s.watch(nil)
	defer s.screen.clear()
	var q quiet
	for {
		select {
		case <-s.interrupt:
			s.screen.wipe()
			cancel()
		case now := <-tick.C:
			if f := s.watching(); f != nil {
				s.screen.draw(q.line(now, f))
			}
		case <-over:
			return
		}
	}
}

// quiet knows since when no row has come.
type quiet struct {
	since time.Time
	rows  int64
}

// line is what to show at a time: "" unless it has been silent for long.
func (q *quiet) line(now time.Time, f func() (int64, string)) string {
	rows, why := f()
	if q.since.IsZero() || rows != q.rows {
		q.since, q.rows = now, rows
	}
	d := now.Sub(q.since)
	if d < silence || why == "" {
		return ""
	}
	return fmt.Sprintf("no row for %d s: %s", int(d.Seconds()), why)
}

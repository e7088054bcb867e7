package shell

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/session"
)

const (
	// silence after which the reason is shown, and how often it is redrawn.
	silence = 3 * time.Second
	redraw  = 500 * time.Millisecond
)

// Live explains silence on one line of standard error: it appears when no
// row has come for some seconds and vanishes before anything else is written
// through Writer.
type Live struct {
	screen *screen

	mu      sync.Mutex
	watched func() (rows int64, why string) // what runs in the foreground
}

// NewLive draws on err, if that is a terminal.
func NewLive(err *os.File) *Live {
	return &Live{screen: &screen{err: err, live: isSmart(err), width: func() int { w, _ := size(err); return w }}}
}

// Writer writes to w, which may be the same terminal.
func (l *Live) Writer(w io.Writer) io.Writer { return l.screen.writer(w) }

// Selected is told of each SELECT that starts.
func (l *Live) Selected(q *session.Query) {
	l.watch(func() (int64, string) { return q.Rows(), q.WhySilent() })
}

func (l *Live) watch(f func() (rows int64, why string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched = f
}

func (l *Live) watching() func() (int64, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.watched
}

// Attend draws until over is closed. A signal on interrupt calls cancel.
func (l *Live) Attend(interrupt <-chan os.Signal, cancel func(), over <-chan struct{}) {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	defer l.watch(nil)
	defer l.screen.clear()
	var q quiet
	for {
		select {
		case <-interrupt:
			l.screen.wipe()
			cancel()
		case now := <-tick.C:
			if f := l.watching(); f != nil {
				l.screen.draw(q.line(now, f))
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

package kafka

import (
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

// limiter is scan.rate-limit: rows a second of one reader, at most a tenth of
// a second's at once.
type limiter struct {
	rate  float64 // 0: no limit
	clock exec.Clock
	begin time.Time
	taken float64
}

// allow is how many of n rows may be returned now; 0 with the time to wait.
func (l *limiter) allow(n int) (int, time.Duration) {
	if l.rate == 0 {
		return n, 0
	}
	now := l.clock.Now()
	if l.begin.IsZero() {
		l.begin = now
	}
	burst := max(l.rate/10, 1)
	due := now.Sub(l.begin).Seconds()*l.rate + 1
	if due-l.taken > burst { // a slow time before is not made up for
		l.taken = due - burst
	}
	if due-l.taken < 1 {
		return 0, max(time.Millisecond, time.Duration((1-(due-l.taken))/l.rate*float64(time.Second)))
	}
	n = min(n, int(due-l.taken))
	l.taken += float64(n)
	return n, 0
}

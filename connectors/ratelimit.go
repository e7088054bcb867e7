package connectors

import (
	"context"
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

// RateLimitOption is the option of a source that RateLimitOf reads.
var RateLimitOption = Option{Key: "scan.rate-limit", Kind: Integer, Default: "0", Doc: "at most so many rows a second over all readers; 0: no limit"}

// MaxPause is how long a Reader's Next may wait for rows.
const MaxPause = 50 * time.Millisecond

// RateLimit lets one reader of a source return its share of the rows that a
// second may have. The zero value has no limit. Single goroutine.
type RateLimit struct {
	perSecond float64 // 0: no limit
	clock     exec.Clock
	begin     time.Time
	taken     float64
}

// RateLimitOf is the limit of one of the scan's readers.
func RateLimitOf(o *Options, readers int, clock exec.Clock) RateLimit {
	return RateLimit{perSecond: float64(o.Int(RateLimitOption.Key)) / float64(max(readers, 1)), clock: clock}
}

// Allow is how many of n rows may be returned now, at most a tenth of a
// second's; 0 with the time to wait. They count as returned: see GiveBack. A
// slow time is not made up for later.
func (l *RateLimit) Allow(n int) (int, time.Duration) {
	if l.perSecond == 0 {
		return n, 0
	}
	now := l.clock.Now()
	if l.begin.IsZero() {
		l.begin = now
	}
	burst := max(l.perSecond/10, 1)
	due := now.Sub(l.begin).Seconds()*l.perSecond + 1
	l.taken = max(l.taken, due-burst)
	if due-l.taken < 1 {
		return 0, max(time.Millisecond, time.Duration((1-(due-l.taken))/l.perSecond*float64(time.Second)))
	}
	n = min(n, int(due-l.taken))
	l.taken += float64(n)
	return n, 0
}

// GiveBack says that n of the allowed rows were not there.
func (l *RateLimit) GiveBack(n int) { l.taken -= float64(n) }

// Pause waits, but no longer than Next may, and not once the runtime wants
// the goroutine; ok says that the time was waited for.
func Pause(ctx context.Context, c *exec.SourceContext, d time.Duration) (ok bool, err error) {
	select {
	case <-c.Clock.After(min(d, MaxPause)):
		return true, nil
	case <-c.Wake:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

package files

import (
	"context"
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

// rate is scan.rate-limit: rows a second of one reader, in slices of 20 ms.
type rate struct {
	perSecond int64
	clock     exec.Clock
	start     time.Time
	taken     int64
}

const (
	slice    = 20 * time.Millisecond
	maxPause = 50 * time.Millisecond
)

// batch is how many rows to read at once.
func (r *rate) batch(most int) int {
	if r.perSecond <= 0 {
		return most
	}
	return int(min(int64(most), max(1, r.perSecond*int64(slice)/int64(time.Second))))
}

// took counts rows read.
func (r *rate) took(n int) {
	if r.start.IsZero() {
		r.start = r.clock.Now()
	}
	r.taken += int64(n)
}

// wait is how long to wait before the next rows.
func (r *rate) wait() time.Duration {
	if r.perSecond <= 0 || r.start.IsZero() {
		return 0
	}
	due := r.start.Add(time.Duration(float64(r.taken) / float64(r.perSecond) * float64(time.Second)))
	return due.Sub(r.clock.Now())
}

// pause waits, but no longer than a Next may take.
func (r *rate) pause(ctx context.Context, wake <-chan struct{}, d time.Duration) error {
	select {
	case <-r.clock.After(min(d, maxPause)):
	case <-wake:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// idle is the pause of a reader whose files have all ended.
func (r *rate) idle(ctx context.Context, wake <-chan struct{}) error {
	return r.pause(ctx, wake, maxPause)
}

package exec

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// RestartStrategy decides whether a job that failed is started again inside
// the process. Not for fatal errors. One instance a job; it is called by one
// goroutine.
type RestartStrategy interface {
	// Next is called after each failure; ok is false if the job fails for
	// good.
	Next(now time.Time) (delay time.Duration, ok bool)
	String() string
}

// NoRestart lets the first failure end the job.
type NoRestart struct{}

func (NoRestart) Next(time.Time) (time.Duration, bool) { return 0, false }
func (NoRestart) String() string                       { return "no restart" }

// FixedDelay restarts a limited number of times.
type FixedDelay struct {
	Attempts int // Flink's default: 1
	Delay    time.Duration
	used     int
}

func (f *FixedDelay) Next(time.Time) (time.Duration, bool) {
	f.used++
	return f.Delay, f.used <= f.Attempts
}

func (f *FixedDelay) String() string {
	return fmt.Sprintf("at most %d restarts, %v apart", f.Attempts, f.Delay)
}

// FailureRate restarts unless failures come too often.
type FailureRate struct {
	MaxFailures int // in an interval; one more ends the job
	Interval    time.Duration
	Delay       time.Duration
	failures    []time.Time
}

func (f *FailureRate) Next(now time.Time) (time.Duration, bool) {
	recent := f.failures[:0]
	for _, t := range f.failures {
		if now.Sub(t) < f.Interval {
			recent = append(recent, t)
		}
	}
	f.failures = append(recent, now)
	return f.Delay, len(f.failures) <= f.MaxFailures
}

func (f *FailureRate) String() string {
	return fmt.Sprintf("at most %d failures in %v, restarts after %v", f.MaxFailures, f.Interval, f.Delay)
}

// ExponentialDelay waits longer after each failure, and begins anew once the
// job has run without one for ResetAfter.
type ExponentialDelay struct {
	Initial, Max time.Duration
	Multiplier   float64
	ResetAfter   time.Duration
	Jitter       float64 // fraction of the delay, added or taken away at random
	Attempts     int     // before the job fails for good; 0: any number

	delay time.Duration
	until time.Time // end of the last delay
	used  int
}

func (e *ExponentialDelay) Next(now time.Time) (time.Duration, bool) {
	if e.used == 0 || now.Sub(e.until) >= e.ResetAfter {
		e.delay, e.used = e.Initial, 0
	} else {
		e.delay = min(time.Duration(float64(e.delay)*e.Multiplier), e.Max)
	}
	e.used++
	d := e.delay
	if e.Jitter > 0 {
		d += time.Duration((2*rand.Float64() - 1) * e.Jitter * float64(d))
	}
	d = min(max(d, 0), e.Max)
	e.until = now.Add(d)
	return d, e.Attempts == 0 || e.used <= e.Attempts
}

func (e *ExponentialDelay) String() string {
	return fmt.Sprintf("restarts after %v, growing by %v up to %v", e.Initial, e.Multiplier, e.Max)
}

package exectest

import (
	"sync"
	"time"
)

// Clock is a clock that stands still until it is told otherwise. Safe for
// concurrent use.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []timer
	moved  chan struct{} // closed and replaced when a timer is added
}

type timer struct {
	at time.Time
	c  chan time.Time
}

// NewClock returns a clock at 2024-01-01 00:00:00 UTC.
func NewClock() *Clock {
	return &Clock{now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), moved: make(chan struct{})}
}

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After is time.After by this clock.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	if d <= 0 {
		ch <- c.now
		return ch
	}
	c.timers = append(c.timers, timer{c.now.Add(d), ch})
	close(c.moved)
	c.moved = make(chan struct{})
	return ch
}

// Advance moves the time and fires all timers that are due.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	left := c.timers[:0]
	for _, t := range c.timers {
		if t.at.After(c.now) {
			left = append(left, t)
			continue
		}
		t.c <- c.now
	}
	c.timers = left
}

// Timers is the number of timers that wait.
func (c *Clock) Timers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// AwaitTimer returns when at least one timer waits that is due within d, so
// that a test can Advance by d without a race.
func (c *Clock) AwaitTimer(d time.Duration) {
	for {
		c.mu.Lock()
		for _, t := range c.timers {
			if !t.at.After(c.now.Add(d)) {
				c.mu.Unlock()
				return
			}
		}
		moved := c.moved
		c.mu.Unlock()
		<-moved
	}
}

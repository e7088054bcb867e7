package exec

import "time"

// alarm fires at a time. A clock that is moved by steps may move between
// Now and After; then the wait is set anew.
func alarm(c Clock, at time.Time) <-chan time.Time {
	for {
		now := c.Now()
		t := c.After(max(at.Sub(now), 0))
		if c.Now().Sub(now) < time.Millisecond || !at.After(now) {
			return t
		}
	}
}

package connectors

import (
	"testing"
	"time"
)

type fixedClock struct{ now *time.Time }

func (c fixedClock) Now() time.Time                       { return *c.now }
func (c fixedClock) After(time.Duration) <-chan time.Time { panic("not used") }

func limitOf(t *testing.T, rate string, readers int) (*RateLimit, *time.Time) {
	t.Helper()
	o, err := NewOptions(map[string]string{"scan.rate-limit": rate}, []Option{RateLimitOption})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	l := RateLimitOf(o, readers, fixedClock{&now})
	return &l, &now
}

// Two readers of a table with 200 rows a second get 100 each; what was
// allowed and not there is allowed again.
func TestRateLimit(t *testing.T) {
	l, now := limitOf(t, "200", 2)
	total := 0
	for i := range 300 { // 3 seconds in steps of 10 ms
		n, wait := l.Allow(1000)
		if n == 0 && wait <= 0 {
			t.Fatal("no rows and no wait")
		}
		if i%3 == 0 {
			l.GiveBack(n)
			n = 0
		}
		total += n
		*now = now.Add(10 * time.Millisecond)
	}
	if total < 295 || total > 305 {
		t.Fatalf("%d rows in 3 s at 100 a second", total)
	}
}

func TestRateLimitAfterASlowTime(t *testing.T) {
	l, now := limitOf(t, "1000", 1)
	l.Allow(1)
	*now = now.Add(time.Minute)
	if n, _ := l.Allow(100_000); n != 100 {
		t.Errorf("%d rows at once after a minute, expected a tenth of a second's", n)
	}
}

func TestNoRateLimit(t *testing.T) {
	l, _ := limitOf(t, "0", 3)
	if n, wait := l.Allow(5000); n != 5000 || wait != 0 {
		t.Errorf("%d rows, wait %s", n, wait)
	}
}

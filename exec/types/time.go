package types

import (
	"math"
	"time"
)

// Time is an instant in milliseconds since 1970-01-01T00:00:00Z: watermarks,
// timers and processing time. (Values of TIMESTAMP columns are microseconds;
// see package vec.)
type Time int64

const (
	// MinTime is the watermark before any was seen.
	MinTime Time = math.MinInt64
	// MaxTime is the watermark after the end of input; as a wake-up time, "never".
	MaxTime Time = math.MaxInt64
)

// FromMicros converts the stored form of TIMESTAMP(p ≤ 6), rounding down.
func FromMicros(us int64) Time {
	ms := us / 1000
	if us%1000 < 0 {
		ms--
	}
	return Time(ms)
}

// TimeOf is the instant of t.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

func (t Time) String() string {
	switch t {
	case MinTime:
		return "-inf"
	case MaxTime:
		return "+inf"
	}
	return time.UnixMilli(int64(t)).UTC().Format("2006-01-02 15:04:05.000")
}

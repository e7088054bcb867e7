package op

import (
	"math"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// wallClock shifts instants into a zone and back, in ms. Windows over a
// TIMESTAMP_LTZ are windows of the wall clock: days begin at local midnight.
// The zero value shifts nothing.
type wallClock struct {
	zone     *time.Location
	from, to int64 // instants for which offset holds
	offset   int64
}

// clockOf is the clock of windows; ltz: the time attribute is an instant.
func clockOf(zone *time.Location, ltz bool) wallClock {
	if !ltz || zone == time.UTC {
		return wallClock{}
	}
	return wallClock{zone: zone}
}

// local is the wall clock of an instant.
func (c *wallClock) local(ms int64) int64 {
	if c.zone == nil {
		return ms
	}
	if ms < c.from || ms >= c.to {
		c.look(ms)
	}
	return ms + c.offset
}

func (c *wallClock) look(ms int64) {
	at := time.UnixMilli(ms).In(c.zone)
	_, seconds := at.Zone()
	c.offset, c.from, c.to = int64(seconds)*1000, math.MinInt64, math.MaxInt64
	start, end := at.ZoneBounds()
	if !start.IsZero() {
		c.from = start.UnixMilli()
	}
	if !end.IsZero() {
		c.to = end.UnixMilli()
	}
}

// instant is the first instant with this wall clock.
func (c *wallClock) instant(local int64) int64 {
	if c.zone == nil {
		return local
	}
	return int64(types.FromMicros(vec.InstantOf(local*1000, c.zone)))
}

// fires is when a window with the given end fires: the last instant that
// shows end − 1 ms. An hour that occurs twice belongs to the window twice.
func (c *wallClock) fires(end int64) int64 {
	if c.zone == nil {
		return end - 1
	}
	at := c.instant(end - 1)
	const later = 3 * 3600 * 1000 // clocks are never put back by more
	c.look(at + later)
	if again := end - 1 - c.offset; again > at && c.local(again) == end-1 {
		return again
	}
	return at
}

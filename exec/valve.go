package exec

import "github.com/sqlstream/sqlstream/exec/types"

// valve combines the watermarks of the channels of one input. Pure.
//
// A channel that was idle and lags behind the combined watermark counts again
// only once it has caught up, as in Flink: it must not hold up the others.
type valve struct {
	channels []channelMark
	last     types.Time // combined; only rises
	idle     bool       // all channels are idle
}

type channelMark struct {
	at      types.Time
	idle    bool
	aligned bool // at ≥ last, or last has not passed it while it was active
}

func newValve(channels int, start types.Time) *valve {
	v := &valve{channels: make([]channelMark, channels), last: start}
	for i := range v.channels {
		v.channels[i] = channelMark{at: start, aligned: true}
	}
	return v
}

// watermark notes a channel's watermark and tells whether the combined one
// rose.
func (v *valve) watermark(c int, t types.Time) bool {
	ch := &v.channels[c]
	if t <= ch.at || ch.idle {
		return false
	}
	ch.at = t
	if !ch.aligned && t >= v.last {
		ch.aligned = true
	}
	return v.raise()
}

// raise recomputes the minimum over the active, aligned channels.
func (v *valve) raise() bool {
	least, any := types.MaxTime, false
	for _, ch := range v.channels {
		if !ch.idle && ch.aligned {
			least, any = min(least, ch.at), true
		}
	}
	if !any || least <= v.last {
		return false
	}
	v.last = least
	return true
}

// setIdle takes a channel out. If it was the last active one, the combined
// watermark becomes the greatest of all channels.
func (v *valve) setIdle(c int) (rose bool) {
	ch := &v.channels[c]
	if ch.idle {
		return false
	}
	ch.idle, ch.aligned = true, false
	for _, other := range v.channels {
		if !other.idle {
			return v.raise()
		}
	}
	v.idle = true
	most := v.last
	for _, other := range v.channels {
		most = max(most, other.at)
	}
	rose = most > v.last
	v.last = most
	return rose
}

// setActive takes a channel in again.
func (v *valve) setActive(c int) {
	ch := &v.channels[c]
	if !ch.idle {
		return
	}
	ch.idle = false
	ch.aligned = ch.at >= v.last
	v.idle = false
}

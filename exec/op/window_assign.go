package op

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// assigner computes the windows of a time, all in ms of the wall clock. Time
// is cut into slices, the greatest common divisor of size and slide long, so
// that all times of a slice belong to the same windows.
type assigner struct {
	Window
	slice int64
}

func newAssigner(w Window) assigner {
	a := assigner{Window: w, slice: w.Size}
	if w.Kind == Hop || w.Kind == Cumulate {
		a.slice = gcd(w.Size, w.Slide)
	}
	if w.Kind == Tumble {
		a.Slide = w.Size
	}
	return a
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// sliceEnd is the end of the slice that holds t.
func (a *assigner) sliceEnd(t int64) int64 {
	return (vec.FloorDiv(t-a.Offset, a.slice)+1)*a.slice + a.Offset
}

// ends are the ends of the first and the last window of the slice with the
// given end; between them there is one every Slide. HOP windows with gaps may
// have none: last is below first.
func (a *assigner) ends(slice int64) (first, last int64) {
	if a.Kind == Cumulate {
		return slice, a.start(slice) + a.Size
	}
	end := a.Offset + a.Size // of some window
	first = end - vec.FloorDiv(end-slice, a.Slide)*a.Slide
	last = end + vec.FloorDiv(slice-a.slice-a.Offset, a.Slide)*a.Slide
	return first, last
}

// start is the start of the window with the given end.
func (a *assigner) start(end int64) int64 {
	if a.Kind == Cumulate {
		return vec.FloorDiv(end-1-a.Offset, a.Size)*a.Size + a.Offset
	}
	return end - a.Size
}

// rowTimes puts the wall clock in ms of each row's time into dst, by physical
// row.
func rowTimes(w *Window, c *wallClock, now types.Time, b *vec.Batch, rows []int32, dst []int64) ([]int64, error) {
	dst = grown(dst, b.N)
	if w.Proctime {
		t := c.local(int64(now))
		for _, r := range rows {
			dst[r] = t
		}
		return dst, nil
	}
	return columnTimes(c, b.Cols[w.Time], rows, dst)
}

// columnTimes is rowTimes of a column of timestamps.
func columnTimes(c *wallClock, v *vec.Vector, rows []int32, dst []int64) ([]int64, error) {
	if v.Nulls != nil {
		for _, r := range rows {
			if v.IsNull(int(r)) {
				return nil, errNullTime
			}
		}
	}
	if c.zone == nil {
		for _, r := range rows {
			dst[r] = int64(types.FromMicros(v.I64[r]))
		}
		return dst, nil
	}
	for _, r := range rows {
		dst[r] = c.local(int64(types.FromMicros(v.I64[r])))
	}
	return dst, nil
}

var errNullTime = exec.Fatal(fmt.Errorf("a row has NULL in its time attribute; filter such rows out before a window: WHERE time IS NOT NULL"))

func grown(s []int64, n int) []int64 {
	if cap(s) < n {
		return make([]int64, n+n/2)[:n]
	}
	return s[:n]
}

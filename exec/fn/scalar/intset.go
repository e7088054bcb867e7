package scalar

import "math"

// intSet is a set of integers: a bitmap where they lie close together, else
// a map behind a test of the range.
type intSet struct {
	lo    int64
	width uint64 // highest − lowest
	bits  []uint64
	all   map[int64]struct{}
}

// maxBitmap is the greatest range of a bitmap, in bits.
const maxBitmap = 1 << 16

func newIntSet(all map[int64]struct{}) *intSet {
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for n := range all {
		lo, hi = min(lo, n), max(hi, n)
	}
	s := &intSet{lo: lo, width: uint64(hi - lo), all: all}
	if len(all) == 0 {
		s.lo, s.width = 0, 0
	}
	if s.width < maxBitmap {
		s.bits = make([]uint64, s.width>>6+1)
		for n := range all {
			s.bits[uint64(n-s.lo)>>6] |= 1 << (uint64(n-s.lo) & 63)
		}
	}
	return s
}

func (s *intSet) find(a []int64, rows []int32, out []bool) {
	if s.bits == nil {
		for _, r := range rows {
			ok := uint64(a[r]-s.lo) <= s.width
			if ok {
				_, ok = s.all[a[r]]
			}
			out[r] = ok
		}
		return
	}
	for _, r := range rows {
		at := uint64(a[r] - s.lo)
		out[r] = at <= s.width && s.bits[at>>6]>>(at&63)&1 != 0
	}
}

func (s *intSet) selects(a []int64, rows, dst []int32) []int32 {
	dst = dst[:len(rows)]
	n := 0
	for _, r := range rows {
		dst[n] = r
		at := uint64(a[r] - s.lo)
		if at > s.width {
			continue
		}
		if s.bits != nil {
			n += int(s.bits[at>>6] >> (at & 63) & 1)
		} else if _, ok := s.all[a[r]]; ok {
			n++
		}
	}
	return dst[:n]
}

package scalar

import (
	"bytes"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// All comparisons of an integer column with a constant are one test: x lies
// in a range, or it does not.
func compareInts(b *fn.Bound, test relation) {
	b.Total = true
	b.New = func() fn.Kernel {
		return compareKernel(ints, test, eqAll[int64], ltAll[int64])
	}
	b.NewConst = func(consts []*vec.Value) fn.Kernel {
		i, lo, hi, ok := intRange(test, consts)
		if !ok {
			return nil
		}
		return func(_ *fn.Env, args []*vec.Vector, _ []int32, out *vec.Vector) error {
			inRangeAll(out.Bool, args[i].I64, lo, hi, test&negated != 0)
			return nil
		}
	}
	b.NewSelect = func(consts []*vec.Value) fn.Selector {
		i, lo, hi, ok := intRange(test, consts)
		if !ok {
			return compareSelector(ints, test, eqSelect[int64], ltSelect[int64])
		}
		return func(_ *fn.Env, args []*vec.Vector, rows, dst []int32) ([]int32, error) {
			return inRangeSelect(args[i].I64, lo, hi, test&negated != 0, rows, dst[:0]), nil
		}
	}
}

// intRange is the range of argument i for which the relation without its
// negation holds; not ok if no argument is constant, or the range is empty.
func intRange(test relation, consts []*vec.Value) (i int, lo, hi int64, ok bool) {
	below := test&swap == 0 // x < k
	k := (*vec.Value)(nil)
	if len(consts) == 2 {
		if k = consts[1]; k == nil {
			i, k, below = 1, consts[0], !below
		}
	}
	switch {
	case k == nil:
		return 0, 0, 0, false
	case test&less == 0:
		return i, k.I, k.I, true
	case below:
		return i, math.MinInt64, k.I - 1, k.I != math.MinInt64
	}
	return i, k.I + 1, math.MaxInt64, k.I != math.MaxInt64
}

func inRangeAll(out []bool, a []int64, lo, hi int64, outside bool) {
	a, width := a[:len(out)], uint64(hi-lo)
	if outside {
		for i := range out {
			out[i] = uint64(a[i]-lo) > width
		}
		return
	}
	for i := range out {
		out[i] = uint64(a[i]-lo) <= width
	}
}

func inRangeSelect(a []int64, lo, hi int64, outside bool, rows, dst []int32) []int32 {
	dst = dst[:len(rows)]
	n, width := 0, uint64(hi-lo)
	if outside {
		for _, r := range rows {
			dst[n] = r
			if uint64(a[r]-lo) > width {
				n++
			}
		}
		return dst[:n]
	}
	for _, r := range rows {
		dst[n] = r
		if uint64(a[r]-lo) <= width {
			n++
		}
	}
	return dst[:n]
}

// compareFloats: NaN is equal to nothing, also itself, and unordered.
func compareFloats(b *fn.Bound, test relation) {
	b.Total = true
	if test == less|swap|negated || test == less|negated { // a <= b is not b < a where there are NaNs
		flip := test&swap == 0
		b.New = func() fn.Kernel {
			return func(_ *fn.Env, args []*vec.Vector, _ []int32, out *vec.Vector) error {
				x, y := args[0].F64, args[1].F64
				if flip {
					x, y = y, x
				}
				leAll(out.Bool, x, y)
				return nil
			}
		}
		return
	}
	b.New = func() fn.Kernel { return compareKernel(floats, test, eqAll[float64], ltAll[float64]) }
	b.NewSelect = func([]*vec.Value) fn.Selector {
		return compareSelector(floats, test, eqSelect[float64], ltSelect[float64])
	}
}

func leAll(out []bool, a, b []float64) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] <= b[i]
	}
}

func compareKernel[T stored](col func(*vec.Vector) []T, test relation, eq, lt func(out []bool, a, b []T, neg bool)) fn.Kernel {
	loop := eq
	if test&less != 0 {
		loop = lt
	}
	return func(_ *fn.Env, args []*vec.Vector, _ []int32, out *vec.Vector) error {
		a, b := col(args[0]), col(args[1])
		if test&swap != 0 {
			a, b = b, a
		}
		loop(out.Bool, a, b, test&negated != 0)
		return nil
	}
}

func eqAll[T stored](out []bool, a, b []T, neg bool) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = (a[i] == b[i]) != neg
	}
}

func ltAll[T stored](out []bool, a, b []T, neg bool) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = (a[i] < b[i]) != neg
	}
}

func compareSelector[T stored](col func(*vec.Vector) []T, test relation,
	eq, lt func(a, b []T, neg bool, rows, dst []int32) []int32) fn.Selector {
	loop := eq
	if test&less != 0 {
		loop = lt
	}
	return func(_ *fn.Env, args []*vec.Vector, rows, dst []int32) ([]int32, error) {
		a, b := col(args[0]), col(args[1])
		if test&swap != 0 {
			a, b = b, a
		}
		return loop(a, b, test&negated != 0, rows, dst[:0]), nil
	}
}

func eqSelect[T stored](a, b []T, neg bool, rows, dst []int32) []int32 {
	dst = dst[:len(rows)]
	n := 0
	for _, r := range rows {
		dst[n] = r
		if (a[r] == b[r]) != neg {
			n++
		}
	}
	return dst[:n]
}

func ltSelect[T stored](a, b []T, neg bool, rows, dst []int32) []int32 {
	dst = dst[:len(rows)]
	n := 0
	for _, r := range rows {
		dst[n] = r
		if (a[r] < b[r]) != neg {
			n++
		}
	}
	return dst[:n]
}

// compareBytes orders strings by their bytes; equality with a constant is a
// loop of its own.
func compareBytes(b *fn.Bound, test relation) {
	b.New = func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, r := range rows {
				out.Bool[r] = test.holds(bytes.Compare(args[0].BytesAt(int(r)), args[1].BytesAt(int(r))))
			}
			return nil
		}
	}
	if test&less != 0 {
		return
	}
	neg := test&negated != 0
	b.NewConst = func(consts []*vec.Value) fn.Kernel {
		i, k := constantSide(consts)
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			v, o := args[i], out.Bool
			for _, r := range rows {
				s := v.Spans[r]
				o[r] = (int(s.Len) == len(k) && string(v.Data[s.Off:s.Off+s.Len]) == k) != neg
			}
			return nil
		}
	}
	b.NewSelect = func(consts []*vec.Value) fn.Selector {
		if consts == nil {
			return nil
		}
		i, k := constantSide(consts)
		return func(_ *fn.Env, args []*vec.Vector, rows, dst []int32) ([]int32, error) {
			return bytesSelect(args[i], k, neg, rows, dst[:0]), nil
		}
	}
}

// constantSide is the argument that is a column, and the constant.
func constantSide(consts []*vec.Value) (column int, k string) {
	if consts[1] != nil {
		return 0, consts[1].S
	}
	return 1, consts[0].S
}

func bytesSelect(v *vec.Vector, k string, neg bool, rows, dst []int32) []int32 {
	dst = dst[:len(rows)]
	n := 0
	for _, r := range rows {
		dst[n] = r
		s := v.Spans[r]
		if (int(s.Len) == len(k) && string(v.Data[s.Off:s.Off+s.Len]) == k) != neg {
			n++
		}
	}
	return dst[:n]
}

func compareWide(test relation) fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			out.Bool[r] = test.holds(args[0].I128[r].Cmp(args[1].I128[r]))
		}
		return nil
	}
}

func compareBools(test relation) fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			out.Bool[r] = test.holds(sign(args[0].Bool[r]) - sign(args[1].Bool[r]))
		}
		return nil
	}
}

func sign(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareNested(test relation) fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			out.Bool[r] = sameAt(args[0], int(r), args[1], int(r)) != (test&negated != 0)
		}
		return nil
	}
}

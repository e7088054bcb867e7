package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// stored are the element types of the numeric columns.
type stored interface{ int64 | float64 }

// width is what a stored number is computed as: narrow integers wrap, FLOAT
// rounds.
type width interface {
	int8 | int16 | int32 | int64 | float32 | float64
}

// loops are the four plain loops of an operator that cannot fail: two
// columns, or a column and a constant; all rows, or some.
type loops[T stored] struct {
	all       func(out, a, b []T)
	some      func(out, a, b []T, rows []int32)
	allConst  func(out, a []T, k T)
	someConst func(out, a []T, k T, rows []int32)
}

func ints(v *vec.Vector) []int64     { return v.I64 }
func floats(v *vec.Vector) []float64 { return v.F64 }

// dense tells whether it is cheaper to compute all rows than to pick some:
// the values of rows that were not asked for do not matter.
func dense(rows []int32, n int) bool { return 2*len(rows) >= n }

func (l loops[T]) kernel(col func(*vec.Vector) []T) fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		a, b, o := col(args[0]), col(args[1]), col(out)
		if dense(rows, len(o)) {
			l.all(o, a[:len(o)], b[:len(o)])
		} else {
			l.some(o, a, b, rows)
		}
		return nil
	}
}

// constKernel combines column args[arg] with the constant k.
func (l loops[T]) constKernel(col func(*vec.Vector) []T, arg int, k T) fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		a, o := col(args[arg]), col(out)
		if dense(rows, len(o)) {
			l.allConst(o, a[:len(o)], k)
		} else {
			l.someConst(o, a, k, rows)
		}
		return nil
	}
}

func adding[T stored, W width]() loops[T] {
	return loops[T]{addAll[T, W], addSome[T, W], addAllConst[T, W], addSomeConst[T, W]}
}

func addAll[T stored, W width](out, a, b []T) {
	for i := range out {
		out[i] = T(W(a[i]) + W(b[i]))
	}
}

func addSome[T stored, W width](out, a, b []T, rows []int32) {
	for _, i := range rows {
		out[i] = T(W(a[i]) + W(b[i]))
	}
}

func addAllConst[T stored, W width](out, a []T, k T) {
	c := W(k)
	for i := range out {
		out[i] = T(W(a[i]) + c)
	}
}

func addSomeConst[T stored, W width](out, a []T, k T, rows []int32) {
	c := W(k)
	for _, i := range rows {
		out[i] = T(W(a[i]) + c)
	}
}

func subtracting[T stored, W width]() loops[T] {
	return loops[T]{subAll[T, W], subSome[T, W], subAllConst[T, W], subSomeConst[T, W]}
}

func subAll[T stored, W width](out, a, b []T) {
	for i := range out {
		out[i] = T(W(a[i]) - W(b[i]))
	}
}

func subSome[T stored, W width](out, a, b []T, rows []int32) {
	for _, i := range rows {
		out[i] = T(W(a[i]) - W(b[i]))
	}
}

func subAllConst[T stored, W width](out, a []T, k T) {
	c := W(k)
	for i := range out {
		out[i] = T(W(a[i]) - c)
	}
}

func subSomeConst[T stored, W width](out, a []T, k T, rows []int32) {
	c := W(k)
	for _, i := range rows {
		out[i] = T(W(a[i]) - c)
	}
}

func multiplying[T stored, W width]() loops[T] {
	return loops[T]{mulAll[T, W], mulSome[T, W], mulAllConst[T, W], mulSomeConst[T, W]}
}

func mulAll[T stored, W width](out, a, b []T) {
	for i := range out {
		out[i] = T(W(a[i]) * W(b[i]))
	}
}

func mulSome[T stored, W width](out, a, b []T, rows []int32) {
	for _, i := range rows {
		out[i] = T(W(a[i]) * W(b[i]))
	}
}

func mulAllConst[T stored, W width](out, a []T, k T) {
	c := W(k)
	for i := range out {
		out[i] = T(W(a[i]) * c)
	}
}

func mulSomeConst[T stored, W width](out, a []T, k T, rows []int32) {
	c := W(k)
	for _, i := range rows {
		out[i] = T(W(a[i]) * c)
	}
}

func dividing[T stored, W width]() loops[T] {
	return loops[T]{divAll[T, W], divSome[T, W], divAllConst[T, W], divSomeConst[T, W]}
}

// The divisions of integers are called with divisors that are not zero.

func divAll[T stored, W width](out, a, b []T) {
	for i := range out {
		out[i] = T(W(a[i]) / W(b[i]))
	}
}

func divSome[T stored, W width](out, a, b []T, rows []int32) {
	for _, i := range rows {
		out[i] = T(W(a[i]) / W(b[i]))
	}
}

func divAllConst[T stored, W width](out, a []T, k T) {
	c := W(k)
	for i := range out {
		out[i] = T(W(a[i]) / c)
	}
}

func divSomeConst[T stored, W width](out, a []T, k T, rows []int32) {
	c := W(k)
	for _, i := range rows {
		out[i] = T(W(a[i]) / c)
	}
}

// intLoops chooses the instance for an integer type.
func intLoops(op string, bits int) loops[int64] {
	switch bits {
	case 8:
		return intLoopsOf[int8](op)
	case 16:
		return intLoopsOf[int16](op)
	case 32:
		return intLoopsOf[int32](op)
	}
	return intLoopsOf[int64](op)
}

func intLoopsOf[W int8 | int16 | int32 | int64](op string) loops[int64] {
	switch op {
	case "+":
		return adding[int64, W]()
	case "-":
		return subtracting[int64, W]()
	case "*":
		return multiplying[int64, W]()
	}
	return dividing[int64, W]()
}

func floatLoops(op string, single bool) loops[float64] {
	if single {
		return floatLoopsOf[float32](op)
	}
	return floatLoopsOf[float64](op)
}

func floatLoopsOf[W float32 | float64](op string) loops[float64] {
	switch op {
	case "+":
		return adding[float64, W]()
	case "-":
		return subtracting[float64, W]()
	case "*":
		return multiplying[float64, W]()
	}
	return dividing[float64, W]()
}

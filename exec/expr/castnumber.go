package expr

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func (c conversion) toBoolean() fn.Kernel {
	isZero := func(v *vec.Vector, r int32) bool { return v.I64[r] == 0 }
	switch vec.KindOf(c.from) {
	case vec.F64:
		isZero = func(v *vec.Vector, r int32) bool { return v.F64[r] == 0 }
	case vec.I128:
		isZero = func(v *vec.Vector, r int32) bool { return v.I128[r] == vec.Int128{} }
	}
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			out.Bool[r] = !isZero(args[0], r)
		}
		return nil
	}
}

// toInteger: integers wrap, decimals are truncated and wrap, floats are
// truncated and saturate (through INT for the smaller types).
func (c conversion) toInteger() fn.Kernel {
	switch {
	case c.from.Kind == types.Boolean:
		return booleanToInteger
	case c.from.IsApprox():
		return c.floatToInteger()
	case c.from.Kind == types.Decimal:
		return c.decimalToInteger()
	}
	wrap := wrapping(c.to.Kind)
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		wrap(out.I64, args[0].I64, rows)
		return nil
	}
}

func booleanToInteger(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	for _, r := range rows {
		out.I64[r] = 0
		if args[0].Bool[r] {
			out.I64[r] = 1
		}
	}
	return nil
}

func wrapping(k types.Kind) func(out, a []int64, rows []int32) {
	switch k {
	case types.TinyInt:
		return wrapSome[int8]
	case types.SmallInt:
		return wrapSome[int16]
	case types.Int:
		return wrapSome[int32]
	}
	return wrapSome[int64]
}

func wrapSome[W int8 | int16 | int32 | int64](out, a []int64, rows []int32) {
	for _, i := range rows {
		out[i] = int64(W(a[i]))
	}
}

func (c conversion) floatToInteger() fn.Kernel {
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	if c.to.Kind == types.BigInt {
		lo, hi = math.MinInt64, math.MaxInt64
	}
	wrap := wrapping(c.to.Kind)
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			out.I64[r] = saturate(args[0].F64[r], lo, hi)
		}
		wrap(out.I64, out.I64, rows)
		return nil
	}
}

func saturate(f float64, lo, hi int64) int64 {
	switch {
	case f != f:
		return 0
	case f >= float64(hi):
		return hi
	case f <= float64(lo):
		return lo
	}
	return int64(f)
}

func (c conversion) decimalToInteger() fn.Kernel {
	wrap := wrapping(c.to.Kind)
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		if v := args[0]; v.Kind == vec.I64 {
			d := vec.Pow10[c.from.Scale]
			for _, r := range rows {
				out.I64[r] = v.I64[r] / d
			}
		} else {
			d := vec.WidePow10(c.from.Scale)
			for _, r := range rows {
				q, _ := v.I128[r].QuoRem(d)
				out.I64[r] = int64(q.Lo)
			}
		}
		wrap(out.I64, out.I64, rows)
		return nil
	}
}

func (c conversion) toFloat() fn.Kernel {
	read := func(v *vec.Vector, r int32) float64 { return float64(v.I64[r]) }
	switch {
	case c.from.Kind == types.Boolean:
		read = func(v *vec.Vector, r int32) float64 {
			if v.Bool[r] {
				return 1
			}
			return 0
		}
	case c.from.IsApprox():
		read = func(v *vec.Vector, r int32) float64 { return v.F64[r] }
	case c.from.Kind == types.Decimal && vec.KindOf(c.from) == vec.I64:
		read = func(v *vec.Vector, r int32) float64 { return vec.Widen(v.I64[r]).Float(c.from.Scale) }
	case c.from.Kind == types.Decimal:
		read = func(v *vec.Vector, r int32) float64 { return v.I128[r].Float(c.from.Scale) }
	case c.to.Kind == types.Double:
		return integerToDouble
	}
	single := c.to.Kind == types.Float
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			f := read(args[0], r)
			if single {
				f = float64(float32(f))
			}
			out.F64[r] = f
		}
		return nil
	}
}

func integerToDouble(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	a, o := args[0].I64, out.F64
	for _, r := range rows {
		o[r] = float64(a[r])
	}
	return nil
}

// toDecimal rounds half away from zero; what does not fit is NULL.
func (c conversion) toDecimal() fn.Kernel {
	from, to := fn.AsDecimal(c.from), c.to
	switch {
	case c.from.IsApprox():
		return decimalKernel(func(v *vec.Vector, r int32) (vec.Int128, bool) {
			return vec.DecimalOfFloat(v.F64[r], to.Precision, to.Scale)
		})
	case c.from.Kind == types.Boolean:
		return decimalKernel(func(v *vec.Vector, r int32) (vec.Int128, bool) {
			x := vec.Int128{}
			if v.Bool[r] {
				x.Lo = 1
			}
			x, ok := x.Rescale(0, to.Scale)
			return x, ok && x.Fits(to.Precision)
		})
	case vec.KindOf(c.from) == vec.I64 && vec.KindOf(to) == vec.I64:
		return narrowRescale(from.Scale, to)
	case vec.KindOf(c.from) == vec.I64:
		return decimalKernel(func(v *vec.Vector, r int32) (vec.Int128, bool) {
			x, ok := vec.Widen(v.I64[r]).Rescale(from.Scale, to.Scale)
			return x, ok && x.Fits(to.Precision)
		})
	}
	return decimalKernel(func(v *vec.Vector, r int32) (vec.Int128, bool) {
		x, ok := v.I128[r].Rescale(from.Scale, to.Scale)
		return x, ok && x.Fits(to.Precision)
	})
}

func narrowRescale(from int, to types.Type) fn.Kernel {
	limit := vec.Pow10[to.Precision]
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			x, ok := vec.Rescale64(args[0].I64[r], from, to.Scale)
			if !ok || x >= limit || x <= -limit {
				out.SetNull(int(r))
			}
			out.I64[r] = x
		}
		return nil
	}
}

func decimalKernel(convert func(*vec.Vector, int32) (vec.Int128, bool)) fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			x, ok := convert(args[0], r)
			switch {
			case !ok:
				out.SetNull(int(r))
			case out.Kind == vec.I64:
				out.I64[r] = int64(x.Lo)
			default:
				out.I128[r] = x
			}
		}
		return nil
	}
}

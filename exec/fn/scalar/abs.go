package scalar

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "ABS", Syntax: "ABS(x)", Doc: "Magnitude, in the type of x; of the smallest integer it is that integer.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) {
			return bindNumber("ABS(x)", args, func(x int64) int64 { return max(x, -x) }, math.Abs,
				func(x vec.Int128, _ int) vec.Int128 { return x.Abs() })
		}})
	fn.Register(&fn.Scalar{Name: "SIGN", Syntax: "SIGN(x)", Doc: "−1, 0 or 1, in the type of x.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) {
			return bindNumber("SIGN(x)", args, func(x int64) int64 { return int64(ordered(x, 0)) }, floatSign,
				func(x vec.Int128, scale int) vec.Int128 {
					one := vec.WidePow10(scale)
					switch x.Sign() {
					case -1:
						return one.Neg()
					case 0:
						return x
					}
					return one
				})
		}})
}

func floatSign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// bindNumber is a function that keeps the type of its argument, given for
// each way of storing it. Integers wrap.
func bindNumber(syntax string, args []fn.Arg, ofInt func(int64) int64, ofFloat func(float64) float64,
	ofDecimal func(x vec.Int128, scale int) vec.Int128) (*fn.Bound, error) {
	if _, err := bind(syntax, args, 0, numberArg); err != nil {
		return nil, err
	}
	t := args[0].Type
	if t.Kind == types.Null {
		t = types.Of(types.Double)
	}
	b := &fn.Bound{Params: []types.Type{t}, Result: t}
	switch {
	case t.IsApprox():
		b.New = floatRows(func(r row) (float64, bool) { return ofFloat(r.float(0)), true })
	case t.IsInteger():
		b.New = intRows(func(r row) (int64, bool) { return wrapTo(t, ofInt(r.int(0))), true })
	default:
		b.New = func() fn.Kernel {
			return decimalRows(func(x vec.Int128) (vec.Int128, bool) {
				y := ofDecimal(x, t.Scale)
				return y, y.Fits(t.Precision)
			})
		}
	}
	return b, nil
}

func wrapTo(t types.Type, x int64) int64 {
	switch t.Kind {
	case types.TinyInt:
		return int64(int8(x))
	case types.SmallInt:
		return int64(int16(x))
	case types.Int:
		return int64(int32(x))
	}
	return x
}

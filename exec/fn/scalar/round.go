package scalar

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "ROUND", Syntax: "ROUND(x [, digits])", Doc: "Rounded half away from zero to a number of fraction digits (0), which may be negative.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindRound("ROUND(x [, digits])", args, true) }})
	fn.Register(&fn.Scalar{Name: "TRUNCATE", Syntax: "TRUNCATE(x [, digits])", Doc: "Cut to a number of fraction digits (0), which may be negative.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindRound("TRUNCATE(x [, digits])", args, false) }})
}

func bindRound(syntax string, args []fn.Arg, half bool) (*fn.Bound, error) {
	if _, err := bind(syntax, args, 1, numberArg, intArg); err != nil {
		return nil, err
	}
	t := args[0].Type
	if t.Kind == types.Null {
		t = types.Of(types.Double)
	}
	b := &fn.Bound{Params: []types.Type{t}, Result: strict(t, args)}
	if len(args) == 2 {
		b.Params = append(b.Params, args[1].Type)
	}
	switch {
	case t.IsApprox():
		b.New = floatRows(func(r row) (float64, bool) { return roundFloat(r.float(0), r.intOr(1, 0), half), true })
	case t.IsInteger():
		b.New = intRows(func(r row) (int64, bool) { return wrapTo(t, roundInt(r.int(0), r.intOr(1, 0), half)), true })
	default:
		b.Result = strict(roundedType(t, args), args)
		b.New = func() fn.Kernel { return roundDecimals(t.Scale, b.Result, half) }
	}
	return b, nil
}

// roundedType is Flink's type of a rounded decimal: a digit for the carry,
// and the digits that stay.
func roundedType(t types.Type, args []fn.Arg) types.Type {
	digits := 0
	if len(args) == 2 {
		if args[1].Literal == nil || args[1].Literal.Null {
			return t
		}
		digits = int(args[1].Literal.I)
	}
	if digits >= t.Scale {
		return t
	}
	if digits < 0 {
		return types.DecimalOf(min(t.Precision-t.Scale+1, vec.MaxDigits), 0)
	}
	return types.DecimalOf(min(t.Precision-t.Scale+1+digits, vec.MaxDigits), digits)
}

func roundDecimals(scale int, to types.Type, half bool) fn.Kernel {
	var buf []vec.Int128
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		a := widen(args[0], rows, &buf)
		for _, i := range rows {
			digits := row{args, int(i)}.intOr(1, 0)
			x, ok := roundDecimal(a[i], scale, int(max(-vec.MaxDigits, min(digits, int64(scale)))), half)
			if ok {
				x, ok = x.Rescale(scale, to.Scale)
			}
			setDecimal(out, i, x, ok && x.Fits(to.Precision))
		}
		return nil
	}
}

// roundDecimal keeps the scale and makes the digits behind zero.
func roundDecimal(x vec.Int128, scale, digits int, half bool) (vec.Int128, bool) {
	drop := scale - digits
	if drop > vec.MaxDigits {
		return vec.Int128{}, true
	}
	unit := vec.WidePow10(drop)
	if half {
		q, ok := x.Rescale(drop, 0)
		if !ok {
			return x, false
		}
		return q.Mul(unit)
	}
	_, r := x.QuoRem(unit)
	return x.Sub(r), true
}

func roundInt(x, digits int64, half bool) int64 {
	if digits >= 0 {
		return x
	}
	if digits < -vec.NarrowDigits {
		return 0
	}
	unit := vec.Pow10[-digits]
	if !half {
		return x / unit * unit
	}
	q, _ := vec.Rescale64(x, int(-digits), 0)
	return q * unit
}

// roundFloat rounds the decimal text of x, as BigDecimal.valueOf does.
func roundFloat(x float64, digits int64, half bool) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || digits > 18 {
		return x
	}
	at := int(max(digits, -18))
	if half {
		if w, ok := vec.DecimalOfFloat(x, vec.MaxDigits, max(at, 0)); ok {
			w, _ = roundDecimal(w, max(at, 0), at, true)
			return w.Float(max(at, 0))
		}
		return x
	}
	w, ok := vec.DecimalOfFloat(x, vec.MaxDigits, 20)
	if !ok {
		return math.Trunc(x)
	}
	w, _ = roundDecimal(w, 20, at, false)
	return w.Float(20)
}

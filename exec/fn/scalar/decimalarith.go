package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// decimalType is the type of a result that would need precision p and scale
// s: over 38 digits fraction digits give way, but not below six.
func decimalType(p, s int) types.Type {
	if p > vec.MaxDigits {
		s = max(vec.MaxDigits-(p-s), min(s, 6))
		p = vec.MaxDigits
	}
	return types.DecimalOf(p, s)
}

// arithType is Flink's result type of an operation on exact numbers of which
// one is a DECIMAL.
func arithType(op string, a, b types.Type) types.Type {
	switch op {
	case "*":
		return decimalType(a.Precision+b.Precision+1, a.Scale+b.Scale)
	case "/":
		s := max(6, a.Scale+b.Precision+1)
		return decimalType(a.Precision-a.Scale+b.Scale+s, s)
	case "%":
		s := max(a.Scale, b.Scale)
		return decimalType(min(a.Precision-a.Scale, b.Precision-b.Scale)+s, s)
	}
	s := max(a.Scale, b.Scale)
	return decimalType(max(a.Precision-a.Scale, b.Precision-b.Scale)+s+1, s)
}

// bindDecimals leaves integers as they are: they are decimals of scale 0.
func bindDecimals(op string, a, b types.Type) *fn.Bound {
	x, y := fn.AsDecimal(a), fn.AsDecimal(b)
	t := arithType(op, x, y).Nullable(!a.NotNull || !b.NotNull)
	bound := &fn.Bound{Params: []types.Type{a, b}, Result: t}
	if narrow(a) && narrow(b) && narrow(t) && op != "/" && op != "%" {
		bound.Total = true
		bound.New = func() fn.Kernel { return narrowDecimals(op, x.Scale, y.Scale) }
		return bound
	}
	if narrow(a) && narrow(b) && exactFit(op, x, y, t) {
		bound.Total = true
		bound.New = func() fn.Kernel { return narrowToWide(op, x.Scale, y.Scale) }
		return bound
	}
	w := wideOp{op: op, a: x.Scale, b: y.Scale, precision: t.Precision, scale: t.Scale}
	bound.New = func() fn.Kernel { return w.kernel() }
	return bound
}

func narrow(t types.Type) bool { return vec.KindOf(t) == vec.I64 }

// narrowDecimals cannot overflow: the result type has room for every value.
func narrowDecimals(op string, sa, sb int) fn.Kernel {
	if op == "*" || sa == sb {
		return intLoops(op, 64).kernel(ints)
	}
	s := max(sa, sb)
	pa, pb := vec.Pow10[s-sa], vec.Pow10[s-sb]
	if op == "-" {
		pb = -pb
	}
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		a, b, o := args[0].I64, args[1].I64, out.I64
		for _, r := range rows {
			o[r] = a[r]*pa + b[r]*pb
		}
		return nil
	}
}

// exactFit: the result has all the digits that it can need, of arguments of
// which none is shifted by more than an int64 holds.
func exactFit(op string, a, b, t types.Type) bool {
	switch op {
	case "*":
		return a.Precision+b.Precision+1 <= vec.MaxDigits
	case "+", "-":
		return t.Precision < vec.MaxDigits && max(a.Scale, b.Scale) <= vec.NarrowDigits
	}
	return false
}

// narrowToWide combines two narrow decimals to a wide one.
func narrowToWide(op string, sa, sb int) fn.Kernel {
	if op == "*" {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			a, b, o := args[0].I64, args[1].I64, out.I128
			for _, r := range rows {
				o[r] = vec.Mul64(a[r], b[r])
			}
			return nil
		}
	}
	s := max(sa, sb)
	pa, pb := vec.Pow10[s-sa], vec.Pow10[s-sb]
	if op == "-" {
		pb = -pb
	}
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		a, b, o := args[0].I64, args[1].I64, out.I128
		for _, r := range rows {
			o[r] = vec.Mul64(a[r], pa).Add(vec.Mul64(b[r], pb))
		}
		return nil
	}
}

// wideOp is decimal arithmetic by way of 128 bits; a result that does not fit
// is NULL.
type wideOp struct {
	op               string
	a, b             int // scales
	precision, scale int
	wa, wb           []vec.Int128
}

func (w wideOp) kernel() fn.Kernel {
	compute := w.sum
	switch w.op {
	case "*":
		compute = w.product
	case "/":
		compute = w.quotient
	case "%":
		compute = w.remainder
	}
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		a, b := widen(args[0], rows, &w.wa), widen(args[1], rows, &w.wb)
		for _, r := range rows {
			if b[r] == (vec.Int128{}) && (w.op == "/" || w.op == "%") {
				return fmt.Errorf("division by zero: %s %s 0", vec.AppendDecimal(nil, a[r], w.a), w.op)
			}
			x, ok := compute(a[r], b[r])
			setDecimal(out, r, x, ok && x.Fits(w.precision))
		}
		return nil
	}
}

// widen is a decimal column as 128-bit integers, valid for rows.
func widen(v *vec.Vector, rows []int32, buf *[]vec.Int128) []vec.Int128 {
	if v.Kind == vec.I128 {
		return v.I128
	}
	if cap(*buf) < len(v.I64) {
		*buf = make([]vec.Int128, len(v.I64))
	}
	w := (*buf)[:len(v.I64)]
	for _, r := range rows {
		w[r] = vec.Widen(v.I64[r])
	}
	return w
}

// setDecimal stores x in a decimal column of either width; NULL if not ok.
func setDecimal(out *vec.Vector, r int32, x vec.Int128, ok bool) {
	switch {
	case !ok:
		out.SetNull(int(r))
	case out.Kind == vec.I64:
		out.I64[r] = int64(x.Lo)
	default:
		out.I128[r] = x
	}
}

func (w *wideOp) sum(x, y vec.Int128) (vec.Int128, bool) {
	if w.op == "-" {
		y = y.Neg()
	}
	s := max(w.a, w.b)
	a, okA := x.Rescale(w.a, s)
	b, okB := y.Rescale(w.b, s)
	if !okA || !okB {
		a, okA = x.Rescale(w.a, w.scale)
		b, okB = y.Rescale(w.b, w.scale)
		s = w.scale
	}
	z := a.Add(b)
	if !okA || !okB || (a.Hi < 0) == (b.Hi < 0) && (a.Hi < 0) != (z.Hi < 0) {
		return z, false
	}
	return z.Rescale(s, w.scale)
}

func (w *wideOp) product(x, y vec.Int128) (vec.Int128, bool) {
	drop := w.a + w.b - w.scale
	if drop == 0 {
		return x.Mul(y)
	}
	if drop > vec.MaxDigits {
		return vec.Int128{}, x.Sign() == 0 || y.Sign() == 0
	}
	return vec.MulDiv(x, y, vec.WidePow10(drop))
}

func (w *wideOp) quotient(x, y vec.Int128) (vec.Int128, bool) {
	return vec.Quotient(x, y, w.scale+w.b-w.a)
}

func (w *wideOp) remainder(x, y vec.Int128) (vec.Int128, bool) {
	a, okA := x.Rescale(w.a, w.scale)
	b, okB := y.Rescale(w.b, w.scale)
	if !okA || !okB || b.Sign() == 0 {
		return a, false
	}
	_, r := a.QuoRem(b)
	return r, true
}

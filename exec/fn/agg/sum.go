package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "SUM", Syntax: "SUM([DISTINCT] number)",
		Doc:  "The sum; NULL over no values. Integers keep their type and wrap; a decimal that overflows is NULL.",
		Bind: func(args []fn.Arg) (*fn.BoundAgg, error) { return bindSum("SUM", args) },
	})
}

func bindSum(name string, args []fn.Arg) (*fn.BoundAgg, error) {
	t, err := oneArg(name, args)
	if err != nil {
		return nil, err
	}
	b := &fn.BoundAgg{Params: []types.Type{t}, Result: t.Nullable(true).WithAttr(types.NoTime)}
	switch {
	case t.IsInteger():
		b.State = []state.Class{state.I64, state.I64}
		b.New = func(bool) fn.Accumulator { return &sumInt{wrap: wrapper(t.Kind)} }
	case t.IsApprox():
		b.State = []state.Class{state.I64, state.F64}
		b.New = func(bool) fn.Accumulator { return &sumFloat{single: t.Kind == types.Float} }
	case t.Kind == types.Decimal:
		b.Result = types.DecimalOf(38, t.Scale)
		b.State = []state.Class{state.I64, state.I128}
		b.New = func(bool) fn.Accumulator { return &sumDecimal{} }
	default:
		return nil, wrong(name, t, "a number")
	}
	return b, nil
}

// wrapper is the number of bits that an integer type cuts off.
func wrapper(k types.Kind) uint {
	return map[types.Kind]uint{types.TinyInt: 56, types.SmallInt: 48, types.Int: 32}[k]
}

// sumInt sums modulo 2⁶⁴; the result is cut to the type's width.
type sumInt struct {
	n, sum state.Col[int64]
	wrap   uint
}

func (a *sumInt) Open(t *state.Table, at fn.Place) {
	a.n, a.sum = t.I64Col(at.Col), t.I64Col(at.Col+1)
}

func (a *sumInt) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	x := args[0].I64
	if ops == nil {
		for i, r := range rows {
			s := slots[i]
			*a.n.Ptr(s)++
			*a.sum.Ptr(s) += x[r]
		}
		return nil
	}
	for i, r := range rows {
		s, d := slots[i], sign(ops, r)
		*a.n.Ptr(s) += d
		*a.sum.Ptr(s) += d * x[r]
	}
	return nil
}

func (a *sumInt) Merge(to, from []int32) error {
	for i := range to {
		*a.n.Ptr(to[i]) += a.n.At(from[i])
		*a.sum.Ptr(to[i]) += a.sum.At(from[i])
	}
	return nil
}

func (a *sumInt) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		if a.n.At(s) == 0 {
			out.AppendNull()
			continue
		}
		out.I64 = append(out.I64, a.sum.At(s)<<a.wrap>>a.wrap)
		out.KeepNulls()
	}
	return nil
}

// sumFloat sums in double precision, or in single for FLOAT, as Flink does.
type sumFloat struct {
	n      state.Col[int64]
	sum    state.Col[float64]
	single bool
}

func (a *sumFloat) Open(t *state.Table, at fn.Place) {
	a.n, a.sum = t.I64Col(at.Col), t.F64Col(at.Col+1)
}

func (a *sumFloat) add(slot int32, n int64, x float64) {
	*a.n.Ptr(slot) += n
	p := a.sum.Ptr(slot)
	*p += x
	if a.single {
		*p = float64(float32(*p))
	}
}

func (a *sumFloat) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	x := args[0].F64
	for i, r := range rows {
		d := sign(ops, r)
		a.add(slots[i], d, float64(d)*x[r])
	}
	return nil
}

func (a *sumFloat) Merge(to, from []int32) error {
	for i := range to {
		a.add(to[i], a.n.At(from[i]), a.sum.At(from[i]))
	}
	return nil
}

func (a *sumFloat) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		if a.n.At(s) == 0 {
			out.AppendNull()
			continue
		}
		out.F64 = append(out.F64, a.sum.At(s))
		out.KeepNulls()
	}
	return nil
}

// sumDecimal sums unscaled values in 128 bits.
type sumDecimal struct {
	n   state.Col[int64]
	sum state.Col[state.Int128]
}

func (a *sumDecimal) Open(t *state.Table, at fn.Place) {
	a.n, a.sum = t.I64Col(at.Col), t.I128Col(at.Col+1)
}

// decimalAt is the unscaled value of a narrow or wide decimal.
func decimalAt(v *vec.Vector, row int32) vec.Int128 {
	if v.Kind == vec.I64 {
		return vec.Widen(v.I64[row])
	}
	return v.I128[row]
}

func (a *sumDecimal) add(slot int32, n int64, x vec.Int128) {
	*a.n.Ptr(slot) += n
	p := a.sum.Ptr(slot)
	*p = state.Int128(vec.Int128(*p).Add(x))
}

func (a *sumDecimal) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for i, r := range rows {
		x, d := decimalAt(args[0], r), sign(ops, r)
		if d < 0 {
			x = x.Neg()
		}
		a.add(slots[i], d, x)
	}
	return nil
}

func (a *sumDecimal) Merge(to, from []int32) error {
	for i := range to {
		a.add(to[i], a.n.At(from[i]), vec.Int128(a.sum.At(from[i])))
	}
	return nil
}

func (a *sumDecimal) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		x := vec.Int128(a.sum.At(s))
		if a.n.At(s) == 0 || !x.Fits(vec.MaxDigits) {
			out.AppendNull()
			continue
		}
		out.I128 = append(out.I128, x)
		out.KeepNulls()
	}
	return nil
}

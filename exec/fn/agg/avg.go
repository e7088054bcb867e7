package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "AVG", Syntax: "AVG([DISTINCT] number)",
		Doc:  "The mean; NULL over no values. That of integers is an integer, truncated; that of DECIMAL(p, s) is DECIMAL(38, max(s, 6)).",
		Bind: bindAvg,
	})
}

func bindAvg(args []fn.Arg) (*fn.BoundAgg, error) {
	b, err := bindSum("AVG", args)
	if err != nil {
		return nil, err
	}
	t := args[0].Type
	switch {
	case t.IsInteger():
		b.New = func(bool) fn.Accumulator { return &avgInt{sumInt{wrap: wrapper(t.Kind)}} }
	case t.IsApprox():
		b.New = func(bool) fn.Accumulator { return &avgFloat{single: t.Kind == types.Float} }
	default:
		b.Result = types.DecimalOf(38, max(t.Scale, 6))
		b.New = func(bool) fn.Accumulator { return &avgDecimal{from: t.Scale, to: b.Result.Scale} }
	}
	return b, nil
}

// avgInt divides a 64-bit sum, truncating.
type avgInt struct{ sumInt }

func (a *avgInt) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		n := a.n.At(s)
		if n == 0 {
			out.AppendNull()
			continue
		}
		out.I64 = append(out.I64, a.sum.At(s)/n)
		out.KeepNulls()
	}
	return nil
}

// avgFloat sums in double precision for FLOAT too.
type avgFloat struct {
	sumFloat
	single bool
}

func (a *avgFloat) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		n := a.n.At(s)
		if n == 0 {
			out.AppendNull()
			continue
		}
		x := a.sum.At(s) / float64(n)
		if a.single {
			x = float64(float32(x))
		}
		out.F64 = append(out.F64, x)
		out.KeepNulls()
	}
	return nil
}

// avgDecimal rounds half away from zero.
type avgDecimal struct {
	sumDecimal
	from, to int
}

func (a *avgDecimal) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		n := a.n.At(s)
		if n == 0 {
			out.AppendNull()
			continue
		}
		x, ok := divide(vec.Int128(a.sum.At(s)), n, a.to-a.from)
		if !ok || !x.Fits(vec.MaxDigits) {
			out.AppendNull()
			continue
		}
		out.I128 = append(out.I128, x)
		out.KeepNulls()
	}
	return nil
}

// divide is x·10^shift ÷ n, n ≠ 0.
func divide(x vec.Int128, n int64, shift int) (vec.Int128, bool) {
	if n < 0 {
		x, n = x.Neg(), -n
	}
	return vec.MulDiv(x, vec.WidePow10(shift), vec.Widen(n))
}

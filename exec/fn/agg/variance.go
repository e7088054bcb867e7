package agg

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	register := func(name, doc string, sample, root bool, aliases ...string) {
		fn.RegisterAggregate(&fn.Aggregate{
			Name: name, Aliases: aliases, Syntax: name + "([DISTINCT] number)", Doc: doc,
			Bind: func(args []fn.Arg) (*fn.BoundAgg, error) { return bindVariance(name, args, sample, root) },
		})
	}
	register("VAR_POP", "The population variance; NULL over no values. That of integers is an integer, truncated.", false, false)
	register("VAR_SAMP", "The sample variance; NULL over less than two values. That of integers is an integer, truncated.", true, false, "VARIANCE")
	register("STDDEV_POP", "The population standard deviation; NULL over no values. That of integers is an integer, truncated.", false, true)
	register("STDDEV_SAMP", "The sample standard deviation; NULL over less than two values. That of integers is an integer, truncated.", true, true, "STDDEV")
}

func bindVariance(name string, args []fn.Arg, sample, root bool) (*fn.BoundAgg, error) {
	t, err := oneArg(name, args)
	if err != nil {
		return nil, err
	}
	b := &fn.BoundAgg{Params: []types.Type{t}, Result: t.Nullable(true).WithAttr(types.NoTime)}
	m := moments{sample: sample, root: root}
	switch {
	case t.IsInteger():
		b.State = []state.Class{state.I64, state.I64, state.I64}
		b.New = func(bool) fn.Accumulator { return &varianceInt{moments: m, wrap: wrapper(t.Kind)} }
		return b, nil
	case t.IsApprox():
		b.New = func(bool) fn.Accumulator { return &varianceFloat{moments: m, single: t.Kind == types.Float} }
	case t.Kind == types.Decimal:
		b.Result = types.DecimalOf(38, max(t.Scale, 6))
		b.New = func(bool) fn.Accumulator {
			return &varianceFloat{moments: m, decimal: true, from: t.Scale, to: b.Result.Scale}
		}
	default:
		return nil, wrong(name, t, "a number")
	}
	b.State = []state.Class{state.I64, state.F64, state.F64}
	return b, nil
}

// moments says what is made of the sums: (Σx² − (Σx)²/n) / n, or / (n − 1)
// of a sample, and its root.
type moments struct{ sample, root bool }

// divisor is 0 if there are too few values.
func (m moments) divisor(n int64) int64 {
	if m.sample {
		return max(n-1, 0)
	}
	return max(n, 0)
}

// varianceInt computes in integers of the type's width, as Flink does.
type varianceInt struct {
	moments
	n, sum, squares state.Col[int64]
	wrap            uint
}

func (a *varianceInt) cut(x int64) int64 { return x << a.wrap >> a.wrap }

func (a *varianceInt) Open(t *state.Table, at fn.Place) {
	a.n, a.sum, a.squares = t.I64Col(at.Col), t.I64Col(at.Col+1), t.I64Col(at.Col+2)
}

func (a *varianceInt) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	x := args[0].I64
	for i, r := range rows {
		s, d := slots[i], sign(ops, r)
		*a.n.Ptr(s) += d
		*a.sum.Ptr(s) += d * x[r]
		*a.squares.Ptr(s) += d * a.cut(x[r]*x[r])
	}
	return nil
}

func (a *varianceInt) Merge(to, from []int32) error {
	for i := range to {
		*a.n.Ptr(to[i]) += a.n.At(from[i])
		*a.sum.Ptr(to[i]) += a.sum.At(from[i])
		*a.squares.Ptr(to[i]) += a.squares.At(from[i])
	}
	return nil
}

func (a *varianceInt) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		n := a.n.At(s)
		d := a.divisor(n)
		if d == 0 {
			out.AppendNull()
			continue
		}
		sum := a.cut(a.sum.At(s))
		x := (a.cut(a.squares.At(s)) - a.cut(sum*sum)/n) / d
		if a.root {
			x = int64(math.Sqrt(float64(max(x, 0))))
		}
		out.I64 = append(out.I64, a.cut(x))
		out.KeepNulls()
	}
	return nil
}

// varianceFloat sums in double precision, decimals too.
type varianceFloat struct {
	moments
	n            state.Col[int64]
	sum, squares state.Col[float64]
	single       bool
	decimal      bool
	from, to     int
}

func (a *varianceFloat) Open(t *state.Table, at fn.Place) {
	a.n, a.sum, a.squares = t.I64Col(at.Col), t.F64Col(at.Col+1), t.F64Col(at.Col+2)
}

func (a *varianceFloat) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for i, r := range rows {
		x := 0.0
		if a.decimal {
			x = decimalAt(args[0], r).Float(a.from)
		} else {
			x = args[0].F64[r]
		}
		s, d := slots[i], sign(ops, r)
		*a.n.Ptr(s) += d
		*a.sum.Ptr(s) += float64(d) * x
		*a.squares.Ptr(s) += float64(d) * x * x
	}
	return nil
}

func (a *varianceFloat) Merge(to, from []int32) error {
	for i := range to {
		*a.n.Ptr(to[i]) += a.n.At(from[i])
		*a.sum.Ptr(to[i]) += a.sum.At(from[i])
		*a.squares.Ptr(to[i]) += a.squares.At(from[i])
	}
	return nil
}

func (a *varianceFloat) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		n := a.n.At(s)
		d := a.divisor(n)
		if d == 0 {
			out.AppendNull()
			continue
		}
		sum := a.sum.At(s)
		// Rounding may leave a little less than nothing.
		x := max((a.squares.At(s)-sum*sum/float64(n))/float64(d), 0)
		if a.root {
			x = math.Sqrt(x)
		}
		a.put(out, x)
	}
	return nil
}

func (a *varianceFloat) put(out *vec.Vector, x float64) {
	if !a.decimal {
		if a.single {
			x = float64(float32(x))
		}
		out.F64 = append(out.F64, x)
		out.KeepNulls()
		return
	}
	w, ok := vec.DecimalOfFloat(x, vec.MaxDigits, a.to)
	if !ok {
		out.AppendNull()
		return
	}
	out.I128 = append(out.I128, w)
	out.KeepNulls()
}

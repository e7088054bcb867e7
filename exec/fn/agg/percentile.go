package agg

import (
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "PERCENTILE", Syntax: "PERCENTILE(number, percentage [, frequency])",
		Doc:  "The exact percentile, between two values by linear interpolation. percentage is a constant from 0 to 1; frequency counts a row so many times.",
		Bind: bindPercentile,
	})
}

func bindPercentile(args []fn.Arg) (*fn.BoundAgg, error) {
	if len(args) < 2 || len(args) > 3 {
		return nil, fmt.Errorf("PERCENTILE takes a number, a percentage and a frequency")
	}
	if !args[0].Type.IsNumeric() {
		return nil, wrong("PERCENTILE", args[0].Type, "a number")
	}
	p, err := percentage(args[1])
	if err != nil {
		return nil, err
	}
	double := types.Of(types.Double)
	b := &fn.BoundAgg{Params: []types.Type{double, args[1].Type}, Result: double,
		State:  []state.Class{state.I64},
		Sorted: []state.ListLayout{{Name: "values", Values: []state.Class{state.F64, state.I64}}},
		New:    func(bool) fn.Accumulator { return &percentile{p: p} },
	}
	if len(args) == 3 {
		if !args[2].Type.IsInteger() {
			return nil, wrong("PERCENTILE", args[2].Type, "an integer as frequency")
		}
		b.Params = append(b.Params, types.Of(types.BigInt))
	}
	return b, nil
}

func percentage(a fn.Arg) (float64, error) {
	var p float64
	switch l := a.Literal; {
	case a.Type.Kind == types.Array:
		return 0, fmt.Errorf("PERCENTILE of several percentages is not supported yet; call it once for each")
	case l == nil || l.Null || !a.Type.IsNumeric():
		return 0, fmt.Errorf("the percentage of PERCENTILE must be a constant number")
	case a.Type.Kind == types.Decimal && l.Kind == vec.I64:
		p = vec.Widen(l.I).Float(a.Type.Scale)
	case a.Type.Kind == types.Decimal:
		p = l.W.Float(a.Type.Scale)
	case l.Kind == vec.F64:
		p = l.F
	default:
		p = float64(l.I)
	}
	if !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("the percentage of PERCENTILE must be from 0 to 1, not %v", p)
	}
	return p, nil
}

// percentile keeps the values in order, with the number of their rows.
type percentile struct {
	p     float64
	total state.Col[int64]
	all   *state.SortedRows
	value state.Col[float64]
	n     state.Col[int64]
	key   []byte
}

func (a *percentile) Open(t *state.Table, at fn.Place) {
	a.total, a.all = t.I64Col(at.Col), t.Sorted(at.Sorted)
	a.value, a.n = a.all.F64Col(0), a.all.I64Col(1)
}

func (a *percentile) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for i, r := range rows {
		n := sign(ops, r)
		if len(args) == 3 {
			if args[2].IsNull(int(r)) || args[2].I64[r] <= 0 {
				continue
			}
			n *= args[2].I64[r]
		}
		a.add(slots[i], args[0].F64[r], n)
	}
	return nil
}

func (a *percentile) add(slot int32, x float64, n int64) {
	*a.total.Ptr(slot) += n
	a.key = state.AppendSortF64(a.key[:0], x, false)
	at, isNew := a.all.Insert(slot, a.key)
	if isNew {
		a.value.Set(at, x)
	} else {
		a.all.TouchOne(at)
	}
	p := a.n.Ptr(at)
	if *p += n; *p == 0 {
		a.all.Remove(at)
	}
}

func (a *percentile) Merge(to, from []int32) error {
	for i := range to {
		for at := a.all.First(from[i]); at >= 0; at = a.all.Next(at) {
			a.add(to[i], a.value.At(at), a.n.At(at))
		}
	}
	return nil
}

func (a *percentile) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		total := a.total.At(s)
		if total <= 0 {
			out.AppendNull()
			continue
		}
		at := a.p * float64(total-1)
		low, high := a.between(s, int64(math.Floor(at)), int64(math.Ceil(at)))
		x := low
		if low != high {
			x = (math.Ceil(at)-at)*low + (at-math.Floor(at))*high
		}
		out.F64 = append(out.F64, x)
		out.KeepNulls()
	}
	return nil
}

// between are the values of two neighbouring ranks, from 0.
func (a *percentile) between(slot int32, lo, hi int64) (low, high float64) {
	n := int64(0)
	at := a.all.First(slot)
	for ; at >= 0; at = a.all.Next(at) {
		if n += a.n.At(at); n > lo {
			break
		}
	}
	low = a.value.At(at)
	if n <= hi {
		if next := a.all.Next(at); next >= 0 {
			return low, a.value.At(next)
		}
	}
	return low, low
}

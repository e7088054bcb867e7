package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "COLLECT", Syntax: "COLLECT([DISTINCT] value)",
		Doc: "The values, without NULLs, as a multiset.",
		Bind: func(args []fn.Arg) (*fn.BoundAgg, error) {
			t, err := oneArg("COLLECT", args)
			if err != nil {
				return nil, err
			}
			t = t.WithAttr(types.NoTime)
			return &fn.BoundAgg{
				Params: []types.Type{t}, Result: types.MultisetOf(t).Nullable(false),
				Sorted: []state.ListLayout{listOf("values", t, types.Of(types.BigInt))},
				New:    func(bool) fn.Accumulator { return &collect{counted{typ: t}} },
			}, nil
		},
	})
}

// collect shows each value as often as its rows.
type collect struct{ counted }

func (a *collect) Result(slots []int32, out *vec.Vector) error {
	values, counts := out.Kids[0], out.Kids[1]
	for _, s := range slots {
		off := values.Len()
		for at := a.all.First(s); at >= 0; at = a.all.Next(at) {
			if a.n.At(at) > 0 {
				a.value.Append(values, at)
				counts.I64 = append(counts.I64, a.n.At(at))
			}
		}
		out.Spans = append(out.Spans, vec.Span{Off: uint32(off), Len: uint32(values.Len() - off)})
		out.KeepNulls()
	}
	return nil
}

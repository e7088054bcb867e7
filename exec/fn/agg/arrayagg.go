package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	fn.RegisterAggregate(&fn.Aggregate{
		Name: "ARRAY_AGG", Syntax: "ARRAY_AGG([DISTINCT] value)",
		Doc: "The values in the order they came, NULLs included, as an array; NULL over no rows.",
		Bind: func(args []fn.Arg) (*fn.BoundAgg, error) {
			t, err := oneArg("ARRAY_AGG", args)
			if err != nil {
				return nil, err
			}
			t = t.WithAttr(types.NoTime)
			return &fn.BoundAgg{
				Params: []types.Type{t}, Result: types.ArrayOf(t).Nullable(!t.NotNull), SeesNulls: true,
				Lists: []state.ListLayout{listOf("values", t)},
				New:   func(bool) fn.Accumulator { return &arrayAgg{rowList{ts: []types.Type{t}}} },
			}, nil
		},
	})
}

type arrayAgg struct{ list rowList }

func (a *arrayAgg) Open(t *state.Table, at fn.Place) { a.list.open(t.List(at.List)) }

func (a *arrayAgg) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	a.list.add(args, rows, slots, ops)
	return nil
}

func (a *arrayAgg) Merge(to, from []int32) error {
	a.list.merge(to, from)
	return nil
}

func (a *arrayAgg) Result(slots []int32, out *vec.Vector) error {
	kid := out.Kids[0]
	for _, s := range slots {
		n := a.list.rows.Len(s)
		if n == 0 {
			out.AppendNull()
			continue
		}
		out.Spans = append(out.Spans, vec.Span{Off: uint32(kid.Len()), Len: uint32(n)})
		for at := a.list.rows.First(s); at >= 0; at = a.list.rows.Next(at) {
			a.list.cols[0].Append(kid, at)
		}
		out.KeepNulls()
	}
	return nil
}

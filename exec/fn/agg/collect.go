package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/store"
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
				New:    func(bool) fn.Accumulator { return &collect{typ: t} },
			}, nil
		},
	})
}

// collect counts the rows of each value. A count that is not above zero (a
// retraction came before its row) does not show.
type collect struct {
	typ   types.Type
	all   *state.SortedRows
	value *store.Column
	n     state.Col[int64]
	key   []byte
}

func (a *collect) Open(t *state.Table, at fn.Place) {
	a.all = t.Sorted(at.Sorted)
	a.value, a.n = store.NewColumn(a.all, 0, a.typ), a.all.I64Col(1)
}

func (a *collect) add(slot int32, v *vec.Vector, row int, n int64) {
	if store.Sortable(a.typ) {
		a.key = store.SortKey(a.key[:0], v, row, false)
	} else {
		a.key = store.Encode(a.key[:0], v, row)
	}
	at, isNew := a.all.Insert(slot, a.key)
	if isNew {
		a.value.Put(at, v, row)
	} else {
		a.all.TouchOne(at)
	}
	p := a.n.Ptr(at)
	if *p += n; *p == 0 {
		a.all.Remove(at)
	}
}

func (a *collect) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for i, r := range rows {
		a.add(slots[i], args[0], int(r), sign(ops, r))
	}
	return nil
}

func (a *collect) Merge(to, from []int32) error {
	v := vec.New(a.typ)
	for i := range to {
		for at := a.all.First(from[i]); at >= 0; at = a.all.Next(at) {
			v.Reset()
			a.value.Append(v, at)
			a.add(to[i], v, 0, a.n.At(at))
		}
	}
	return nil
}

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

package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	register := func(name, doc string, most bool) {
		fn.RegisterAggregate(&fn.Aggregate{
			Name: name, Syntax: name + "(value)", Doc: doc,
			Bind: func(args []fn.Arg) (*fn.BoundAgg, error) { return bindExtreme(name, most, args) },
		})
	}
	register("MIN", "The least value; NULL over no values.", false)
	register("MAX", "The greatest value; NULL over no values.", true)
}

func bindExtreme(name string, most bool, args []fn.Arg) (*fn.BoundAgg, error) {
	t, err := oneArg(name, args)
	if err != nil {
		return nil, err
	}
	if !store.Sortable(t) {
		return nil, wrong(name, t, "values that have an order")
	}
	class := store.Class(t)
	return &fn.BoundAgg{
		Params: []types.Type{t}, Result: t.Nullable(true).WithAttr(types.NoTime),
		State: []state.Class{class, state.I64},
		// With retractions every value is kept, with the number of its rows.
		Retract: []state.ListLayout{{Name: name, Values: []state.Class{class, state.I64}}},
		New: func(retract bool) fn.Accumulator {
			if retract {
				return &extremeOf{counted{typ: t}, most}
			}
			return &extreme{kept: kept{typ: t}, most: most}
		},
	}, nil
}

// extreme keeps the least or greatest value of an append-only input.
type extreme struct {
	kept
	most bool
	ints state.Col[int64] // the value's column, for integers
}

func (a *extreme) Open(t *state.Table, at fn.Place) {
	a.kept.Open(t, at)
	if store.Class(a.typ) == state.I64 {
		a.ints = t.I64Col(at.Col)
	}
}

func (a *extreme) Add(args []*vec.Vector, rows []int32, slots []int32, _ []vec.Op) error {
	v := args[0]
	if v.Kind == vec.I64 {
		a.addInts(v.I64, rows, slots)
		return nil
	}
	for i, r := range rows {
		s := slots[i]
		if a.any.At(s) == 0 || store.Before(a.value, s, v, int(r), a.most) {
			*a.any.Ptr(s) = 1
			a.value.Put(s, v, int(r))
		}
	}
	return nil
}

func (a *extreme) addInts(x []int64, rows []int32, slots []int32) {
	for i, r := range rows {
		s := slots[i]
		p := a.ints.Ptr(s)
		if a.any.At(s) == 0 || a.most && x[r] > *p || !a.most && x[r] < *p {
			*a.any.Ptr(s), *p = 1, x[r]
		}
	}
}

func (a *extreme) Merge(to, from []int32) error { return a.merge(to, from, a.Add) }

// extremeOf keeps all values in order.
type extremeOf struct {
	counted
	most bool
}

func (a *extremeOf) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		at := a.end(s)
		for at >= 0 && a.n.At(at) < 0 {
			at = a.inward(at)
		}
		if at < 0 {
			out.AppendNull()
			continue
		}
		a.value.Append(out, at)
	}
	return nil
}

func (a *extremeOf) end(slot int32) int32 {
	if a.most {
		return a.all.Last(slot)
	}
	return a.all.First(slot)
}

func (a *extremeOf) inward(at int32) int32 {
	if a.most {
		return a.all.Prev(at)
	}
	return a.all.Next(at)
}

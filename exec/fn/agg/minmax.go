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
				return &extremeOf{typ: t, most: most}
			}
			return &extreme{typ: t, most: most}
		},
	}, nil
}

// extreme keeps the least or greatest value of an append-only input. Column
// 1 tells whether there is one.
type extreme struct {
	typ   types.Type
	most  bool
	value *store.Column
	any   state.Col[int64]
	cells extremeCells
}

// extremeCells is the column for the kinds with a loop of their own.
type extremeCells struct {
	ints   state.Col[int64]
	floats state.Col[float64]
}

func (a *extreme) Open(t *state.Table, at fn.Place) {
	a.value, a.any = store.NewColumn(t, at.Col, a.typ), t.I64Col(at.Col+1)
	switch store.Class(a.typ) {
	case state.I64:
		a.cells.ints = t.I64Col(at.Col)
	case state.F64:
		a.cells.floats = t.F64Col(at.Col)
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
		p := a.cells.ints.Ptr(s)
		if a.any.At(s) == 0 || a.most && x[r] > *p || !a.most && x[r] < *p {
			*a.any.Ptr(s), *p = 1, x[r]
		}
	}
}

func (a *extreme) Merge(to, from []int32) error {
	v := vec.New(a.typ)
	for i := range to {
		if a.any.At(from[i]) == 0 {
			continue
		}
		v.Reset()
		a.value.Append(v, from[i])
		if err := a.Add([]*vec.Vector{v}, vec.Identity(1), to[i:i+1], nil); err != nil {
			return err
		}
	}
	return nil
}

func (a *extreme) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		if a.any.At(s) == 0 {
			out.AppendNull()
			continue
		}
		a.value.Append(out, s)
	}
	return nil
}

// extremeOf keeps all values in order.
type extremeOf struct {
	typ   types.Type
	most  bool
	all   *state.SortedRows
	value *store.Column
	n     state.Col[int64]
	key   []byte
}

func (a *extremeOf) Open(t *state.Table, at fn.Place) {
	a.all = t.Sorted(at.Sorted) // the first of Retract, for it has no Sorted
	a.value, a.n = store.NewColumn(a.all, 0, a.typ), a.all.I64Col(1)
}

// A retraction that comes before its insertion leaves a count below zero;
// such values do not count.
func (a *extremeOf) add(slot int32, v *vec.Vector, row int, n int64) {
	a.key = store.SortKey(a.key[:0], v, row, false)
	at, isNew := a.all.Insert(slot, a.key)
	if isNew {
		a.value.Put(at, v, row)
	} else {
		a.all.Touch([]int32{at})
	}
	p := a.n.Ptr(at)
	if *p += n; *p == 0 {
		a.all.Remove(at)
	}
}

func (a *extremeOf) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for i, r := range rows {
		a.add(slots[i], args[0], int(r), sign(ops, r))
	}
	return nil
}

func (a *extremeOf) Merge(to, from []int32) error {
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

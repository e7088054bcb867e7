package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

func init() {
	register := func(name, doc string, last bool) {
		fn.RegisterAggregate(&fn.Aggregate{
			Name: name, Syntax: name + "(value)", Doc: doc,
			Bind: func(args []fn.Arg) (*fn.BoundAgg, error) { return bindFirst(name, last, args) },
		})
	}
	register("FIRST_VALUE", "The value that came first, without NULLs; NULL over no values.", false)
	register("LAST_VALUE", "The value that came last, without NULLs; NULL over no values.", true)
}

func bindFirst(name string, last bool, args []fn.Arg) (*fn.BoundAgg, error) {
	t, err := oneArg(name, args)
	if err != nil {
		return nil, err
	}
	class := store.Class(t)
	return &fn.BoundAgg{
		Params: []types.Type{t}, Result: t.WithAttr(types.NoTime),
		State: []state.Class{class, state.I64},
		// With retractions every value is kept, by the number of its arrival;
		// the second map finds the arrivals of a value.
		Retract: []state.ListLayout{{Name: name, Values: []state.Class{class}}, {Name: name + " arrivals"}},
		New: func(retract bool) fn.Accumulator {
			if retract {
				return &firstOf{typ: t, last: last}
			}
			return &first{kept{typ: t}, last}
		},
	}, nil
}

// first keeps one value of an append-only input.
type first struct {
	kept
	last bool
}

func (a *first) Add(args []*vec.Vector, rows []int32, slots []int32, _ []vec.Op) error {
	for i, r := range rows {
		s := slots[i]
		if a.last || a.any.At(s) == 0 {
			a.any.Set(s, 1)
			a.value.Put(s, args[0], int(r))
		}
	}
	return nil
}

// Merge takes the rows of from as later than those of to.
func (a *first) Merge(to, from []int32) error { return a.merge(to, from, a.Add) }

// firstOf keeps all values in the order they came; column 1 counts them.
type firstOf struct {
	typ   types.Type
	last  bool
	came  state.Col[int64]
	all   *state.SortedRows
	value *store.Column
	of    *state.SortedRows // value and number of arrival
	key   []byte
}

func (a *firstOf) Open(t *state.Table, at fn.Place) {
	a.came, a.all = t.I64Col(at.Col+1), t.Sorted(at.Sorted)
	a.value, a.of = store.NewColumn(a.all, 0, a.typ), t.Sorted(at.Sorted+1)
}

func (a *firstOf) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for i, r := range rows {
		if sign(ops, r) < 0 {
			a.remove(slots[i], args[0], int(r))
		} else {
			a.add(slots[i], args[0], int(r))
		}
	}
	return nil
}

func (a *firstOf) add(slot int32, v *vec.Vector, row int) {
	*a.came.Ptr(slot)++
	a.key = state.AppendSortI64(a.key[:0], a.came.At(slot), false)
	at, _ := a.all.Insert(slot, a.key)
	a.value.Put(at, v, row)
	a.valueKey(v, row)
	a.key = state.AppendSortI64(a.key, a.came.At(slot), false)
	a.of.Insert(slot, a.key)
}

func (a *firstOf) valueKey(v *vec.Vector, row int) {
	if store.Sortable(a.typ) {
		a.key = store.SortKey(a.key[:0], v, row, false)
	} else {
		a.key = store.Encode(a.key[:0], v, row)
	}
}

// remove takes the earliest equal value out.
func (a *firstOf) remove(slot int32, v *vec.Vector, row int) {
	const number = 8 // bytes of the arrival's number
	a.valueKey(v, row)
	at := a.of.Seek(slot, a.key)
	if at < 0 {
		return
	}
	k := a.of.Key(at)
	if string(k[:len(k)-number]) != string(a.key) {
		return
	}
	a.key = append(a.key[:0], k[len(k)-number:]...)
	a.of.Remove(at)
	a.all.Remove(a.all.Find(slot, a.key))
}

func (a *firstOf) Merge(to, from []int32) error {
	v := vec.New(a.typ)
	for i := range to {
		for at := a.all.First(from[i]); at >= 0; at = a.all.Next(at) {
			v.Reset()
			a.value.Append(v, at)
			a.add(to[i], v, 0)
		}
	}
	return nil
}

func (a *firstOf) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		at := a.all.First(s)
		if a.last {
			at = a.all.Last(s)
		}
		if at < 0 {
			out.AppendNull()
			continue
		}
		a.value.Append(out, at)
	}
	return nil
}

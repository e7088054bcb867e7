package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// kept is an accumulator's one value, in its first column; the second tells
// whether there is one.
type kept struct {
	typ   types.Type
	value *store.Column
	any   state.Col[int64]
}

func (k *kept) Open(t *state.Table, at fn.Place) {
	k.value, k.any = store.NewColumn(t, at.Col, k.typ), t.I64Col(at.Col+1)
}

func (k *kept) Result(slots []int32, out *vec.Vector) error {
	for _, s := range slots {
		if k.any.At(s) == 0 {
			out.AppendNull()
			continue
		}
		k.value.Append(out, s)
	}
	return nil
}

// merge adds the values of slots from to slots to.
func (k *kept) merge(to, from []int32, add func([]*vec.Vector, []int32, []int32, []vec.Op) error) error {
	v := vec.New(k.typ)
	for i := range to {
		if k.any.At(from[i]) == 0 {
			continue
		}
		v.Reset()
		k.value.Append(v, from[i])
		if err := add([]*vec.Vector{v}, vec.Identity(1), to[i:i+1], nil); err != nil {
			return err
		}
	}
	return nil
}

// counted is a map, ordered by value, from each value to the number of its
// rows. A retraction that comes before its insertion leaves a number below
// zero; such values do not count.
type counted struct {
	typ   types.Type
	all   *state.SortedRows
	value *store.Column
	n     state.Col[int64]
	key   []byte
}

func (c *counted) Open(t *state.Table, at fn.Place) {
	c.all = t.Sorted(at.Sorted)
	c.value, c.n = store.NewColumn(c.all, 0, c.typ), c.all.I64Col(1)
}

func (c *counted) add(slot int32, v *vec.Vector, row int, n int64) {
	if store.Sortable(c.typ) {
		c.key = store.SortKey(c.key[:0], v, row, false)
	} else {
		c.key = store.Encode(c.key[:0], v, row)
	}
	at, isNew := c.all.Insert(slot, c.key)
	if isNew {
		c.value.Put(at, v, row)
	} else {
		c.all.TouchOne(at)
	}
	p := c.n.Ptr(at)
	if *p += n; *p == 0 {
		c.all.Remove(at)
	}
}

func (c *counted) Add(args []*vec.Vector, rows []int32, slots []int32, ops []vec.Op) error {
	for i, r := range rows {
		c.add(slots[i], args[0], int(r), sign(ops, r))
	}
	return nil
}

func (c *counted) Merge(to, from []int32) error {
	v := vec.New(c.typ)
	for i := range to {
		for at := c.all.First(from[i]); at >= 0; at = c.all.Next(at) {
			v.Reset()
			c.value.Append(v, at)
			c.add(to[i], v, 0, c.n.At(at))
		}
	}
	return nil
}

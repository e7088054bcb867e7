package op

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// aggSet folds rows into the accumulators of several aggregate calls that
// live in one table. FILTER and DISTINCT are done here: an accumulator sees
// only the rows that count.
type aggSet struct {
	calls []aggCall
	input []types.Field
	// merges: DISTINCT sets are merged too.
	merges bool
	nulls  []nullState // of the columns of the batch under work
}

// nullState says whether a column has a null among the rows to be added: most
// columns that may be null have none.
type nullState uint8

const (
	notLooked nullState = iota
	noNulls
	someNulls
)

// aggCall is one call with its accumulator.
type aggCall struct {
	AggCall
	acc      fn.Accumulator
	place    fn.Place
	seen     *state.SortedRows // DISTINCT: value → number of rows
	seenRows state.Col[int64]
	values   []*store.Column // of seen, if sets are merged
	args     []*vec.Vector
	rows     []int32
	slots    []int32
	key      []byte
}

// newAggSet appends the parts of all calls to the layout.
func newAggSet(calls []AggCall, input []types.Field, retract bool, l *state.Layout) *aggSet {
	return aggSetOf(calls, input, retract, false, l)
}

// aggSetOf is newAggSet; merges says that merge will be called, for which the
// values of DISTINCT are kept.
func aggSetOf(calls []AggCall, input []types.Field, retract, merges bool, l *state.Layout) *aggSet {
	a := &aggSet{input: input, merges: merges}
	for i, c := range calls {
		place := fn.Place{Col: len(l.Values), List: len(l.Lists), Sorted: len(l.Sorted)}
		l.Values = append(l.Values, c.Bound.State...)
		l.Lists = appendNamed(l.Lists, i, c.Bound.Lists)
		l.Sorted = appendNamed(l.Sorted, i, c.Bound.Sorted)
		if retract {
			l.Sorted = appendNamed(l.Sorted, i, c.Bound.Retract)
		}
		if c.Distinct {
			l.Sorted = append(l.Sorted, state.ListLayout{Name: fmt.Sprintf("%d distinct", i), Values: a.seenValues(c)})
		}
		a.calls = append(a.calls, aggCall{AggCall: c, acc: c.Bound.New(retract), place: place})
	}
	return a
}

// seenValues are the columns of a DISTINCT set: the number of rows, and the
// values if sets are merged.
func (a *aggSet) seenValues(c AggCall) []state.Class {
	cs := []state.Class{state.I64}
	if a.merges {
		for _, p := range c.Bound.Params {
			cs = append(cs, store.Class(p))
		}
	}
	return cs
}

// appendNamed makes the names of parts unique in the table.
func appendNamed(to []state.ListLayout, call int, parts []state.ListLayout) []state.ListLayout {
	for _, p := range parts {
		p.Name = fmt.Sprintf("%d %s", call, p.Name)
		to = append(to, p)
	}
	return to
}

// open takes the handles of the table that was made from the layout.
func (a *aggSet) open(t *state.Table, retract bool) {
	for i := range a.calls {
		c := &a.calls[i]
		c.acc.Open(t, c.place)
		if c.Distinct {
			at := c.place.Sorted + len(c.Bound.Sorted)
			if retract {
				at += len(c.Bound.Retract)
			}
			c.seen = t.Sorted(at)
			c.seenRows = c.seen.I64Col(0)
			for i, p := range c.Bound.Params {
				if a.merges {
					c.values = append(c.values, store.NewColumn(c.seen, 1+i, p))
				}
			}
		}
	}
}

// add folds the given rows of b: rows[i] belongs to slots[i], which has been
// touched.
func (a *aggSet) add(b *vec.Batch, rows, slots []int32) error {
	a.nulls = slices.Grow(a.nulls[:0], len(b.Cols))[:len(b.Cols)]
	clear(a.nulls)
	for i := range a.calls {
		c := &a.calls[i]
		c.args = c.args[:0]
		for _, col := range c.Args {
			c.args = append(c.args, b.Cols[col])
		}
		r, s := a.wanted(c, b, rows, slots)
		if len(r) == 0 {
			continue
		}
		if err := c.acc.Add(c.args, r, s, b.Ops); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}

// hasNulls looks at a column once a batch.
func (a *aggSet) hasNulls(b *vec.Batch, col int, rows []int32) bool {
	if a.nulls[col] == notLooked {
		a.nulls[col] = noNulls
		if b.Cols[col].AnyNull(rows) {
			a.nulls[col] = someNulls
		}
	}
	return a.nulls[col] == someNulls
}

// wanted are the rows that the call's accumulator is to see.
func (a *aggSet) wanted(c *aggCall, b *vec.Batch, rows, slots []int32) (r, s []int32) {
	skipNull := !c.Bound.SeesNulls && len(c.args) > 0 && a.hasNulls(b, c.Args[0], rows)
	switch {
	case skipNull || c.Distinct:
	case c.Filter < 0:
		return rows, slots
	case !a.hasNulls(b, c.Filter, rows):
		return c.passing(b.Cols[c.Filter].Bool, rows, slots)
	}
	c.rows, c.slots = c.rows[:0], c.slots[:0]
	for i, row := range rows {
		if c.Filter >= 0 && !isTrue(b.Cols[c.Filter], int(row)) || skipNull && c.args[0].IsNull(int(row)) {
			continue
		}
		if c.Distinct && !c.changesSet(slots[i], int(row), b.Op(int(row))) {
			continue
		}
		c.rows, c.slots = append(c.rows, row), append(c.slots, slots[i])
	}
	return c.rows, c.slots
}

// passing is wanted for a FILTER without nulls alone.
func (c *aggCall) passing(pass []bool, rows, slots []int32) (r, s []int32) {
	c.rows, c.slots = slices.Grow(c.rows[:0], len(rows))[:len(rows)], slices.Grow(c.slots[:0], len(rows))[:len(rows)]
	n := 0
	for i, row := range rows {
		c.rows[n], c.slots[n] = row, slots[i]
		if pass[row] {
			n++
		}
	}
	return c.rows[:n], c.slots[:n]
}

func isTrue(v *vec.Vector, row int) bool { return v.Bool[row] && !v.IsNull(row) }

// changesSet counts a value of DISTINCT; it is true if the value is the
// first, or was the last, of its kind.
func (c *aggCall) changesSet(slot int32, row int, op vec.Op) bool {
	c.key = c.key[:0]
	for _, a := range c.args {
		c.key = distinctKey(c.key, a, row)
	}
	if op.Retracts() {
		at := c.seen.Find(slot, c.key)
		if at < 0 {
			return false
		}
		c.seen.Touch([]int32{at})
		p := c.seenRows.Ptr(at)
		if *p--; *p > 0 {
			return false
		}
		c.seen.Remove(at)
		return true
	}
	at, isNew := c.seen.Insert(slot, c.key)
	if !isNew {
		c.seen.TouchOne(at)
	} else {
		for i, v := range c.values {
			v.Put(at, c.args[i], row)
		}
	}
	*c.seenRows.Ptr(at)++
	return isNew
}

// distinctKey appends bytes that are equal for equal values only.
func distinctKey(key []byte, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(key, 0)
	}
	if v.Kind >= vec.List {
		n := len(key)
		key = store.Encode(append(key, 1), v, row)
		return append(key, byte(len(key)-n))
	}
	return store.SortKey(append(key, 1), v, row, false)
}

// merge folds the accumulators of slots from into those of slots to, DISTINCT
// values included.
func (a *aggSet) merge(to, from []int32) error {
	for i := range a.calls {
		c := &a.calls[i]
		merge := c.acc.Merge
		if c.Distinct {
			merge = c.mergeSets
		}
		if err := merge(to, from); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}

// mergeSets adds the values of DISTINCT sets that are new in the other one.
func (c *aggCall) mergeSets(to, from []int32) error {
	c.args = c.args[:0]
	for _, p := range c.Bound.Params {
		c.args = append(c.args, vec.New(p))
	}
	for i := range to {
		for at := c.seen.First(from[i]); at >= 0; at = c.seen.Next(at) {
			if err := c.mergeValue(to[i], at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *aggCall) mergeValue(to, at int32) error {
	n := c.seenRows.At(at)
	resetAll(c.args)
	for i, v := range c.values {
		v.Append(c.args[i], at)
	}
	c.key = append(c.key[:0], c.seen.Key(at)...)
	mine, isNew := c.seen.Insert(to, c.key)
	if !isNew {
		c.seen.TouchOne(mine)
		*c.seenRows.Ptr(mine) += n
		return nil
	}
	c.seenRows.Set(mine, n)
	for i, v := range c.values {
		v.Put(mine, c.args[i], 0)
	}
	return c.acc.Add(c.args, vec.Identity(1), []int32{to}, nil)
}

// results appends the values of slots to outs, a vector a call.
func (a *aggSet) results(slots []int32, outs []*vec.Vector) error {
	for i := range a.calls {
		if err := a.calls[i].acc.Result(slots, outs[i]); err != nil {
			return fmt.Errorf("%s: %w", a.calls[i].Name, err)
		}
	}
	return nil
}

// vectors makes result vectors.
func (a *aggSet) vectors() []*vec.Vector {
	outs := make([]*vec.Vector, len(a.calls))
	for i := range a.calls {
		outs[i] = vec.New(a.calls[i].Bound.Result)
	}
	return outs
}

func resetAll(vs []*vec.Vector) {
	for _, v := range vs {
		v.Reset()
	}
}

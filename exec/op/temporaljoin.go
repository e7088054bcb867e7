package op

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// TemporalJoin joins each left row with the version of the right side that
// was valid at its time. A left row waits until the watermark of both sides
// has reached it. A version is valid from its own time until that of the next
// one; a deletion is a version without a row, at the time it carries.
type TemporalJoin struct {
	spec  TemporalJoinSpec
	ctx   *exec.Context
	match *matcher
	out   *joined
	table *state.Table
	find  [2]keyed
	keys  [2][]int
	times [2]int
	seq   state.Col[int64]
	rows  [2]*state.SortedRows // left by time and arrival, right by time
	cols  [2][]*store.Column
	at    [2]state.Col[int64]
	dead  state.Col[bool] // the version is a deletion
	next  *state.Timers   // when there is something to do for the key

	clock wallClock
	when  []int64
	live  []int32
	slots []int32
	key   []byte
	due   [256]state.Due
	lefts []int32
	pairs pairs
	empty []int32
}

// NewTemporalJoin makes the operator.
func NewTemporalJoin(s TemporalJoinSpec) (exec.Operator, error) {
	if s.Proctime {
		return nil, fmt.Errorf("a temporal join by processing time is not supported yet")
	}
	o := &TemporalJoin{spec: s, out: newJoined(s.Common), keys: [2][]int{s.LeftKeys, s.RightKeys}, times: [2]int{s.LeftTime, s.RightTime}}
	o.find[0].cols, o.find[1].cols = s.LeftKeys, s.RightKeys
	var err error
	o.match, err = newMatcher(s.Residual, s.Inputs, s.Zone)
	return o, err
}

func (o *TemporalJoin) Open(ctx *exec.Context) error {
	l := layoutOf("versions", o.spec.Inputs[0], o.spec.LeftKeys)
	l.Values = []state.Class{state.I64}
	l.Timers = []string{"next"}
	for i, name := range []string{"left", "right"} {
		l.Sorted = append(l.Sorted, state.ListLayout{Name: name, Values: append(store.Classes(o.spec.Inputs[i]), state.I64)})
	}
	l.Sorted[1].Values = append(l.Sorted[1].Values, state.Bool)
	t, err := ctx.State.Table(l)
	if err != nil {
		return err
	}
	o.ctx, o.table, o.seq, o.next = ctx, t, t.I64Col(0), t.Timers(0)
	for i := range o.rows {
		width := len(o.spec.Inputs[i])
		o.find[i].table, o.rows[i] = t, t.Sorted(i)
		o.cols[i] = store.NewColumns(o.rows[i], 0, o.spec.Inputs[i])
		o.at[i] = o.rows[i].I64Col(width)
	}
	o.dead = o.rows[1].BoolCol(len(o.spec.Inputs[1]) + 1)
	return nil
}

func (o *TemporalJoin) Process(in int, b *vec.Batch, out exec.Output) (err error) {
	rows := b.Rows()
	o.when = grown(o.when, b.N)
	if o.when, err = columnTimes(&o.clock, b.Cols[o.times[in]], rows, o.when); err != nil || len(rows) == 0 {
		return err
	}
	live := notNull(b, o.keys[in], rows, &o.live)
	if in == 0 && len(live) < len(rows) && o.spec.Kind == Left {
		if err := o.unmatchable(b, rows, live, out); err != nil {
			return err
		}
	}
	f := &o.find[in]
	f.find(b, live, true)
	o.table.Touch(f.probe.Slots)
	for i, r := range live {
		if b.Op(int(r)) != vec.UpdateBefore { // the old version stays valid for earlier rows
			o.keep(in, b, int(r), f.probe.Slots[i])
		}
	}
	return nil
}

// unmatchable emits left rows with a null key.
func (o *TemporalJoin) unmatchable(b *vec.Batch, rows, live []int32, out exec.Output) error {
	o.slots = spreadSlots(o.slots, rows, live, live)
	for i, r := range rows {
		if o.slots[i] < 0 {
			o.out.add(vec.Insert, r, -1)
		}
	}
	return o.out.emit(side{vs: b.Cols}, side{kept: o.cols[1]}, out)
}

// keep stores a row. A second version of one time takes the place of the
// first.
func (o *TemporalJoin) keep(in int, b *vec.Batch, row int, slot int32) {
	t := o.when[row]
	o.key = state.AppendSortI64(o.key[:0], t, false)
	if in == 0 {
		*o.seq.Ptr(slot)++
		o.key = state.AppendSortI64(o.key, o.seq.At(slot), false)
	}
	at, isNew := o.rows[in].Insert(slot, o.key)
	if !isNew {
		o.rows[in].TouchOne(at)
	}
	for c, col := range o.cols[in] {
		col.Put(at, b.Cols[c], row)
	}
	o.at[in].Set(at, t)
	if in == 1 {
		o.dead.Set(at, b.Op(row).Retracts())
	}
	o.schedule(slot, t)
}

func (o *TemporalJoin) schedule(slot int32, t int64) {
	if first, ok := o.next.First(slot); ok {
		if first <= t {
			return
		}
		o.next.Cancel(slot, first)
	}
	o.next.SetOne(slot, t)
}

// Advance joins the left rows that the watermark has reached, and drops the
// versions that no later row can need.
func (o *TemporalJoin) Advance(t types.Time, out exec.Output) error {
	for n := o.next.PopDue(int64(t), o.due[:]); n > 0; n = o.next.PopDue(int64(t), o.due[:]) {
		o.lefts = o.lefts[:0]
		o.pairs.reset()
		for _, d := range o.due[:n] {
			o.gather(d.Slot, int64(t))
		}
		if err := o.join(out); err != nil {
			return err
		}
		for _, at := range o.lefts {
			o.rows[0].Remove(at)
		}
		o.empty = o.empty[:0]
		for _, d := range o.due[:n] {
			o.clean(d.Slot, int64(t))
		}
		o.table.Delete(o.empty)
	}
	return out.Watermark(t)
}

// gather pairs the left rows of a key up to t with their versions.
func (o *TemporalJoin) gather(slot int32, t int64) {
	for at := o.rows[0].First(slot); at >= 0 && o.at[0].At(at) <= t; at = o.rows[0].Next(at) {
		if v := o.version(slot, o.at[0].At(at)); v >= 0 && !o.dead.At(v) {
			o.pairs.add(len(o.lefts), at, v)
		}
		o.lefts = append(o.lefts, at)
	}
}

// version is the latest version at or before t, −1 if there is none.
func (o *TemporalJoin) version(slot int32, t int64) int32 {
	if t == int64(types.MaxTime) {
		return o.rows[1].Last(slot)
	}
	o.key = state.AppendSortI64(o.key[:0], t+1, false)
	at := o.rows[1].Seek(slot, o.key)
	if at < 0 {
		return o.rows[1].Last(slot)
	}
	return o.rows[1].Prev(at)
}

func (o *TemporalJoin) join(out exec.Output) error {
	left, right := side{kept: o.cols[0]}, side{kept: o.cols[1]}
	if err := o.match.keep(o.ctx, &o.pairs, left, right, false); err != nil {
		return err
	}
	j := 0
	for i, l := range o.lefts {
		switch {
		case j < len(o.pairs.item) && o.pairs.item[j] == int32(i):
			o.out.add(vec.Insert, l, o.pairs.other[j])
			j++
		case o.spec.Kind == Left:
			o.out.add(vec.Insert, l, -1)
		}
	}
	return o.out.emit(left, right, out)
}

// clean drops the versions before the one that is valid at t, and sets the
// key's timer to what comes next.
func (o *TemporalJoin) clean(slot int32, t int64) {
	next := o.rows[1].First(slot)
	if valid := o.version(slot, t); valid >= 0 {
		for at := next; at != valid; at = o.rows[1].First(slot) {
			o.rows[1].Remove(at)
		}
		if next = o.rows[1].Next(valid); o.dead.At(valid) {
			o.rows[1].Remove(valid)
		}
	}
	if next >= 0 {
		o.schedule(slot, o.at[1].At(next))
	}
	if at := o.rows[0].First(slot); at >= 0 {
		o.schedule(slot, o.at[0].At(at))
	}
	if o.rows[0].Len(slot) == 0 && o.rows[1].Len(slot) == 0 {
		o.empty = append(o.empty, slot)
	}
}

func (o *TemporalJoin) Close() error { return nil }

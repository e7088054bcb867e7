package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// SessionWindowAgg aggregates sessions: rows of a key whose times are at most
// a gap apart. A row that closes the gap between sessions merges them.
//
// The table's number names a session: the time of the row that began it,
// which stays when the session grows or takes others in. A second table has,
// by key, the open sessions in order of their starts; they are disjoint and
// more than the gap apart. A timer may be earlier than the session's end: it
// is set anew when it fires.
type SessionWindowAgg struct {
	windows
	window Window
	gap    int64
	end    state.Col[int64]

	layoutByKey state.Layout
	byKey       keyed
	closing     keyed             // byKey, of rows in vectors
	open        *state.SortedRows // by start
	openStart   state.Col[int64]
	openEnd     state.Col[int64]
	openID      state.Col[int64]

	extents []extent // by physical row: the row's session after it
	touched []int32  // sessions that a row touches
	key     []byte
	group   []state.Due
	vectors []*vec.Vector
	empty   []int32
}

type extent struct{ start, end int64 }

func newSessions(s WindowAggSpec) *SessionWindowAgg {
	o := &SessionWindowAgg{windows: newWindows(s, clockOf(s.Zone, s.Window.LTZ)), window: *s.Window, gap: s.Window.Size}
	o.layout.Values = append(o.layout.Values, state.I64)
	o.aggs = aggSetOf(s.Aggs, s.Inputs[0], s.InputRetract, true, &o.layout)
	o.layoutByKey = layoutOf("sessions", s.Inputs[0], s.Keys)
	o.layoutByKey.Sorted = []state.ListLayout{{Name: "open", Values: []state.Class{state.I64, state.I64, state.I64}}}
	o.byKey = keyed{cols: s.Keys, own: true}
	o.closing = keyed{own: true}
	for i, k := range s.Keys {
		o.closing.cols = append(o.closing.cols, i)
		o.vectors = append(o.vectors, vec.New(s.Inputs[0][k].Type))
	}
	return o
}

func (o *SessionWindowAgg) Open(ctx *exec.Context) error {
	if err := o.windows.Open(ctx); err != nil {
		return err
	}
	t, err := ctx.State.Table(o.layoutByKey)
	if err != nil {
		return err
	}
	o.end, o.open = o.table.I64Col(windowCols), t.Sorted(0)
	o.byKey.table, o.closing.table = t, t
	o.openStart, o.openEnd, o.openID = o.open.I64Col(0), o.open.I64Col(1), o.open.I64Col(2)
	return nil
}

func (o *SessionWindowAgg) Process(_ int, b *vec.Batch, _ exec.Output) (err error) {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	if o.times, err = rowTimes(&o.window, &o.clock, o.ctx.Now, b, rows, o.times); err != nil {
		return err
	}
	o.id.Resize(b.N)
	if cap(o.extents) < b.N {
		o.extents = make([]extent, b.N)
	}
	o.extents = o.extents[:b.N]
	o.byKey.find(b, rows, true)
	o.kept, o.empty = o.kept[:0], o.empty[:0]
	keys := o.byKey.probe.Slots
	for i, r := range rows {
		if err := o.place(b, keys[i], r); err != nil {
			return err
		}
	}
	err = o.fold(b)
	o.dropEmpty()
	return err
}

// place finds the session of a row, or begins one.
func (o *SessionWindowAgg) place(b *vec.Batch, key, row int32) error {
	t := o.times[row]
	x := extent{t, t + o.gap}
	o.overlaps(key, x)
	if len(o.touched) == 0 {
		if !o.window.Proctime && o.isFired(x.end) {
			o.late(1)
			o.empty = append(o.empty, key)
			return nil
		}
		o.insert(key, x, t)
		o.put(row, x, t)
		return nil
	}
	first := o.touched[len(o.touched)-1]
	id := o.openID.At(first)
	if len(o.touched) > 1 {
		// Rows before this one belong to the sessions as they were.
		if err := o.fold(b); err != nil {
			return err
		}
		if err := o.merge(b, row); err != nil {
			return err
		}
	}
	x = o.grow(key, first, x)
	o.put(row, x, id)
	return nil
}

func (o *SessionWindowAgg) put(row int32, x extent, id int64) {
	o.id.I64[row], o.extents[row] = id, x
	o.kept = append(o.kept, row)
}

// overlaps lists the open sessions that x touches in o.touched, the latest
// first. Sessions exactly a gap apart touch.
func (o *SessionWindowAgg) overlaps(key int32, x extent) {
	o.touched = o.touched[:0]
	o.key = state.AppendSortI64(o.key[:0], x.end+1, false)
	at := o.open.Seek(key, o.key)
	if at < 0 {
		at = o.open.Last(key)
	} else {
		at = o.open.Prev(at)
	}
	for ; at >= 0 && o.openEnd.At(at) >= x.start; at = o.open.Prev(at) {
		o.touched = append(o.touched, at)
	}
}

func (o *SessionWindowAgg) insert(key int32, x extent, id int64) {
	o.key = state.AppendSortI64(o.key[:0], x.start, false)
	at, _ := o.open.Insert(key, o.key)
	o.openStart.Set(at, x.start)
	o.openEnd.Set(at, x.end)
	o.openID.Set(at, id)
}

// grow makes session first cover x and all touched ones, which it replaces.
func (o *SessionWindowAgg) grow(key, first int32, x extent) extent {
	start, id := o.openStart.At(first), o.openID.At(first)
	for _, s := range o.touched {
		x.end = max(x.end, o.openEnd.At(s))
	}
	if x.start >= start && len(o.touched) == 1 {
		x.start = start
		if o.openEnd.At(first) != x.end {
			o.open.TouchOne(first)
			o.openEnd.Set(first, x.end)
		}
		return x
	}
	x.start = min(x.start, start)
	for _, s := range o.touched {
		o.open.Remove(s)
	}
	o.insert(key, x, id)
	return x
}

// merge folds the touched sessions of row's key into the earliest.
func (o *SessionWindowAgg) merge(b *vec.Batch, row int32) error {
	last := len(o.touched) - 1
	ids := make([]int64, last+1)
	for i, s := range o.touched {
		ids[last-i] = o.openID.At(s)
	}
	slots := make([]int32, last+1)
	rows := []int32{row}
	for i, id := range ids {
		o.id.I64[row] = id
		o.find(b, rows)
		slots[i] = o.probe.Slots[0]
	}
	for _, from := range slots[1:] {
		if o.spec.InputRetract {
			*o.rows.Ptr(slots[0]) += o.rows.At(from)
		}
		if err := o.aggs.merge(slots[:1], []int32{from}); err != nil {
			return err
		}
	}
	o.table.Delete(slots[1:])
	return nil
}

// fold adds the rows placed so far to their sessions.
func (o *SessionWindowAgg) fold(b *vec.Batch) error {
	if len(o.kept) == 0 {
		return nil
	}
	rows := o.kept
	o.find(b, rows)
	slots := o.probe.Slots
	for i, r := range rows {
		s, x := slots[i], o.extents[r]
		if o.probe.New[i] {
			o.timers.SetOne(s, o.clock.fires(x.end))
		}
		o.start.Set(s, x.start)
		o.end.Set(s, x.end)
	}
	err := o.add(b, rows, slots)
	o.kept = o.kept[:0]
	return err
}

// dropEmpty deletes keys that were made for rows that are late.
func (o *SessionWindowAgg) dropEmpty() {
	n := 0
	for _, k := range o.empty {
		if o.open.Len(k) == 0 {
			o.empty[n] = k
			n++
		}
	}
	o.byKey.table.Delete(o.empty[:n])
}

func (o *SessionWindowAgg) Advance(t types.Time, out exec.Output) error {
	if !o.window.Proctime {
		if err := o.fire(t, out); err != nil {
			return err
		}
	}
	return out.Watermark(t)
}

// Wake fires sessions over processing time.
func (o *SessionWindowAgg) Wake(now types.Time, out exec.Output) (types.Time, error) {
	if !o.window.Proctime {
		return types.MaxTime, nil
	}
	err := o.fire(now, out)
	return types.Time(o.timers.Min()), err
}

// fire goes from one time to the next, so that sessions that have grown come
// in order.
func (o *SessionWindowAgg) fire(t types.Time, out exec.Output) error {
	for {
		at := o.timers.Min()
		if at > int64(t) || o.timers.Count() == 0 {
			return o.flush(out)
		}
		o.group = o.pop(at, o.group[:0])
		o.done.reset()
		for _, d := range o.group {
			if f := o.clock.fires(o.end.At(d.Slot)); f > at {
				o.timers.SetOne(d.Slot, f)
			} else {
				o.done.add(d.Slot, o.start.At(d.Slot), o.end.At(d.Slot))
			}
		}
		if err := o.close(out); err != nil {
			return err
		}
	}
}

// close emits and drops the sessions in o.done.
func (o *SessionWindowAgg) close(out exec.Output) error {
	n := len(o.done.slots)
	if n == 0 {
		return nil
	}
	if err := o.emit(out); err != nil {
		return err
	}
	for i, k := range o.keys {
		o.vectors[i].Reset()
		k.AppendAll(o.vectors[i], o.done.slots)
	}
	o.closing.find(&vec.Batch{Cols: o.vectors, N: n}, vec.Identity(n), false)
	o.empty = o.empty[:0]
	for i, k := range o.closing.probe.Slots {
		o.key = state.AppendSortI64(o.key[:0], o.done.starts[i], false)
		o.open.Remove(o.open.Find(k, o.key))
		o.empty = append(o.empty, k)
	}
	o.dropEmpty()
	o.table.Delete(o.done.slots)
	return nil
}

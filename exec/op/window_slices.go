package op

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// SlicedWindowAgg aggregates HOP and CUMULATE windows: a row is folded once,
// into its slice, and a window is merged from slices when it fires.
//
// The table's number is the end of the slice; a merged window has the number
// start − mergedBase. Each row has one timer, for the next window that it
// takes part in, whose end is in next. A merged HOP window is gone after it
// was emitted; that of CUMULATE stays for the next step.
type SlicedWindowAgg struct {
	windows
	assign assigner
	next   state.Col[int64]

	nexts   []int64 // of new slices, by physical row
	group   []state.Due
	ordered []int32
	slices  []int32
	vectors []*vec.Vector // keys of slices
	groups  []uint64
	merged  distinct
	gone    []int32
}

// mergedBase is beyond all times.
const mergedBase = int64(1) << 61

func newSliced(s WindowAggSpec) *SlicedWindowAgg {
	o := &SlicedWindowAgg{windows: newWindows(s, clockOf(s.Zone, s.Window.LTZ)), assign: newAssigner(*s.Window)}
	o.layout.Values = append(o.layout.Values, state.I64)
	o.addAggs()
	for _, k := range s.Keys {
		o.vectors = append(o.vectors, vec.New(s.Inputs[0][k].Type))
	}
	return o
}

func (o *SlicedWindowAgg) Open(ctx *exec.Context) error {
	if err := o.windows.Open(ctx); err != nil {
		return err
	}
	o.next = o.table.I64Col(windowCols)
	return nil
}

func (o *SlicedWindowAgg) Process(_ int, b *vec.Batch, _ exec.Output) (err error) {
	rows := b.Rows()
	if o.times, err = rowTimes(&o.assign.Window, &o.clock, o.ctx.Now, b, rows, o.times); err != nil {
		return err
	}
	o.id.Resize(b.N)
	o.nexts = grown(o.nexts, b.N)
	if rows = o.place(rows); len(rows) == 0 {
		return nil
	}
	o.find(b, rows)
	for i, isNew := range o.probe.New {
		if isNew {
			o.schedule(o.probe.Slots[i], o.nexts[rows[i]])
		}
	}
	return o.add(b, rows, o.probe.Slots)
}

// schedule says which window a row takes part in next.
func (o *SlicedWindowAgg) schedule(slot int32, end int64) {
	o.next.Set(slot, end)
	o.timers.SetOne(slot, o.clock.fires(end))
}

// place sets the slices of rows and their next windows, and returns the rows
// that are not late.
func (o *SlicedWindowAgg) place(rows []int32) []int32 {
	kept, late := o.kept[:0], 0
	var from, end, next, last int64
	some := false // HOP with gaps: the slice is in a window
	for _, r := range rows {
		if t := o.times[r]; t < from || t >= end {
			end = o.assign.sliceEnd(t)
			from = end - o.assign.slice
			next, last = o.open(end)
			first, _ := o.assign.ends(end)
			some = first <= last
		}
		switch {
		case next <= last:
			o.id.I64[r], o.nexts[r] = o.slice(end, next), next
			kept = append(kept, r)
		case some:
			late++
		}
	}
	o.late(late)
	o.kept = kept
	return kept
}

// slice is where a row of a slice is kept. A slice of CUMULATE has been
// merged when its first window fired: a row that comes later waits for the
// next one.
func (o *SlicedWindowAgg) slice(end, next int64) int64 {
	if o.assign.Kind == Cumulate {
		return next
	}
	return end
}

// open is the next window of a slice that has not fired, and its last one.
func (o *SlicedWindowAgg) open(slice int64) (next, last int64) {
	next, last = o.assign.ends(slice)
	if o.assign.Proctime {
		return next, last
	}
	for next <= last && o.isFired(next) {
		next += o.assign.Slide
	}
	return next, last
}

func (o *SlicedWindowAgg) Advance(t types.Time, out exec.Output) error {
	if !o.assign.Proctime {
		if err := o.fire(t, out); err != nil {
			return err
		}
	}
	return out.Watermark(t)
}

// Wake fires windows over processing time.
func (o *SlicedWindowAgg) Wake(now types.Time, out exec.Output) (types.Time, error) {
	if !o.assign.Proctime {
		return types.MaxTime, nil
	}
	err := o.fire(now, out)
	return types.Time(o.timers.Min()), err
}

// fire goes from one firing time to the next, for each sets timers of the
// following windows.
func (o *SlicedWindowAgg) fire(t types.Time, out exec.Output) error {
	for {
		at := o.timers.Min()
		if at > int64(t) || o.timers.Count() == 0 {
			return o.flush(out)
		}
		o.group = o.pop(at, o.group[:0])
		if o.clock.zone != nil {
			// Where the clock is put forward, several windows fire at once.
			slices.SortStableFunc(o.group, func(a, b state.Due) int { return int(o.next.At(a.Slot) - o.next.At(b.Slot)) })
		}
		for from := 0; from < len(o.group); {
			end, n := o.next.At(o.group[from].Slot), from+1
			for n < len(o.group) && o.next.At(o.group[n].Slot) == end {
				n++
			}
			if err := o.window(o.group[from:n], end, out); err != nil {
				return err
			}
			from = n
		}
	}
}

// pop takes all timers of a time.
func (w *windows) pop(at int64, to []state.Due) []state.Due {
	if w.due == nil {
		w.due = make([]state.Due, 4096)
	}
	for {
		n := w.timers.PopDue(at, w.due)
		if n == 0 {
			return to
		}
		to = append(to, w.due[:n]...)
	}
}

// window merges and emits the window with the given end.
func (o *SlicedWindowAgg) window(due []state.Due, end int64, out exec.Output) error {
	start := o.assign.start(end)
	o.order(due)
	o.merged.begin()
	for from := 0; from < len(o.ordered); from += vec.MaxRows {
		if err := o.merge(start-mergedBase, o.ordered[from:min(from+vec.MaxRows, len(o.ordered))]); err != nil {
			return err
		}
	}
	o.done.reset()
	for _, s := range o.merged.slots {
		o.done.add(s, start, end)
	}
	if err := o.emit(out); err != nil {
		return err
	}
	o.after(start, end)
	return nil
}

// order sorts the slots of a window by slice, so that aggregates that care
// see values in the order of slices; the merged one of CUMULATE is first.
func (o *SlicedWindowAgg) order(due []state.Due) {
	o.ordered = o.ordered[:0]
	sorted := true
	for i, d := range due {
		o.ordered = append(o.ordered, d.Slot)
		sorted = sorted && (i == 0 || o.ids.At(due[i-1].Slot) <= o.ids.At(d.Slot))
	}
	if !sorted {
		slices.SortStableFunc(o.ordered, func(a, b int32) int {
			x, y := o.ids.At(a), o.ids.At(b)
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	}
}

// merge folds slices into the merged window of their keys, which has the
// number id.
func (o *SlicedWindowAgg) merge(id int64, slots []int32) error {
	o.slices = o.slices[:0]
	for _, s := range slots {
		if o.ids.At(s) == id {
			o.merged.add(s)
		} else {
			o.slices = append(o.slices, s)
		}
	}
	if len(o.slices) == 0 {
		return nil
	}
	to := o.mergedOf(id, o.slices)
	for _, s := range to {
		o.merged.add(s)
	}
	o.table.Touch(slots)
	o.table.Touch(to)
	if o.spec.InputRetract {
		for i, s := range to {
			*o.rows.Ptr(s) += o.rows.At(o.slices[i])
		}
	}
	return o.aggs.merge(to, o.slices)
}

// mergedOf finds or makes the merged windows of the keys of slices.
func (o *SlicedWindowAgg) mergedOf(id int64, slices []int32) []int32 {
	n := len(slices)
	o.vs = o.vs[:0]
	for i, k := range o.keys {
		o.vectors[i].Reset()
		k.AppendAll(o.vectors[i], slices)
		o.vs = append(o.vs, o.vectors[i])
	}
	o.id.Resize(n)
	o.groups = o.groups[:0]
	for i, s := range slices {
		o.id.I64[i] = id
		o.groups = append(o.groups, uint64(o.table.KeyGroup(s)))
	}
	o.vs = append(o.vs, o.id)
	p, rows := &o.probe, vec.Identity(n)
	o.hash = vec.HashRows(o.vs, rows, n, o.hash)
	p.Groups, p.Hashes, p.Keys, p.Rows, p.N = o.groups, o.hash, o.key.Of(o.vs, rows), rows, n
	o.table.FindOrInsert(p)
	return p.Slots
}

// after schedules what takes part in a further window, and drops the rest.
func (o *SlicedWindowAgg) after(start, end int64) {
	o.gone = o.gone[:0]
	next := end + o.assign.Slide
	if o.assign.Kind == Cumulate {
		o.gone = append(o.gone, o.slicesOf(start)...)
		o.keep(o.merged.slots, next, func(int32) bool { return next <= start+o.assign.Size })
	} else {
		o.gone = append(o.gone, o.merged.slots...)
		o.keep(o.ordered, next, func(s int32) bool {
			_, last := o.assign.ends(o.ids.At(s))
			return next <= last
		})
	}
	o.table.Delete(o.gone)
}

// slicesOf are the slots of the window that are slices.
func (o *SlicedWindowAgg) slicesOf(start int64) []int32 {
	o.slices = o.slices[:0]
	for _, s := range o.ordered {
		if o.ids.At(s) != start-mergedBase {
			o.slices = append(o.slices, s)
		}
	}
	return o.slices
}

// keep schedules slots for the next window if they take part in it.
func (o *SlicedWindowAgg) keep(slots []int32, next int64, takesPart func(slot int32) bool) {
	for _, s := range slots {
		if takesPart(s) {
			o.schedule(s, next)
		} else {
			o.gone = append(o.gone, s)
		}
	}
}

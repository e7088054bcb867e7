package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// WindowAgg aggregates by key and window and emits a window when it fires. It
// keeps a row of accumulators for each key and window: TUMBLE, windows that
// were assigned before, and overlapping windows whose aggregates cannot be
// merged from slices.
type WindowAgg struct {
	windows
	assign *assigner // nil: windows were assigned before
}

// NewWindowAgg makes the operator for the kind of window.
func NewWindowAgg(s WindowAggSpec) (exec.Operator, error) {
	w := s.Window
	switch {
	case w == nil:
		return newDirect(s, nil, clockOf(s.Zone, s.LTZ)), nil
	case w.Kind == Session:
		return newSessions(s), nil
	case w.Kind != Tumble && !anyDistinct(s.Aggs):
		return newSliced(s), nil
	}
	a := newAssigner(*w)
	return newDirect(s, &a, clockOf(s.Zone, w.LTZ)), nil
}

func anyDistinct(calls []AggCall) bool {
	for _, c := range calls {
		if c.Distinct {
			return true
		}
	}
	return false
}

func newDirect(s WindowAggSpec, a *assigner, c wallClock) *WindowAgg {
	o := &WindowAgg{windows: newWindows(s, c), assign: a}
	o.addAggs()
	return o
}

func (o *WindowAgg) Process(_ int, b *vec.Batch, _ exec.Output) (err error) {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	o.id.Resize(b.N)
	if o.assign == nil {
		return o.assigned(b, rows)
	}
	if o.times, err = rowTimes(&o.assign.Window, &o.clock, o.ctx.Now, b, rows, o.times); err != nil {
		return err
	}
	if o.assign.Kind == Tumble {
		return o.fold(b, o.tumble(rows))
	}
	for nth, more := int64(0), true; more; nth++ {
		if more = o.overlapping(rows, nth); more {
			err = o.fold(b, o.kept)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tumble sets the windows of rows, and returns the rows that are not late.
func (o *WindowAgg) tumble(rows []int32) []int32 {
	a, ends, kept := o.assign, o.id.I64, o.kept[:0]
	var from, end int64
	late := false
	for _, r := range rows {
		if t := o.times[r]; t < from || t >= end {
			end = a.sliceEnd(t)
			from, late = end-a.slice, o.isLate(end)
		}
		if !late {
			ends[r] = end
			kept = append(kept, r)
		}
	}
	o.late(len(rows) - len(kept))
	o.kept = kept
	return kept
}

func (o *WindowAgg) isLate(end int64) bool {
	return (o.assign == nil || !o.assign.Proctime) && o.isFired(end)
}

// overlapping sets the nth window of each row and keeps the rows that have
// one which has not fired; false if no row has an nth window.
func (o *WindowAgg) overlapping(rows []int32, nth int64) bool {
	a, ends, kept := o.assign, o.id.I64, o.kept[:0]
	more, late := false, 0
	for _, r := range rows {
		first, last := a.ends(a.sliceEnd(o.times[r]))
		end := first + nth*a.Slide
		if end > last {
			continue
		}
		more = true
		if !o.isLate(end) {
			ends[r] = end
			kept = append(kept, r)
		} else if end == last {
			late++
		}
	}
	o.late(late)
	o.kept = kept
	return more
}

// assigned takes the windows from the columns of b.
func (o *WindowAgg) assigned(b *vec.Batch, rows []int32) error {
	ends, kept := o.id.I64, o.kept[:0]
	none := wallClock{}
	if _, err := columnTimes(&none, b.Cols[o.spec.EndCol], rows, ends); err != nil {
		return err
	}
	for _, r := range rows {
		if !o.isLate(ends[r]) {
			kept = append(kept, r)
		}
	}
	o.late(len(rows) - len(kept))
	o.kept = kept
	return o.fold(b, kept)
}

// fold adds rows to the windows in o.id.
func (o *WindowAgg) fold(b *vec.Batch, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	o.find(b, rows)
	for i, isNew := range o.probe.New {
		if isNew {
			o.begin(b, rows[i], o.probe.Slots[i])
		}
	}
	return o.windows.add(b, rows, o.probe.Slots)
}

// begin sets what belongs to a new window.
func (o *WindowAgg) begin(b *vec.Batch, row, slot int32) {
	end := o.id.I64[row]
	o.timers.SetOne(slot, o.clock.fires(end))
	switch {
	case o.assign != nil:
		o.start.Set(slot, o.assign.start(end))
	case o.spec.StartCol >= 0:
		o.start.Set(slot, int64(types.FromMicros(b.Cols[o.spec.StartCol].I64[row])))
	}
}

func (o *WindowAgg) Advance(t types.Time, out exec.Output) error {
	if o.assign == nil || !o.assign.Proctime {
		if err := o.fire(t, out); err != nil {
			return err
		}
	}
	return out.Watermark(t)
}

// Wake fires windows over processing time.
func (o *WindowAgg) Wake(now types.Time, out exec.Output) (types.Time, error) {
	if o.assign == nil || !o.assign.Proctime {
		return types.MaxTime, nil
	}
	err := o.fire(now, out)
	return types.Time(o.timers.Min()), err
}

func (o *WindowAgg) fire(t types.Time, out exec.Output) error {
	if o.timers.Min() > int64(t) {
		return nil
	}
	if o.due == nil {
		o.due = make([]state.Due, 4096)
	}
	for {
		n := o.timers.PopDue(int64(t), o.due)
		if n == 0 {
			return o.flush(out)
		}
		o.done.reset()
		for _, d := range o.due[:n] {
			o.done.add(d.Slot, o.start.At(d.Slot), o.ids.At(d.Slot))
		}
		if err := o.emit(out); err != nil {
			return err
		}
		o.table.Delete(o.done.slots)
	}
}

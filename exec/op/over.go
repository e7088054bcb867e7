package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// NewOver makes the operator: by event time, by arrival, or by the order of
// another column.
func NewOver(s OverSpec) (exec.Operator, error) {
	if s.Time < 0 && !s.Proctime {
		return newOrderedOver(s)
	}
	return newTimedOver(s)
}

// Over computes OVER windows of rows ordered by time. By event time a row
// waits until the watermark reaches it; by processing time it is answered at
// once, but for a bounded RANGE, whose rows of one millisecond are peers.
//
// Late rows are dropped: with an unbounded frame those behind the watermark,
// with a bounded one those that are not after the last row of their partition
// that was answered.
type Over struct {
	spec   OverSpec
	ctx    *exec.Context
	keyed  keyed
	layout state.Layout
	frame  *overFrame
	waits  bool // rows are held back

	table   *state.Table
	seq     state.Col[int64]
	pending *state.SortedRows // rows that wait, by time and arrival
	cols    []*store.Column
	at      state.Col[int64]
	timers  *state.Timers // of a partition's first row that waits
	idle    *state.Timers // when a partition without rows is dropped

	clock  wallClock
	times  []int64 // by physical row of out, or of the input
	rows   []int32
	slots  []int32
	taken  []int32 // rows of pending
	active []int32
	inRun  distinct
	key    []byte
	due    [1024]state.Due
	out    *vec.Batch
	live   []int32
}

func newTimedOver(s OverSpec) (exec.Operator, error) {
	o := &Over{spec: s, layout: layoutOf("partitions", s.Inputs[0], s.Partition), out: batchOf(s.Output)}
	if s.Proctime && s.Preceding < 0 {
		o.spec.Rows = true // each row is answered as it comes
	}
	o.waits = s.Time >= 0 && !s.Proctime || !o.spec.Rows
	o.keyed.cols = s.Partition
	o.layout.Values = []state.Class{state.I64}
	o.layout.Sorted = []state.ListLayout{{Name: "pending", Values: append(store.Classes(s.Inputs[0]), state.I64)}}
	o.layout.Timers = []string{"next", "idle"}
	var err error
	o.frame, err = newOverFrame(o.spec, &o.layout)
	return o, err
}

func (o *Over) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(o.layout)
	if err != nil {
		return err
	}
	o.ctx, o.table, o.keyed.table, o.seq = ctx, t, t, t.I64Col(0)
	o.pending, o.timers, o.idle = t.Sorted(0), t.Timers(0), t.Timers(1)
	o.cols = store.NewColumns(o.pending, 0, o.spec.Inputs[0])
	o.at = o.pending.I64Col(len(o.cols))
	o.frame.open(t)
	return nil
}

func (o *Over) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows, err := o.timely(b)
	if err != nil || len(rows) == 0 {
		return err
	}
	o.keyed.find(b, rows, true)
	slots := o.keyed.probe.Slots
	o.table.Touch(slots)
	if !o.waits {
		return o.answer(b, rows, slots, out)
	}
	for i, r := range rows {
		o.hold(b, int(r), slots[i])
	}
	return nil
}

// timely sets the times of the rows, and leaves late ones of an unbounded
// frame out.
func (o *Over) timely(b *vec.Batch) (rows []int32, err error) {
	rows = b.Rows()
	o.times = grown(o.times, b.N)
	if o.spec.Proctime {
		for _, r := range rows {
			o.times[r] = int64(o.ctx.Now)
		}
		return rows, nil
	}
	if o.times, err = columnTimes(&o.clock, b.Cols[o.spec.Time], rows, o.times); err != nil || o.spec.Preceding >= 0 {
		return rows, err
	}
	o.live = o.live[:0]
	for _, r := range rows {
		if o.times[r] > int64(o.ctx.Watermark) {
			o.live = append(o.live, r)
		}
	}
	o.ctx.Metrics.Late.Add(int64(len(rows) - len(o.live)))
	return o.live, nil
}

// hold keeps a row until its time has come.
func (o *Over) hold(b *vec.Batch, row int, slot int32) {
	t := o.times[row]
	if o.spec.Preceding >= 0 && !o.spec.Proctime && o.frame.n.At(slot) > 0 && t <= o.frame.last.At(slot) {
		o.ctx.Metrics.Late.Add(1)
		return
	}
	*o.seq.Ptr(slot)++
	o.key = state.AppendSortI64(o.key[:0], t, false)
	o.key = state.AppendSortI64(o.key, o.seq.At(slot), false)
	at, _ := o.pending.Insert(slot, o.key)
	for c, col := range o.cols {
		col.Put(at, b.Cols[c], row)
	}
	o.at.Set(at, t)
	o.schedule(slot, t)
}

// schedule sets the partition's timer to its earliest row.
func (o *Over) schedule(slot int32, t int64) {
	if first, ok := o.timers.First(slot); ok {
		if first <= t {
			return
		}
		o.timers.Cancel(slot, first)
	}
	o.timers.SetOne(slot, t)
}

// answer computes the rows as they came, a run of rows of different
// partitions at a time.
func (o *Over) answer(b *vec.Batch, rows, slots []int32, out exec.Output) error {
	o.out.Reset()
	for c := range o.cols {
		o.out.Cols[c].AppendRows(b.Cols[c], rows, len(rows))
	}
	o.out.N = len(rows)
	all := vec.Identity(len(rows))
	for lo := 0; lo < len(rows); {
		o.inRun.begin()
		hi := lo
		for hi < len(rows) && o.inRun.add(slots[hi]) {
			hi++
		}
		if err := o.frame.step(o.ctx, o.out, all[lo:hi], slots[lo:hi], o.times, o.results()); err != nil {
			return err
		}
		lo = hi
	}
	return o.emit(out)
}

func (o *Over) results() []*vec.Vector { return o.out.Cols[len(o.cols):] }

func (o *Over) emit(out exec.Output) error {
	if o.out.N == 0 {
		return nil
	}
	err := out.Emit(o.out)
	o.out.Reset()
	return err
}

// Advance answers the rows that the watermark has reached.
func (o *Over) Advance(t types.Time, out exec.Output) error {
	if o.spec.Proctime {
		return out.Watermark(t)
	}
	if err := o.fire(int64(t), out); err != nil {
		return err
	}
	return out.Watermark(t)
}

// Wake answers the rows of the milliseconds that are over.
func (o *Over) Wake(now types.Time, out exec.Output) (types.Time, error) {
	if !o.spec.Proctime || !o.waits {
		return types.MaxTime, nil
	}
	if err := o.fire(int64(now)-1, out); err != nil {
		return 0, err
	}
	next := min(o.timers.Min(), o.idle.Min())
	if next == int64(types.MaxTime) {
		return types.MaxTime, nil
	}
	return types.Time(next + 1), nil
}

func (o *Over) fire(t int64, out exec.Output) error {
	o.out.Reset()
	for n := o.timers.PopDue(t, o.due[:]); n > 0; n = o.timers.PopDue(t, o.due[:]) {
		o.active = o.active[:0]
		for _, d := range o.due[:n] {
			o.active = append(o.active, d.Slot)
		}
		for len(o.active) > 0 {
			if err := o.wave(t, out); err != nil {
				return err
			}
		}
	}
	o.dropIdle(t)
	return o.emit(out)
}

// wave answers the next row, or the next peers, of each active partition.
func (o *Over) wave(t int64, out exec.Output) error {
	from := o.out.N
	o.taken, o.slots = o.taken[:0], o.slots[:0]
	on := o.active[:0]
	for _, s := range o.active {
		if o.take(s, t) {
			on = append(on, s)
		}
	}
	o.active = on
	if len(o.taken) == 0 {
		return nil
	}
	o.load(from)
	if err := o.frame.step(o.ctx, o.out, o.rows, o.slots, o.times, o.results()); err != nil {
		return err
	}
	for _, at := range o.taken {
		o.pending.Remove(at)
	}
	if o.out.N < vec.MaxRows {
		return nil
	}
	return o.emit(out)
}

// take collects rows of a partition; false: it has none up to t.
func (o *Over) take(slot int32, t int64) bool {
	at := o.pending.First(slot)
	if at < 0 {
		o.sleep(slot)
		return false
	}
	first := o.at.At(at)
	if first > t {
		o.schedule(slot, first)
		return false
	}
	for ; at >= 0 && o.at.At(at) == first; at = o.pending.Next(at) {
		o.taken, o.slots = append(o.taken, at), append(o.slots, slot)
		if o.spec.Rows {
			break
		}
	}
	return true
}

// load appends the rows taken to the output's input columns.
func (o *Over) load(from int) {
	for c, col := range o.cols {
		col.AppendAll(o.out.Cols[c], o.taken)
	}
	o.out.N = from + len(o.taken)
	o.times, o.rows = grownKeep(o.times, o.out.N), o.rows[:0]
	for i, at := range o.taken {
		o.times[from+i] = o.at.At(at)
		o.rows = append(o.rows, int32(from+i))
	}
}

func grownKeep(s []int64, n int) []int64 {
	for len(s) < n {
		s = append(s, 0)
	}
	return s
}

// sleep sets the time at which a partition of a bounded RANGE is dropped if
// nothing comes: when no row in its frame can count any more, and half as
// long again, as in Flink.
func (o *Over) sleep(slot int32) {
	if o.spec.Rows || o.spec.Preceding < 0 || o.idle.Len(slot) > 0 {
		return
	}
	o.idle.SetOne(slot, o.endOf(slot))
}

func (o *Over) endOf(slot int32) int64 {
	return o.frame.last.At(slot) + o.spec.Preceding + o.spec.Preceding/2 + 1
}

func (o *Over) dropIdle(t int64) {
	for n := o.idle.PopDue(t, o.due[:]); n > 0; n = o.idle.PopDue(t, o.due[:]) {
		o.live = o.live[:0]
		for _, d := range o.due[:n] {
			switch end := o.endOf(d.Slot); {
			case end > t:
				o.idle.SetOne(d.Slot, end)
			case o.pending.Len(d.Slot) == 0:
				o.live = append(o.live, d.Slot)
			}
		}
		o.table.Delete(o.live)
	}
}

func (o *Over) Close() error { return nil }

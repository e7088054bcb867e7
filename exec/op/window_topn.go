package op

import (
	"bytes"
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// WindowTopN keeps the first To rows of each partition and window, and emits
// those from From on when the window fires: the earliest window first, in a
// window by rank. Equal rows rank by arrival.
type WindowTopN struct {
	spec   WindowTopNSpec
	ctx    *exec.Context
	clock  wallClock
	fired  firedCache
	layout state.Layout
	keyed  keyed
	timers *state.Timers
	rows   *state.SortedRows
	cols   []*store.Column
	seq    state.Col[int64]
	ends   []int64 // ms, by physical row
	kept   []int32
	key    []byte
	due    []state.Due
	slots  []int32
	out    *vec.Batch
}

// NewWindowTopN makes the operator.
func NewWindowTopN(s WindowTopNSpec) (exec.Operator, error) {
	in := s.Inputs[0]
	key := append(append([]int{}, s.Partition...), s.EndCol)
	o := &WindowTopN{spec: s, clock: clockOf(s.Zone, s.LTZ), keyed: keyed{cols: key, own: true},
		layout: layoutOf("windows", in, key), out: batchOf(s.Output)}
	o.layout.Values = []state.Class{state.I64}
	o.layout.Sorted = []state.ListLayout{{Name: "rows", Values: store.Classes(in)}}
	o.layout.Timers = []string{"fire"}
	return o, nil
}

func (o *WindowTopN) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(o.layout)
	if err != nil {
		return err
	}
	o.ctx, o.keyed.table, o.timers, o.rows, o.seq = ctx, t, t.Timers(0), t.Sorted(0), t.I64Col(0)
	o.cols = store.NewColumns(o.rows, 0, o.spec.Inputs[0])
	return nil
}

func (o *WindowTopN) Process(_ int, b *vec.Batch, _ exec.Output) (err error) {
	rows := b.Rows()
	none := wallClock{}
	if o.ends, err = columnTimes(&none, b.Cols[o.spec.EndCol], rows, grown(o.ends, b.N)); err != nil {
		return err
	}
	o.kept = o.kept[:0]
	for _, r := range rows {
		if !o.fired.at(o.ends[r], o.ctx.Watermark, &o.clock) {
			o.kept = append(o.kept, r)
		}
	}
	if late := len(rows) - len(o.kept); late > 0 {
		o.ctx.Metrics.Late.Add(int64(late))
	}
	if len(o.kept) == 0 {
		return nil
	}
	o.keyed.find(b, o.kept, true)
	p := &o.keyed.probe
	o.keyed.table.Touch(p.Slots)
	for i, r := range o.kept {
		if p.New[i] {
			o.timers.SetOne(p.Slots[i], o.clock.fires(o.ends[r]))
		}
		o.offer(b, r, p.Slots[i])
	}
	return nil
}

// offer keeps a row if it is among the first To of its window.
func (o *WindowTopN) offer(b *vec.Batch, r, slot int32) {
	o.key = sortKey(o.key[:0], o.spec.Order, b, r)
	if int64(o.rows.Len(slot)) >= o.spec.To {
		last := o.rows.Last(slot)
		k := o.rows.Key(last)
		if bytes.Compare(o.key, k[:len(k)-8]) >= 0 {
			return
		}
		o.rows.Remove(last)
	}
	p := o.seq.Ptr(slot)
	*p++
	o.key = binary.BigEndian.AppendUint64(o.key, uint64(*p))
	at, _ := o.rows.Insert(slot, o.key)
	for i, c := range o.cols {
		c.Put(at, b.Cols[i], int(r))
	}
}

func (o *WindowTopN) Advance(t types.Time, out exec.Output) error {
	if o.timers.Min() > int64(t) {
		return out.Watermark(t)
	}
	if o.due == nil {
		o.due = make([]state.Due, 4096)
	}
	for {
		n := o.timers.PopDue(int64(t), o.due)
		if n == 0 {
			break
		}
		o.slots = o.slots[:0]
		for _, d := range o.due[:n] {
			o.slots = append(o.slots, d.Slot)
			if err := o.window(d.Slot, out); err != nil {
				return err
			}
		}
		o.keyed.table.Delete(o.slots)
	}
	if err := o.flush(out); err != nil {
		return err
	}
	return out.Watermark(t)
}

// window emits the rows of a window.
func (o *WindowTopN) window(slot int32, out exec.Output) error {
	rank := int64(1)
	for at := o.rows.First(slot); at >= 0; at = o.rows.Next(at) {
		if rank >= o.spec.From {
			o.row(at, rank)
		}
		rank++
	}
	if o.out.N >= vec.MaxRows {
		return o.flush(out)
	}
	return nil
}

func (o *WindowTopN) row(at int32, rank int64) {
	for i, c := range o.cols {
		c.Append(o.out.Cols[i], at)
	}
	if o.spec.OutputRank {
		n := len(o.cols)
		o.out.Cols[n].I64 = append(o.out.Cols[n].I64, rank)
	}
	o.out.N++
}

func (o *WindowTopN) flush(out exec.Output) error {
	if o.out.N == 0 {
		return nil
	}
	err := out.Emit(o.out)
	o.out.Reset()
	return err
}

func (o *WindowTopN) Close() error { return nil }

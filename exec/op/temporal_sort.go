package op

import (
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// TemporalSort holds rows back until the watermark has passed them, and emits
// them in order of time, then of the further columns, then of arrival. A row
// is late if one of its time or a later one has been emitted, as in Flink.
//
// All rows lie in the ordered map of one table row, for there is no key.
type TemporalSort struct {
	spec   TemporalSortSpec
	ctx    *exec.Context
	layout state.Layout
	table  *state.Table
	rows   *state.SortedRows
	cols   []*store.Column
	seq    state.Col[int64]
	sent   state.Col[int64] // time of the last row emitted, µs
	slot   int32            // −1: no row yet
	key    []byte
	out    *vec.Batch
}

// NewTemporalSort makes the operator.
func NewTemporalSort(s TemporalSortSpec) (exec.Operator, error) {
	o := &TemporalSort{spec: s, layout: layoutOf("sort", s.Inputs[0], nil), out: batchOf(s.Output)}
	o.layout.Values = []state.Class{state.I64, state.I64}
	o.layout.Sorted = []state.ListLayout{{Name: "rows", Values: store.Classes(s.Inputs[0])}}
	return o, nil
}

func (o *TemporalSort) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(o.layout)
	if err != nil {
		return err
	}
	o.ctx, o.table, o.rows, o.seq, o.sent, o.slot = ctx, t, t.Sorted(0), t.I64Col(0), t.I64Col(1), -1
	o.cols = store.NewColumns(o.rows, 0, o.spec.Inputs[0])
	var slots [1]int32
	if n, _ := t.Scan(0, slots[:]); n > 0 {
		o.slot = slots[0]
	}
	return nil
}

// only finds the one row of the table, or makes it.
func (o *TemporalSort) only() int32 {
	if o.slot < 0 {
		p := state.Probe{Hashes: vec.HashRows(nil, vec.Identity(1), 1, nil), N: 1}
		o.table.FindOrInsert(&p)
		o.slot = p.Slots[0]
		o.sent.Set(o.slot, minInt64)
	}
	o.table.TouchOne(o.slot)
	return o.slot
}

func (o *TemporalSort) Process(_ int, b *vec.Batch, _ exec.Output) error {
	slot := o.only()
	times := b.Cols[o.spec.Time]
	for _, r := range b.Rows() {
		if times.IsNull(int(r)) {
			return errNullTime
		}
		if times.I64[r] <= o.sent.At(slot) {
			o.ctx.Metrics.Late.Add(1)
			continue
		}
		o.key = state.AppendSortI64(o.key[:0], times.I64[r], false)
		o.key = sortKey(o.key, o.spec.Order, b, r)
		p := o.seq.Ptr(slot)
		*p++
		o.key = binary.BigEndian.AppendUint64(o.key, uint64(*p))
		at, _ := o.rows.Insert(slot, o.key)
		for i, c := range o.cols {
			c.Put(at, b.Cols[i], int(r))
		}
	}
	return nil
}

func (o *TemporalSort) Advance(t types.Time, out exec.Output) error {
	if o.slot >= 0 && o.rows.Len(o.slot) > 0 {
		if err := o.release(t, out); err != nil {
			return err
		}
	}
	return out.Watermark(t)
}

// release emits the rows up to t.
func (o *TemporalSort) release(t types.Time, out exec.Output) error {
	slot, times := o.only(), o.out.Cols[o.spec.Time]
	for at := o.rows.First(slot); at >= 0; at = o.rows.First(slot) {
		o.cols[o.spec.Time].Append(times, at)
		us := times.I64[o.out.N]
		if types.FromMicros(us) > t {
			break
		}
		for i, c := range o.cols {
			if i != o.spec.Time {
				c.Append(o.out.Cols[i], at)
			}
		}
		o.sent.Set(slot, us)
		o.rows.Remove(at)
		if o.out.N++; o.out.N >= vec.MaxRows {
			if err := out.Emit(o.out); err != nil {
				return err
			}
			o.out.Reset()
		}
	}
	if o.out.N > 0 {
		times.I64 = times.I64[:o.out.N]
		if err := out.Emit(o.out); err != nil {
			return err
		}
	}
	o.out.Reset()
	return nil
}

func (o *TemporalSort) Close() error { return nil }

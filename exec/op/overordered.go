package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// OrderedOver computes OVER windows of rows ordered by a column that is no
// time. All rows are kept, with the results that were emitted: a row that
// comes or goes changes those behind it. The partitions of a batch that
// changed are computed again from their first row, once a batch.
type OrderedOver struct {
	spec   OverSpec
	ctx    *exec.Context
	keyed  keyed
	layout state.Layout
	table  *state.Table
	seq    state.Col[int64]
	rows   *state.SortedRows
	cols   []*store.Column // input columns, then results
	shown  state.Col[bool] // the row has been emitted
	inputs int

	// The running values of the partition that is being computed.
	running state.Layout
	scratch *state.Table
	probe   state.Probe
	frame   *overFrame

	touched distinct
	work    *vec.Batch // rows of the partition, with their new results
	at      []int32    // their numbers
	one     []int32
	slots   []int32
	times   []int64
	peers   int64
	key     []byte
	last    []byte
	out     *vec.Batch
	dead    []int32
}

func newOrderedOver(s OverSpec) (exec.Operator, error) {
	o := &OrderedOver{spec: s, inputs: len(s.Inputs[0]), layout: layoutOf("partitions", s.Inputs[0], s.Partition),
		running: state.Layout{Name: "running", Version: 1}, work: batchOf(s.Output), out: batchOf(s.Output)}
	o.keyed.cols = s.Partition
	o.layout.Values = []state.Class{state.I64}
	o.layout.Sorted = []state.ListLayout{{Name: "rows", Values: append(store.Classes(s.Output), state.Bool)}}
	var err error
	o.frame, err = newOverFrame(s, &o.running)
	return o, err
}

func (o *OrderedOver) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(o.layout)
	if err != nil {
		return err
	}
	if o.scratch, err = ctx.State.Table(o.running); err != nil {
		return err
	}
	o.ctx, o.table, o.keyed.table, o.seq, o.rows = ctx, t, t, t.I64Col(0), t.Sorted(0)
	o.cols = store.NewColumns(o.rows, 0, o.spec.Output)
	o.shown = o.rows.BoolCol(len(o.cols))
	o.probe = state.Probe{Hashes: []uint64{0}, N: 1}
	o.frame.open(o.scratch)
	return nil
}

func (o *OrderedOver) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	o.keyed.find(b, rows, true)
	o.out.Reset()
	o.touched.begin()
	o.table.Touch(o.keyed.probe.Slots)
	for i, r := range rows {
		s := o.keyed.probe.Slots[i]
		o.touched.add(s)
		if b.Op(int(r)).Retracts() {
			o.remove(b, int(r), s)
		} else {
			o.insert(b, int(r), s)
		}
	}
	o.dead = o.dead[:0]
	for _, s := range o.touched.slots {
		if o.rows.Len(s) == 0 {
			o.dead = append(o.dead, s)
		} else if err := o.compute(s, out); err != nil {
			return err
		}
	}
	o.table.Delete(o.dead)
	return o.emit(out)
}

// sortKey is the row's place; rows of one value are peers.
func (o *OrderedOver) sortKey(b *vec.Batch, row int) {
	k := o.spec.Order[0]
	o.key = store.SortKeyNulls(o.key[:0], b.Cols[k.Col], row, k.Desc, k.NullsLast)
}

func (o *OrderedOver) insert(b *vec.Batch, row int, slot int32) {
	o.sortKey(b, row)
	*o.seq.Ptr(slot)++
	o.key = state.AppendSortI64(o.key, o.seq.At(slot), false)
	at, _ := o.rows.Insert(slot, o.key)
	for c, v := range b.Cols {
		o.cols[c].Put(at, v, row)
	}
	o.shown.Set(at, false)
}

// remove takes a row back, the latest of equal ones; one that never came is
// left out.
func (o *OrderedOver) remove(b *vec.Batch, row int, slot int32) {
	o.sortKey(b, row)
	found := int32(-1)
	n := len(o.key)
	for at := o.rows.Seek(slot, o.key); at >= 0 && string(o.rows.Key(at)[:min(n, len(o.rows.Key(at)))]) == string(o.key); at = o.rows.Next(at) {
		if o.equal(at, b, row) {
			found = at
		}
	}
	if found < 0 {
		return
	}
	if o.shown.At(found) {
		o.add(vec.Delete, found, nil, 0)
	}
	o.rows.Remove(found)
}

func (o *OrderedOver) equal(at int32, b *vec.Batch, row int) bool {
	for c, v := range b.Cols {
		if !o.cols[c].Equal(at, v, row) {
			return false
		}
	}
	return true
}

// compute folds a partition from its first row on, and emits what changed.
func (o *OrderedOver) compute(slot int32, out exec.Output) error {
	o.scratch.FindOrInsert(&o.probe)
	running := o.probe.Slots[0]
	o.peers = 0
	at := o.rows.First(slot)
	for at >= 0 {
		o.work.Reset()
		o.at = o.at[:0]
		for at >= 0 && len(o.at) < vec.MaxRows {
			next, err := o.foldPeers(at, running)
			if err != nil {
				return err
			}
			at = next
		}
		if err := o.changes(out); err != nil {
			return err
		}
	}
	o.scratch.Delete([]int32{running})
	return nil
}

// foldPeers folds the row at and its peers, and returns the row behind them.
func (o *OrderedOver) foldPeers(at, running int32) (next int32, err error) {
	from := len(o.at)
	if o.peers == 0 || string(o.place(at)) != string(o.last) {
		o.last = append(o.last[:0], o.place(at)...)
		o.peers++
	}
	for next = at; next >= 0 && string(o.place(next)) == string(o.last); next = o.rows.Next(next) {
		o.at = append(o.at, next)
		if o.spec.Rows {
			next = o.rows.Next(next)
			break
		}
	}
	for c, col := range o.cols[:o.inputs] {
		col.AppendAll(o.work.Cols[c], o.at[from:])
	}
	o.work.N = len(o.at)
	o.one, o.slots = o.one[:0], o.slots[:0]
	o.times = grownKeep(o.times, o.work.N)
	for i := from; i < o.work.N; i++ {
		o.one, o.slots, o.times[i] = append(o.one, int32(i)), append(o.slots, running), o.peers
	}
	return next, o.frame.step(o.ctx, o.work, o.one, o.slots, o.times, o.work.Cols[o.inputs:])
}

// place is the part of the key that peers share.
func (o *OrderedOver) place(at int32) []byte {
	k := o.rows.Key(at)
	return k[:len(k)-8]
}

// changes compares the new results with those that were emitted.
func (o *OrderedOver) changes(out exec.Output) error {
	o.rows.Touch(o.at)
	for i, at := range o.at {
		switch {
		case !o.shown.At(at):
			o.add(vec.Insert, at, o.work, i)
			o.shown.Set(at, true)
		case o.same(at, i):
			continue
		default:
			if o.spec.EmitBefore {
				o.add(vec.UpdateBefore, at, nil, 0)
			}
			o.add(vec.UpdateAfter, at, o.work, i)
		}
		for c := o.inputs; c < len(o.cols); c++ {
			o.cols[c].Put(at, o.work.Cols[c], i)
		}
		if o.out.N >= vec.MaxRows {
			if err := o.emit(out); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *OrderedOver) same(at int32, i int) bool {
	for c := o.inputs; c < len(o.cols); c++ {
		if !o.cols[c].Equal(at, o.work.Cols[c], i) {
			return false
		}
	}
	return true
}

// add puts a row out, with the results that are kept, or with row i of those
// in from.
func (o *OrderedOver) add(op vec.Op, at int32, from *vec.Batch, i int) {
	for c, col := range o.cols {
		if from == nil || c < o.inputs {
			col.Append(o.out.Cols[c], at)
		} else {
			o.out.Cols[c].AppendFrom(from.Cols[c], i)
		}
	}
	o.out.Ops = append(o.out.Ops, op)
	o.out.N++
}

func (o *OrderedOver) emit(out exec.Output) error {
	if o.out.N == 0 {
		return nil
	}
	err := out.Emit(o.out)
	o.out.Reset()
	return err
}

func (o *OrderedOver) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (o *OrderedOver) Close() error                                { return nil }

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

// TopN keeps the rows of ranks From…To of each partition and emits how they
// changed: with ranks to show, rank by rank; else the rows that left, then
// those that came.
//
// The rows of a partition lie in an ordered map by the order's sort key and,
// for ties, the number of their arrival. An input of inserts keeps To rows;
// one that takes rows back keeps all of them.
type TopN struct {
	spec   TopNSpec
	ctx    *exec.Context
	layout state.Layout
	keyed  keyed
	rows   *state.SortedRows
	cols   []*store.Column
	seq    state.Col[int64]
	ttl    expiry
	upsert *upsertRows // rows by upsert key; nil: none

	byRank bool // emit rank by rank
	all    bool // rows beyond To are kept
	key    []byte
	parts  []topnPart
	index  slotIndex  // of parts
	gone   *vec.Batch // rows of a view that were removed
	view   []int32
	empty  []int32
	out    *vec.Batch
}

// topnPart is a partition that changes. Old rows are numbers of rows, or, of
// rows that were removed since, ^place in gone.
type topnPart struct {
	slot    int32
	old     []int32 // the view before, if all of it is compared
	left    []int32 // else: old rows that were removed
	entered []int32 // and rows that came
}

// NewTopN makes the operator.
func NewTopN(s TopNSpec) (exec.Operator, error) {
	in := s.Inputs[0]
	updates := s.InputRetract || s.UpsertKey != nil
	o := &TopN{spec: s, layout: layoutOf("partitions", in, s.Partition), all: updates,
		byRank: s.OutputRank || s.From > 1 || s.To == 1 && !updates,
		gone:   batchOf(in), out: batchOf(s.Output)}
	o.keyed = keyed{cols: s.Partition}
	o.layout.Values = []state.Class{state.I64}
	o.layout.Sorted = []state.ListLayout{{Name: "rows", Values: store.Classes(in)}}
	o.layout.TTL = s.TTL > 0
	if s.UpsertKey != nil {
		o.upsert = newUpsertRows(in, s.UpsertKey)
	}
	return o, nil
}

func (o *TopN) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(o.layout)
	if err != nil {
		return err
	}
	o.ctx, o.keyed.table, o.rows, o.seq = ctx, t, t.Sorted(0), t.I64Col(0)
	o.cols = store.NewColumns(o.rows, 0, o.spec.Inputs[0])
	o.ttl = expiry{table: t, ttl: o.spec.TTL}
	if o.upsert != nil {
		return o.upsert.open(ctx)
	}
	return nil
}

func (o *TopN) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	o.keyed.find(b, rows, true)
	slots := o.keyed.probe.Slots
	o.ttl.stamp(slots, o.keyed.probe.New, o.ctx.Now)
	o.keyed.table.Touch(slots)
	o.parts = o.parts[:0]
	o.index.begin()
	o.gone.Reset()
	switch {
	case o.upsert != nil:
		o.upserts(b, rows, slots)
	case o.spec.InputRetract:
		o.changes(b, rows, slots)
	default:
		o.inserts(b, rows, slots)
	}
	if err := o.emit(out); err != nil {
		return err
	}
	o.dropEmpty(slots)
	return nil
}

// inserts adds rows that are within the first To.
func (o *TopN) inserts(b *vec.Batch, rows, slots []int32) {
	for i, r := range rows {
		slot := slots[i]
		o.orderKey(b, r)
		full := int64(o.rows.Len(slot)) >= o.spec.To
		if full {
			// An equal row that came later ranks behind.
			last := o.rows.Last(slot)
			k := o.rows.Key(last)
			if bytes.Compare(o.key, k[:len(k)-8]) >= 0 {
				continue
			}
			p := o.part(slot)
			o.remove(p, last)
			o.insert(p, b, r, o.nextSeq(slot))
			continue
		}
		o.insert(o.part(slot), b, r, o.nextSeq(slot))
	}
}

// changes adds and removes rows. A row that is taken back but is not there
// (it has expired) is left out.
func (o *TopN) changes(b *vec.Batch, rows, slots []int32) {
	for i, r := range rows {
		o.orderKey(b, r)
		if !b.Op(int(r)).Retracts() {
			o.insert(o.part(slots[i]), b, r, o.nextSeq(slots[i]))
		} else if at := o.find(slots[i], b, int(r)); at >= 0 {
			o.remove(o.part(slots[i]), at)
		}
	}
}

// find is the first row with the order key in o.key that equals row r of b.
func (o *TopN) find(slot int32, b *vec.Batch, r int) int32 {
	for at := o.rows.Seek(slot, o.key); at >= 0 && bytes.HasPrefix(o.rows.Key(at), o.key); at = o.rows.Next(at) {
		if sameRow(o.cols, at, b, r) {
			return at
		}
	}
	return -1
}

// sameRow compares a stored row with one of a batch.
func sameRow(cols []*store.Column, at int32, b *vec.Batch, r int) bool {
	for i, c := range cols {
		if !c.Equal(at, b.Cols[i], r) {
			return false
		}
	}
	return true
}

// orderKey sets o.key to the sort key of a row.
func (o *TopN) orderKey(b *vec.Batch, r int32) {
	o.key = sortKey(o.key[:0], o.spec.Order, b, r)
}

func sortKey(key []byte, order []SortKey, b *vec.Batch, r int32) []byte {
	for _, k := range order {
		key = store.SortKeyNulls(key, b.Cols[k.Col], int(r), k.Desc, k.NullsLast)
	}
	return key
}

func (o *TopN) nextSeq(slot int32) int64 {
	p := o.seq.Ptr(slot)
	*p++
	return *p
}

func (o *TopN) insert(p *topnPart, b *vec.Batch, r int32, seq int64) {
	o.key = binary.BigEndian.AppendUint64(o.key, uint64(seq))
	at, _ := o.rows.Insert(p.slot, o.key)
	for i, c := range o.cols {
		c.Put(at, b.Cols[i], int(r))
	}
	if !o.compares() {
		p.entered = append(p.entered, at)
	}
}

// compares tells whether whole views are compared, rather than the rows that
// came and left.
func (o *TopN) compares() bool { return o.byRank || o.all }

// part notes that a partition changes, with its view before.
func (o *TopN) part(slot int32) *topnPart {
	n, isNew := o.index.at(slot)
	if !isNew {
		return &o.parts[n]
	}
	if n < cap(o.parts) {
		o.parts = o.parts[:n+1]
	} else {
		o.parts = append(o.parts, topnPart{})
	}
	p := &o.parts[n]
	p.slot, p.old, p.left, p.entered = slot, p.old[:0], p.left[:0], p.entered[:0]
	if o.compares() {
		p.old = o.viewOf(slot, p.old)
	}
	return p
}

// viewOf appends the rows of ranks From…To.
func (o *TopN) viewOf(slot int32, to []int32) []int32 {
	rank := int64(1)
	for at := o.rows.First(slot); at >= 0 && rank <= o.spec.To; at = o.rows.Next(at) {
		if rank >= o.spec.From {
			to = append(to, at)
		}
		rank++
	}
	return to
}

// remove takes a row out; its values are kept as long as the batch if it was
// to be seen before.
func (o *TopN) remove(p *topnPart, at int32) {
	if !o.compares() {
		if i := indexOf(p.entered, at); i >= 0 {
			p.entered = append(p.entered[:i], p.entered[i+1:]...)
		} else {
			p.left = append(p.left, o.bury(at))
		}
	} else if i := indexOf(p.old, at); i >= 0 {
		p.old[i] = o.bury(at)
	}
	o.rows.Remove(at)
}

func indexOf(s []int32, x int32) int {
	for i, y := range s {
		if x == y {
			return i
		}
	}
	return -1
}

// bury copies a row's values to gone.
func (o *TopN) bury(at int32) int32 {
	for i, c := range o.cols {
		c.Append(o.gone.Cols[i], at)
	}
	o.gone.N++
	return ^int32(o.gone.N - 1)
}

// dropEmpty deletes partitions without rows.
func (o *TopN) dropEmpty(slots []int32) {
	o.empty = o.empty[:0]
	for _, s := range slots {
		if o.rows.Len(s) == 0 {
			o.empty = append(o.empty, s)
		}
	}
	o.keyed.table.Delete(o.empty)
}

func (o *TopN) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (o *TopN) Close() error                                { return nil }

// Wake drops partitions that have not changed for the TTL.
func (o *TopN) Wake(now types.Time, _ exec.Output) (types.Time, error) {
	if o.upsert != nil {
		o.upsert.expire(now, o.spec.TTL)
	}
	return o.ttl.wake(now), nil
}

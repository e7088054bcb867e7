package op

import (
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// GroupAgg is the updating aggregation: per key it keeps a row count and the
// accumulators, and emits how the result of each key of a batch changed. A
// key whose last row was retracted is deleted.
type GroupAgg struct {
	spec   GroupAggSpec
	ctx    *exec.Context
	keyed  keyed
	layout state.Layout
	aggs   *aggSet
	keys   []*store.Column
	rows   state.Col[int64] // rows of the group

	// blind: every row changes the result of its group, and nobody wants the
	// one before, so that it need not be computed.
	blind bool

	touched  distinct
	had      []bool // by touched slot: it was there before the batch
	kept     []int32
	slots    []int32
	old, new []*vec.Vector
	out      *vec.Batch
	from     []int32 // slot of each output row
	dead     []int32
	ttl      expiry
}

// NewGroupAgg makes the operator.
func NewGroupAgg(s GroupAggSpec) (exec.Operator, error) {
	o := &GroupAgg{spec: s, layout: layoutOf("groups", s.Inputs[0], s.Keys)}
	o.keyed.cols = s.Keys
	o.layout.Values = []state.Class{state.I64}
	o.layout.TTL = s.TTL > 0
	o.aggs = newAggSet(s.Aggs, s.Inputs[0], s.InputRetract, &o.layout)
	o.old, o.new = o.aggs.vectors(), o.aggs.vectors()
	o.out = batchOf(s.Output)
	o.blind = !s.InputRetract && !s.EmitBefore && countsRows(s.Aggs)
	return o, nil
}

// countsRows: COUNT(*) is among the aggregates.
func countsRows(calls []AggCall) bool {
	for _, c := range calls {
		if c.Name == "COUNT" && len(c.Args) == 0 && c.Filter < 0 {
			return true
		}
	}
	return false
}

// batchOf is an empty batch for rows of the given columns.
func batchOf(fields []types.Field) *vec.Batch {
	b := &vec.Batch{}
	for _, f := range fields {
		b.Cols = append(b.Cols, vec.New(f.Type))
	}
	return b
}

func (o *GroupAgg) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(o.layout)
	if err != nil {
		return err
	}
	o.ctx, o.keyed.table, o.rows = ctx, t, t.I64Col(0)
	o.aggs.open(t, o.spec.InputRetract)
	for i, k := range o.spec.Keys {
		o.keys = append(o.keys, store.NewColumn(store.TableKeys(t), i, o.spec.Inputs[0][k].Type))
	}
	o.ttl = expiry{table: t, ttl: o.spec.TTL}
	return nil
}

func (o *GroupAgg) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	o.keyed.find(b, rows, true)
	p := &o.keyed.probe
	o.ttl.stamp(p.Slots, p.New, o.ctx.Now)
	o.touch(p.Slots)
	if !o.blind {
		if err := o.results(o.old); err != nil {
			return err
		}
	}
	kept, slots := o.count(b, rows, p.Slots)
	if err := o.aggs.add(b, kept, slots); err != nil {
		return err
	}
	if err := o.results(o.new); err != nil {
		return err
	}
	o.changes()
	return o.emit(out)
}

// touch notes each group of the batch once, and whether it was there.
func (o *GroupAgg) touch(slots []int32) {
	o.touched.begin()
	o.had = o.had[:0]
	for _, s := range slots {
		if o.touched.add(s) {
			o.had = append(o.had, o.rows.At(s) > 0)
		}
	}
	o.keyed.table.Touch(o.touched.slots)
}

func (o *GroupAgg) results(vs []*vec.Vector) error {
	resetAll(vs)
	return o.aggs.results(o.touched.slots, vs)
}

// count keeps the groups' row counts. A retraction of a row that never came
// (its group is not there, or has expired) is left out, as in Flink.
func (o *GroupAgg) count(b *vec.Batch, rows, slots []int32) (kept, of []int32) {
	if b.Ops == nil {
		for _, s := range slots {
			*o.rows.Ptr(s)++
		}
		return rows, slots
	}
	o.kept, o.slots = o.kept[:0], o.slots[:0]
	for i, r := range rows {
		n := o.rows.Ptr(slots[i])
		if b.Ops[r].Retracts() {
			if *n == 0 {
				continue
			}
			*n--
		} else {
			*n++
		}
		o.kept, o.slots = append(o.kept, r), append(o.slots, slots[i])
	}
	return o.kept, o.slots
}

// changes fills the output batch but for its keys.
func (o *GroupAgg) changes() {
	o.out.Reset()
	o.from, o.dead = o.from[:0], o.dead[:0]
	for i, s := range o.touched.slots {
		has := o.rows.At(s) > 0
		switch {
		case o.had[i] && has:
			if !o.blind && o.same(i) {
				continue
			}
			if o.spec.EmitBefore {
				o.row(s, vec.UpdateBefore, o.old, i)
			}
			o.row(s, vec.UpdateAfter, o.new, i)
		case has:
			o.row(s, vec.Insert, o.new, i)
		case o.had[i]:
			o.row(s, vec.Delete, o.old, i)
		}
		if !has {
			o.dead = append(o.dead, s)
		}
	}
}

// same: an unchanged result emits nothing.
func (o *GroupAgg) same(i int) bool {
	for c := range o.old {
		if !vec.Same(o.old[c], i, o.new[c], i) {
			return false
		}
	}
	return true
}

func (o *GroupAgg) row(slot int32, op vec.Op, vs []*vec.Vector, i int) {
	o.from = append(o.from, slot)
	o.out.Ops = append(o.out.Ops, op)
	for c, v := range vs {
		o.out.Cols[len(o.keys)+c].AppendFrom(v, i)
	}
	o.out.N++
}

func (o *GroupAgg) emit(out exec.Output) error {
	for c, k := range o.keys {
		k.AppendAll(o.out.Cols[c], o.from)
	}
	o.keyed.table.Delete(o.dead)
	if o.out.N == 0 {
		return nil
	}
	return out.Emit(o.out)
}

func (o *GroupAgg) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (o *GroupAgg) Close() error                                { return nil }

// Wake drops groups that have not been updated for the TTL.
func (o *GroupAgg) Wake(now types.Time, _ exec.Output) (types.Time, error) {
	return o.ttl.wake(now), nil
}

// expiry drops rows of a table that were not written for the TTL.
type expiry struct {
	table *state.Table
	ttl   time.Duration
}

// Of each table so many slots are looked at a round, and there is a round
// every tenth of the TTL.
const expireRows = 4096

// stamp makes expired rows new and notes the time of the others.
func (e *expiry) stamp(slots []int32, isNew []bool, now types.Time) {
	if e.ttl == 0 {
		return
	}
	e.table.Renew(slots, isNew, int64(now), e.ttl.Milliseconds())
	e.table.Stamp(slots, int64(now))
}

func (e *expiry) wake(now types.Time) types.Time {
	if e.ttl == 0 {
		return types.MaxTime
	}
	e.table.Expire(int64(now), e.ttl.Milliseconds(), expireRows)
	return now + types.Time(max(e.ttl.Milliseconds()/10, 1))
}

package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// KeepEarliest emits the earliest row of each key once the watermark has
// reached it, so that no earlier one can come; of equal times the first to
// arrive. Its output is inserts only, in order of time. Rows behind the
// watermark are late, as long as none of their key was emitted; one at the
// watermark is not, unlike for OVER and windows.
type KeepEarliest struct {
	lastRows
	spec    DeduplicateSpec
	ctx     *exec.Context
	ttl     expiry
	table   *state.Table
	timers  *state.Timers
	emitted state.Col[int64]
	time    *store.Column
	sole    *vec.Vector
	due     []state.Due
	slots   []int32
}

func newKeepEarliest(s DeduplicateSpec) *KeepEarliest {
	o := &KeepEarliest{spec: s, lastRows: newLastRows("rows", s.Inputs[0], s.Keys, state.I64), ttl: expiry{ttl: s.TTL}, sole: &vec.Vector{Kind: vec.I64}}
	o.layout.TTL = s.TTL > 0
	o.layout.Timers = []string{"first"}
	o.out = batchOf(s.Output)
	return o
}

func (o *KeepEarliest) Open(ctx *exec.Context) error {
	o.ctx = ctx
	if err := o.open(ctx); err != nil {
		return err
	}
	o.table = o.keyed.table
	o.ttl.table, o.timers, o.time = o.table, o.table.Timers(0), o.cols[o.spec.Time]
	o.emitted = o.table.I64Col(len(o.layout.Values) - 1)
	return nil
}

func (o *KeepEarliest) Process(_ int, b *vec.Batch, _ exec.Output) error {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	slots, isNew := o.find(b, rows, &o.ttl, o.ctx.Now)
	times := b.Cols[o.spec.Time]
	o.dead = o.dead[:0]
	for i, r := range rows {
		s := slots[i]
		switch t := types.FromMicros(times.I64[r]); {
		case times.IsNull(int(r)):
			return errNullTime
		case o.emitted.At(s) != 0:
		case t < o.ctx.Watermark:
			o.ctx.Metrics.Late.Add(1)
		default:
			o.offer(b, r, s, isNew[i], t)
		}
	}
	for i, s := range slots {
		if isNew[i] && o.timers.Len(s) == 0 && o.emitted.At(s) == 0 {
			o.dead = append(o.dead, s) // only late rows
		}
	}
	o.table.Delete(o.dead)
	return nil
}

// offer keeps a row that is earlier than what there is.
func (o *KeepEarliest) offer(b *vec.Batch, r, slot int32, isNew bool, t types.Time) {
	if o.timers.Len(slot) > 0 {
		o.sole.Reset()
		o.time.Append(o.sole, slot)
		if o.sole.I64[0] <= b.Cols[o.spec.Time].I64[r] {
			return
		}
		o.timers.Clear(slot)
	}
	o.keep(b, r, slot)
	o.timers.SetOne(slot, int64(t))
}

func (o *KeepEarliest) Advance(t types.Time, out exec.Output) error {
	if o.timers.Min() > int64(t) {
		return out.Watermark(t)
	}
	if o.due == nil {
		o.due = make([]state.Due, 4096)
	}
	for {
		n := o.timers.PopDue(int64(t), o.due)
		if n == 0 {
			return out.Watermark(t)
		}
		o.out.Reset()
		o.slots = o.slots[:0]
		for _, d := range o.due[:n] {
			o.slots = append(o.slots, d.Slot)
			o.kept(vec.Insert, d.Slot)
		}
		o.table.Touch(o.slots)
		for _, s := range o.slots {
			o.emitted.Set(s, 1)
		}
		h := *o.out
		h.Ops = nil
		if err := out.Emit(&h); err != nil {
			return err
		}
	}
}

func (o *KeepEarliest) Close() error { return nil }

// Wake drops keys that no row came for in the TTL.
func (o *KeepEarliest) Wake(now types.Time, _ exec.Output) (types.Time, error) {
	return o.ttl.wake(now), nil
}

package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// Deduplicate keeps the last row of each key by time: a row with an equal
// time replaces, an older one is ignored. By processing time each row is the
// last.
type Deduplicate struct {
	lastRows
	spec DeduplicateSpec
	ctx  *exec.Context
	ttl  expiry
	time *store.Column
	last []int64 // time of the key's row, by number in index
	sole *vec.Vector
}

// NewDeduplicate makes the operator for what is kept.
func NewDeduplicate(s DeduplicateSpec) (exec.Operator, error) {
	switch {
	case s.KeepLast:
		o := &Deduplicate{spec: s, lastRows: newLastRows("rows", s.Inputs[0], s.Keys), ttl: expiry{ttl: s.TTL}, sole: &vec.Vector{Kind: vec.I64}}
		o.layout.TTL = s.TTL > 0
		o.before, o.out = s.EmitBefore, batchOf(s.Output)
		return o, nil
	case s.Proctime:
		return newKeepFirst(s), nil
	}
	return newKeepEarliest(s), nil
}

func (o *Deduplicate) Open(ctx *exec.Context) error {
	o.ctx = ctx
	err := o.open(ctx)
	if err == nil {
		o.ttl.table, o.time = o.keyed.table, o.cols[o.spec.Time]
	}
	return err
}

func (o *Deduplicate) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	slots, isNew := o.find(b, rows, &o.ttl, o.ctx.Now)
	if o.spec.Proctime {
		for i, r := range rows {
			o.row[o.at(slots[i], isNew[i])] = r
		}
		return o.emit(b, false, out)
	}
	if err := o.latest(b.Cols[o.spec.Time], rows, slots, isNew); err != nil {
		return err
	}
	return o.emit(b, false, out)
}

// latest finds the row of each key that stays.
func (o *Deduplicate) latest(times *vec.Vector, rows, slots []int32, isNew []bool) error {
	o.last = o.last[:0]
	for i, r := range rows {
		if times.IsNull(int(r)) {
			return errNullTime
		}
		n := o.at(slots[i], isNew[i])
		if n == len(o.last) {
			o.last = append(o.last, o.timeOf(slots[i], isNew[i]))
		}
		if t := times.I64[r]; t >= o.last[n] {
			o.row[n], o.last[n] = r, t
		}
	}
	return nil
}

func (o *Deduplicate) timeOf(slot int32, isNew bool) int64 {
	if isNew {
		return minInt64
	}
	o.sole.Reset()
	o.time.Append(o.sole, slot)
	return o.sole.I64[0]
}

func (o *Deduplicate) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (o *Deduplicate) Close() error                                { return nil }

// Wake drops keys that have not been written for the TTL.
func (o *Deduplicate) Wake(now types.Time, _ exec.Output) (types.Time, error) {
	return o.ttl.wake(now), nil
}

// KeepFirst passes the first row of each key on, by arrival.
type KeepFirst struct {
	passing
	spec   DeduplicateSpec
	ctx    *exec.Context
	keyed  keyed
	layout state.Layout
	ttl    expiry
	sel    []int32
	rank   *vec.Vector
}

func newKeepFirst(s DeduplicateSpec) *KeepFirst {
	o := &KeepFirst{spec: s, keyed: keyed{cols: s.Keys}, layout: layoutOf("seen", s.Inputs[0], s.Keys), rank: &vec.Vector{Kind: vec.I64}}
	o.layout.TTL = s.TTL > 0
	return o
}

func (o *KeepFirst) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(o.layout)
	o.ctx, o.keyed.table, o.ttl = ctx, t, expiry{table: t, ttl: o.spec.TTL}
	return err
}

func (o *KeepFirst) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	o.keyed.find(b, rows, true)
	p := &o.keyed.probe
	if o.ttl.ttl > 0 {
		o.ttl.table.Renew(p.Slots, p.New, int64(o.ctx.Now), o.ttl.ttl.Milliseconds())
	}
	o.sel = o.sel[:0]
	for i, r := range rows {
		if p.New[i] {
			o.sel = append(o.sel, r)
			if o.ttl.ttl > 0 {
				o.keyed.table.Stamp(p.Slots[i:i+1], int64(o.ctx.Now))
			}
		}
	}
	if len(o.sel) == 0 {
		return nil
	}
	h := b.Head()
	h.Sel = o.sel
	if o.spec.OutputRank {
		h.Cols = append(h.Cols, ones(o.rank, b.N))
	}
	return out.Emit(h)
}

// ones is a vector of n ranks 1.
func ones(v *vec.Vector, n int) *vec.Vector {
	v.Resize(n)
	for i := range v.I64 {
		v.I64[i] = 1
	}
	return v
}

// Wake drops keys that were first seen longer ago than the TTL.
func (o *KeepFirst) Wake(now types.Time, _ exec.Output) (types.Time, error) {
	return o.ttl.wake(now), nil
}

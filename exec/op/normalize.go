package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Normalize keeps the last row of each key of an upsert stream and emits the
// whole changelog: -U with its old values, -D with all columns. A row equal
// to the one before emits nothing.
type Normalize struct {
	lastRows
	ctx *exec.Context
	ttl expiry
}

// NewNormalize makes the operator.
func NewNormalize(s NormalizeSpec) (exec.Operator, error) {
	o := &Normalize{lastRows: newLastRows("rows", s.Inputs[0], s.Keys), ttl: expiry{ttl: s.TTL}}
	o.layout.TTL = s.TTL > 0
	o.before, o.out = s.EmitBefore, batchOf(s.Output)
	return o, nil
}

func (o *Normalize) Open(ctx *exec.Context) error {
	o.ctx = ctx
	err := o.open(ctx)
	o.ttl.table = o.keyed.table
	return err
}

// Process takes -U as -D, for no +U need follow.
func (o *Normalize) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	slots, isNew := o.find(b, rows, &o.ttl, o.ctx.Now)
	for i, r := range rows {
		n := o.at(slots[i], isNew[i])
		o.row[n] = r
		if b.Op(int(r)).Retracts() {
			o.row[n] = removed
		}
	}
	return o.emit(b, true, out)
}

func (o *Normalize) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (o *Normalize) Close() error                                { return nil }

// Wake drops keys that have not been written for the TTL.
func (o *Normalize) Wake(now types.Time, _ exec.Output) (types.Time, error) {
	return o.ttl.wake(now), nil
}

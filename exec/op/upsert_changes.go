package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// UpsertChanges stands before a sink that takes upserts, behind a filter that
// may let the -U of an update pass and hold its +U back, or where the sink's
// key is larger than the query's. A -U whose +U comes in a later batch is
// written as a deletion, and the +U after it: the table ends up the same.
type UpsertChanges struct {
	passing
	key []int
	sel []int32
	ops []vec.Op
}

// NewUpsertChanges makes the operator.
func NewUpsertChanges(s UpsertChangesSpec) (exec.Operator, error) {
	return &UpsertChanges{key: s.Key}, nil
}

func (o *UpsertChanges) Process(_ int, b *vec.Batch, out exec.Output) error {
	if b.Ops == nil {
		return out.Emit(b)
	}
	rows := b.Rows()
	o.sel, o.ops = o.sel[:0], append(o.ops[:0], b.Ops...)
	for i, r := range rows {
		if b.Ops[r] == vec.UpdateBefore {
			if i+1 < len(rows) && b.Ops[rows[i+1]] == vec.UpdateAfter && o.sameKey(b, int(r), int(rows[i+1])) {
				continue
			}
			o.ops[r] = vec.Delete
		}
		o.sel = append(o.sel, r)
	}
	if len(o.sel) == 0 {
		return nil
	}
	h := *b
	h.Ops, h.Sel = o.ops, o.sel
	return out.Emit(&h)
}

func (o *UpsertChanges) sameKey(b *vec.Batch, x, y int) bool {
	for _, c := range o.key {
		if !vec.Same(b.Cols[c], x, b.Cols[c], y) {
			return false
		}
	}
	return true
}

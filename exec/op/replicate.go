package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Replicate emits each row as often as its count column says (INTERSECT ALL,
// EXCEPT ALL). A row with a count below one, or null, is left out.
type Replicate struct {
	passing
	spec ReplicateSpec
	out  *vec.Batch
	rows []int32
}

// NewReplicate makes the operator.
func NewReplicate(s ReplicateSpec) (exec.Operator, error) {
	o := &Replicate{spec: s, out: &vec.Batch{}}
	for _, f := range s.Output {
		o.out.Cols = append(o.out.Cols, vec.New(f.Type))
	}
	return o, nil
}

func (o *Replicate) Process(_ int, b *vec.Batch, out exec.Output) error {
	counts := b.Cols[o.spec.Count]
	for _, r := range b.Rows() {
		if counts.IsNull(int(r)) {
			continue
		}
		for n := counts.I64[r]; n > 0; n-- {
			if o.rows = append(o.rows, r); len(o.rows) == vec.MaxRows {
				if err := o.emit(b, out); err != nil {
					return err
				}
			}
		}
	}
	return o.emit(b, out)
}

func (o *Replicate) emit(b *vec.Batch, out exec.Output) error {
	if len(o.rows) == 0 {
		return nil
	}
	o.out.Reset()
	o.out.AppendRows(b, o.rows)
	o.rows = o.rows[:0]
	return out.Emit(o.out)
}

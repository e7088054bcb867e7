package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// passing is the part of an operator that keeps nothing and passes
// watermarks on.
type passing struct{}

func (passing) Open(*exec.Context) error                    { return nil }
func (passing) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (passing) Close() error                                { return nil }

// Union passes the rows of all inputs on.
type Union struct{ passing }

// NewUnion makes the operator.
func NewUnion(UnionSpec) (exec.Operator, error) { return Union{}, nil }

func (Union) Process(_ int, b *vec.Batch, out exec.Output) error { return out.Emit(b) }

// DropUpdateBefore removes -U rows.
type DropUpdateBefore struct {
	passing
	sel []int32
}

// NewDropUpdateBefore makes the operator.
func NewDropUpdateBefore(DropUpdateBeforeSpec) (exec.Operator, error) {
	return &DropUpdateBefore{}, nil
}

func (o *DropUpdateBefore) Process(_ int, b *vec.Batch, out exec.Output) error {
	if b.Ops == nil {
		return out.Emit(b)
	}
	o.sel = o.sel[:0]
	for _, r := range b.Rows() {
		if b.Ops[r] != vec.UpdateBefore {
			o.sel = append(o.sel, r)
		}
	}
	if len(o.sel) == 0 {
		return nil
	}
	h := *b
	h.Sel = o.sel
	return out.Emit(&h)
}

package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Unnest expands a collection of each row: an output row for each element of
// an array, entry of a map, and occurrence in a multiset. Elements that are
// ROWs become columns, and a null one is left out. Ops are passed on.
type Unnest struct {
	passing
	spec    UnnestSpec
	ctx     *exec.Context
	program *expr.Program
	env     fn.Env
	kind    types.Kind
	isRow   bool // elements are ROWs

	out      *vec.Batch
	rows     []int32 // input row of each output row
	elements []int32 // its element; −1: none
	ordinals []int32
	ops      []vec.Op
}

// NewUnnest compiles the collection.
func NewUnnest(s UnnestSpec) (exec.Operator, error) {
	p, err := expr.Compile([]expr.Expr{s.Collection}, expr.Options{})
	if err != nil {
		return nil, err
	}
	t := s.Collection.Type()
	return &Unnest{spec: s, program: p, env: fn.Env{Zone: s.Zone}, kind: t.Kind, out: batchOf(s.Output),
		isRow: t.Kind != types.Map && t.Elem.Kind == types.Row}, nil
}

func (o *Unnest) Open(ctx *exec.Context) error { o.ctx = ctx; return nil }

func (o *Unnest) Process(_ int, b *vec.Batch, out exec.Output) error {
	if b.Len() == 0 {
		return nil
	}
	o.env.Now, o.env.Watermark = o.ctx.Now, o.ctx.Watermark
	cols, err := o.program.Eval(&o.env, b)
	if err != nil {
		return err
	}
	list := cols[0]
	for _, r := range b.Rows() {
		o.expand(list, r)
		if len(o.rows) >= vec.MaxRows {
			if err := o.emit(b, list, out); err != nil {
				return err
			}
		}
	}
	return o.emit(b, list, out)
}

// expand collects the elements of row r.
func (o *Unnest) expand(list *vec.Vector, r int32) {
	before := len(o.rows)
	if !list.IsNull(int(r)) {
		s := list.Spans[r]
		for j := range s.Len {
			o.element(list, r, int32(s.Off+j), int32(j)+1)
		}
	}
	if len(o.rows) == before && o.spec.Outer {
		o.rows, o.elements, o.ordinals = append(o.rows, r), append(o.elements, -1), append(o.ordinals, -1)
	}
}

func (o *Unnest) element(list *vec.Vector, r, at, ordinal int32) {
	if o.isRow && list.Kids[0].IsNull(int(at)) {
		return
	}
	times := int64(1)
	if o.kind == types.Multiset {
		times = list.Kids[1].I64[at]
	}
	for ; times > 0; times-- {
		o.rows, o.elements, o.ordinals = append(o.rows, r), append(o.elements, at), append(o.ordinals, ordinal)
	}
}

func (o *Unnest) emit(b *vec.Batch, list *vec.Vector, out exec.Output) error {
	if len(o.rows) == 0 {
		return nil
	}
	o.out.Reset()
	width := len(b.Cols)
	for c, v := range b.Cols {
		o.out.Cols[c].AppendRows(v, o.rows, len(o.rows))
	}
	elements := side{vs: o.parts(list)}
	for c := range elements.vs {
		elements.append(o.out.Cols[width+c], c, o.elements)
	}
	if o.spec.Ordinality {
		o.number(o.out.Cols[len(o.out.Cols)-1])
	}
	o.out.N = len(o.rows)
	if b.Ops != nil {
		o.ops = o.ops[:0]
		for _, r := range o.rows {
			o.ops = append(o.ops, b.Ops[r])
		}
		o.out.Ops = o.ops
	}
	o.rows, o.elements, o.ordinals = o.rows[:0], o.elements[:0], o.ordinals[:0]
	return out.Emit(o.out)
}

// parts are the columns that an element makes.
func (o *Unnest) parts(list *vec.Vector) []*vec.Vector {
	switch {
	case o.kind == types.Map:
		return list.Kids
	case o.isRow:
		return list.Kids[0].Kids
	}
	return list.Kids[:1]
}

// number writes the ordinals, null where there is no element.
func (o *Unnest) number(v *vec.Vector) {
	for _, n := range o.ordinals {
		if n < 0 {
			v.AppendNull()
			continue
		}
		v.I64 = append(v.I64, int64(n))
		v.KeepNulls()
	}
}

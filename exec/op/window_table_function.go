package op

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// WindowTable is the window table function on its own: each row once for
// each of its windows, with start, end and time of the
// window. It drops no late rows.
type WindowTable struct {
	passing
	ctx    *exec.Context
	spec   WindowTableSpec
	assign assigner
	clock  wallClock
	times  []int64
	rows   []int32 // of the input, one for each output row
	of     []int64 // ends of the windows of a slice
	ends   []int64
	out    *vec.Batch
	added  []*vec.Vector // start, end, time
}

// NewWindowTable makes the operator.
func NewWindowTable(s WindowTableSpec) (exec.Operator, error) {
	if s.Window.Kind == Session {
		return nil, fmt.Errorf("SESSION without GROUP BY of its window_start, window_end and partition columns is not supported yet")
	}
	o := &WindowTable{spec: s, assign: newAssigner(s.Window), clock: clockOf(s.Zone, s.Window.LTZ), out: batchOf(s.Output)}
	o.added = o.out.Cols[len(s.Output)-3:]
	return o, nil
}

func (o *WindowTable) Open(ctx *exec.Context) error {
	o.ctx = ctx
	return nil
}

func (o *WindowTable) Process(_ int, b *vec.Batch, out exec.Output) (err error) {
	rows := b.Rows()
	if o.times, err = rowTimes(&o.spec.Window, &o.clock, o.ctx.Now, b, rows, o.times); err != nil {
		return err
	}
	var slice, from int64
	for _, r := range rows {
		if t := o.times[r]; t < from || t >= slice {
			slice = o.assign.sliceEnd(t)
			from = slice - o.assign.slice
			o.windows(slice)
		}
		for _, end := range o.of {
			o.rows, o.ends = append(o.rows, r), append(o.ends, end)
		}
		if len(o.rows) >= vec.MaxRows {
			if err := o.emit(b, out); err != nil {
				return err
			}
		}
	}
	return o.emit(b, out)
}

// windows sets the ends of a slice's windows. HOP gives the latest first, as
// Flink does.
func (o *WindowTable) windows(slice int64) {
	o.of = o.of[:0]
	first, last := o.assign.ends(slice)
	for end := first; end <= last; end += o.assign.Slide {
		o.of = append(o.of, end)
	}
	if o.assign.Kind == Hop {
		slices.Reverse(o.of)
	}
}

func (o *WindowTable) emit(b *vec.Batch, out exec.Output) error {
	if len(o.rows) == 0 {
		return nil
	}
	o.out.Reset()
	for c := range b.Cols {
		o.out.Cols[c].AppendRows(b.Cols[c], o.rows, b.N)
	}
	if b.Ops != nil {
		for _, r := range o.rows {
			o.out.Ops = append(o.out.Ops, b.Ops[r])
		}
	}
	last := o.spec.Output[len(o.spec.Output)-1].Type
	for _, end := range o.ends {
		time := end - 1
		if last.Kind == types.TimestampLTZ {
			time = o.clock.instant(time)
		}
		o.added[0].I64 = append(o.added[0].I64, o.assign.start(end)*1000)
		o.added[1].I64 = append(o.added[1].I64, end*1000)
		o.added[2].I64 = append(o.added[2].I64, time*1000)
	}
	o.out.N = len(o.rows)
	o.rows, o.ends = o.rows[:0], o.ends[:0]
	return out.Emit(o.out)
}

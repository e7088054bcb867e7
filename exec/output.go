package exec

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// target takes what a node emits: an inlet of a node in the same goroutine,
// or an exchange.
type target interface {
	rows(b *vec.Batch) error
	watermark(t types.Time) error
}

// output is the Output of one node in one subtask.
type output struct {
	node    *Node
	metrics *Metrics
	targets []target
	last    types.Time
	ctx     *Context // of the operator; nil: a source
}

func newOutput(n *Node, m *Metrics) *output {
	return &output{node: n, metrics: m, last: types.MinTime}
}

// Emit hands the rows to all targets; each makes a header of its own, so b's
// is as before afterwards.
func (o *output) Emit(b *vec.Batch) error {
	n := b.Len()
	if n == 0 {
		return nil
	}
	if invariants {
		if err := b.Check(len(o.node.Output)); err != nil {
			panic(o.node.Name + " emits a bad batch: " + err.Error())
		}
	}
	o.metrics.RowsOut.Add(int64(n))
	for _, t := range o.targets {
		if err := t.rows(b); err != nil {
			return err
		}
	}
	return nil
}

// Watermark hands t on if it rises.
func (o *output) Watermark(t types.Time) error {
	if t <= o.last {
		return nil
	}
	if invariants && o.ctx != nil && t > o.ctx.Watermark {
		panic(fmt.Sprintf("%s emits watermark %v at %v", o.node.Name, t, o.ctx.Watermark))
	}
	o.last = t
	for _, x := range o.targets {
		if err := x.watermark(t); err != nil {
			return err
		}
	}
	return nil
}

// resume says again, after a restore, how far the output had come: queues
// begin at the least watermark of their port.
func (o *output) resume() error {
	if o.last == types.MinTime {
		return nil
	}
	for _, x := range o.targets {
		if e, ok := x.(*exchange); ok {
			if err := e.watermark(o.last); err != nil {
				return err
			}
		}
	}
	return nil
}

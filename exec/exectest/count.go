package exectest

import (
	"strconv"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// Counter is a small stateful operator for tests of the runtime: column 0 (a
// STRING) is the key, and it emits +I k, 1, then -U k, n and +U k, n+1 for
// each row. When event time ends it emits "+I <end>, rows" per subtask.
type Counter struct {
	ctx   *exec.Context
	table *state.Table
	n     state.Col[int64]
	probe state.Probe
	out   *vec.Batch
}

// CounterOutput are its output columns.
var CounterOutput = Columns("k STRING, n BIGINT")

// CounterNode counts the rows of one input by its column 0.
func CounterNode(uid string, parallelism, from int) *exec.Node {
	return &exec.Node{
		UID: uid, Name: "Counter", Parallelism: parallelism, Output: CounterOutput, Folds: true,
		Inputs: []exec.Edge{{From: from, Exchange: exec.Hash, Key: []int{0}}},
		New:    func() (exec.Operator, error) { return &Counter{}, nil },
	}
}

func (c *Counter) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(state.Layout{
		Name: "counts", Version: 1, Keys: []state.Class{state.Bytes}, Values: []state.Class{state.I64},
	})
	if err != nil {
		return err
	}
	c.ctx, c.table, c.n, c.out = ctx, t, t.I64Col(0), vec.NewBatch(Types(CounterOutput)...)
	return nil
}

func (c *Counter) Process(_ int, b *vec.Batch, out exec.Output) error {
	v := b.Cols[0]
	spans := make([]state.Span, len(v.Spans))
	for i, s := range v.Spans {
		spans[i] = state.Span{Off: s.Off, Len: s.Len}
	}
	rows := b.Rows()
	c.probe.Groups, c.probe.Hashes, c.probe.Rows = b.Hash, b.Hash, rows
	c.probe.Keys = []state.KeyCol{{Class: state.Bytes, Spans: spans, Data: v.Data, Null: v.Nulls}}
	c.table.FindOrInsert(&c.probe)
	c.table.Touch(c.probe.Slots)
	c.out.Reset()
	for i, s := range c.probe.Slots {
		key := string(v.BytesAt(int(rows[i])))
		n := c.n.At(s)
		if n > 0 {
			c.add(vec.UpdateBefore, key, n)
			c.add(vec.UpdateAfter, key, n+1)
		} else {
			c.add(vec.Insert, key, 1)
		}
		c.n.Set(s, n+1)
	}
	return out.Emit(c.out)
}

func (c *Counter) add(op vec.Op, key string, n int64) {
	c.out.Cols[0].AppendBytes([]byte(key))
	c.out.Cols[1].I64 = append(c.out.Cols[1].I64, n)
	addOp(c.out, op)
	c.out.N++
}

func (c *Counter) Advance(t types.Time, out exec.Output) error {
	if t == types.MaxTime {
		c.out.Reset()
		c.add(vec.Insert, "<end "+strconv.Itoa(c.ctx.Subtask.Index)+">", int64(c.table.Rows()))
		if err := out.Emit(c.out); err != nil {
			return err
		}
	}
	return out.Watermark(t)
}

func (c *Counter) Close() error { return nil }

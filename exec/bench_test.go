package exec_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// repeat is a source that returns one batch again and again.
type repeat struct {
	batch *vec.Batch
	times int
}

func (r *repeat) Splits(context.Context) ([]exec.Split, error) { return []exec.Split{{ID: "0"}}, nil }
func (r *repeat) Reader(exec.SourceContext, []exec.Split) (exec.Reader, error) {
	return &repeatReader{r: r}, nil
}

type repeatReader struct {
	r *repeat
	n int
}

func (r *repeatReader) Next(_ context.Context, b *vec.Batch) (int, bool, error) {
	*b = *r.r.batch.Head()
	r.n++
	return 0, r.n == r.r.times, nil
}
func (r *repeatReader) Positions() []exec.Split                       { return []exec.Split{{ID: "0"}} }
func (r *repeatReader) Completed(context.Context, []exec.Split) error { return nil }
func (r *repeatReader) Close() error                                  { return nil }

// pass hands rows on.
type pass struct{}

func (pass) Open(*exec.Context) error                           { return nil }
func (pass) Process(_ int, b *vec.Batch, out exec.Output) error { return out.Emit(b) }
func (pass) Advance(t types.Time, out exec.Output) error        { return out.Watermark(t) }
func (pass) Close() error                                       { return nil }
func passNode(uid string, p int, in exec.Edge, columns []types.Field) *exec.Node {
	return &exec.Node{UID: uid, Name: "Pass", Parallelism: p, Inputs: []exec.Edge{in}, Output: columns,
		New: func() (exec.Operator, error) { return pass{}, nil }}
}

type discard struct{}

func (discard) Writer(context.Context, exec.SinkContext) (exec.Writer, error) { return discard{}, nil }
func (discard) Write(context.Context, *vec.Batch) error                       { return nil }
func (discard) Flush(context.Context) error                                   { return nil }
func (discard) Close() error                                                  { return nil }

// BenchmarkRuntime is the cost of the runtime alone, per row of six columns:
// source → pass → sink, in one chain, and with an exchange between.
func BenchmarkRuntime(b *testing.B) {
	columns := exectest.Columns("a BIGINT, b BIGINT, c BIGINT, d DOUBLE, e STRING, f TIMESTAMP(3)")
	batch := vec.NewBatch(exectest.Types(columns)...)
	for i := range 4096 {
		for _, c := range batch.Cols {
			switch c.Kind {
			case vec.I64:
				c.I64 = append(c.I64, int64(i))
			case vec.F64:
				c.F64 = append(c.F64, float64(i))
			case vec.Bytes:
				c.AppendBytes([]byte("abcdefghij"))
			}
		}
		batch.N++
	}
	for _, c := range []struct {
		name     string
		exchange exec.Exchange
		p        int
	}{{"chain", exec.Forward, 1}, {"hash1", exec.Hash, 1}, {"hash2", exec.Hash, 2}, {"rebalance2", exec.Rebalance, 2}} {
		b.Run(c.name, func(b *testing.B) {
			times := b.N/batch.N + 1
			edge := exec.Edge{From: 0, Exchange: c.exchange, Key: []int{0}}
			g := &exec.Graph{Name: "bench", Nodes: []*exec.Node{
				{UID: "s", Name: "Repeat", Parallelism: 1, Output: columns, Source: &exec.SourceNode{Source: &repeat{batch, times}, Bounded: true}},
				passNode("p", c.p, edge, columns),
				{UID: "k", Name: "Discard", Parallelism: c.p, Inputs: []exec.Edge{{From: 1}}, Sink: &exec.SinkNode{Sink: discard{}}},
			}}
			b.ResetTimer()
			j, err := exec.Run(context.Background(), g, exec.Config{WatermarkInterval: 1})
			if err != nil {
				b.Fatal(err)
			}
			if err := j.Wait(); err != nil {
				b.Fatal(err)
			}
			if got := j.Status().Nodes[2].Subtasks[0].RowsIn; got == 0 {
				b.Fatal(fmt.Errorf("no rows at the sink"))
			}
		})
	}
}

package op

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

type nowhere struct{ rows int }

func (n *nowhere) Emit(b *vec.Batch) error    { n.rows += b.Len(); return nil }
func (n *nowhere) Watermark(types.Time) error { return nil }

// openBench opens an operator with empty state.
func openBench(b testing.TB, o exec.Operator, err error) *exec.Context {
	if err != nil {
		b.Fatal(err)
	}
	s, err := state.Open(state.Options{Operator: "bench", Range: state.AllGroups})
	if err != nil {
		b.Fatal(err)
	}
	ctx := &exec.Context{Parallelism: 1, State: s, Metrics: &exec.Metrics{}, Log: slog.New(slog.DiscardHandler), Watermark: types.MinTime}
	if err := o.Open(ctx); err != nil {
		b.Fatal(err)
	}
	return ctx
}

// bids are batches of bids like Nexmark's: half of them on the hot one of
// the current hundred auctions, 100,000 a second.
func bids(batches, size int) []*vec.Batch {
	var all []*vec.Batch
	n, seed := int64(0), uint64(1)
	for range batches {
		b := vec.NewBatch(types.Of(types.BigInt), types.TimestampOf(3), types.Of(types.BigInt))
		for range size {
			seed = seed*6364136223846793005 + 1442695040888963407
			auction := n / 1500 * 100
			if seed>>63 == 0 {
				auction += int64(seed >> 40 % 100)
			}
			b.Cols[0].I64 = append(b.Cols[0].I64, auction)
			b.Cols[1].I64 = append(b.Cols[1].I64, 1735689600000000+n*10)
			b.Cols[2].I64 = append(b.Cols[2].I64, int64(seed>>45))
			n++
		}
		b.N = size
		b.Hash = vec.HashRows(b.Cols[:1], vec.Identity(size), size, nil)
		all = append(all, b)
	}
	return all
}

var bidFields = exectest.Columns("auction BIGINT, ts TIMESTAMP(3), price BIGINT")

// BenchmarkWindowAgg is one operation a row, with a watermark 4 s behind each
// 200 ms.
func BenchmarkWindowAgg(b *testing.B) {
	count := []AggCall{call(b, "COUNT", bidFields)}
	many := append(count, call(b, "MIN", bidFields, 2), call(b, "MAX", bidFields, 2), call(b, "AVG", bidFields, 2), call(b, "SUM", bidFields, 2))
	for _, w := range []struct {
		name  string
		w     Window
		calls []AggCall
	}{
		{"tumble count", Window{Kind: Tumble, Size: 10 * second, Time: 1}, count},
		{"tumble 5 aggregates", Window{Kind: Tumble, Size: 10 * second, Time: 1}, many},
		{"hop count (q5)", Window{Kind: Hop, Size: 10 * second, Slide: 2 * second, Time: 1}, count},
		{"cumulate count", Window{Kind: Cumulate, Size: 60 * second, Slide: 10 * second, Time: 1}, count},
		{"session count (q11)", Window{Kind: Session, Size: 10 * second, Time: 1}, count},
	} {
		b.Run(w.name, func(b *testing.B) {
			s := WindowAggSpec{Keys: []int{0}, Aggs: w.calls, Window: &w.w, Properties: []WindowProperty{WindowStart, WindowEnd}}
			s.Inputs, s.Output = [][]types.Field{bidFields}, []types.Field{bidFields[0]}
			for _, c := range w.calls {
				s.Output = append(s.Output, types.Field{Name: c.Name, Type: c.Bound.Result})
			}
			s.Output = append(s.Output, bidFields[1], bidFields[1])
			benchRows(b, func() (exec.Operator, error) { return NewWindowAgg(s) })
		})
	}
}

const benchBatch = 4096

// benchRows feeds bids to the operator, with watermarks.
func benchRows(b *testing.B, make func() (exec.Operator, error)) {
	batches := bids(500, benchBatch)
	b.ReportAllocs()
	b.ResetTimer()
	var out nowhere
	for done := 0; done < b.N; {
		o, err := make()
		if err != nil {
			b.Skip(err)
		}
		ctx := openBench(b, o, err)
		for i, in := range batches {
			if done >= b.N {
				break
			}
			if err := o.Process(0, in.Head(), &out); err != nil {
				b.Fatal(err)
			}
			if i%5 == 4 {
				t := types.FromMicros(in.Cols[1].I64[benchBatch-1]) - 4*second
				if err := o.Advance(t, &out); err != nil {
					b.Fatal(err)
				}
				ctx.Watermark = t
			}
			done += benchBatch
		}
	}
	if out.rows == 0 && b.N > 1<<21 {
		b.Fatal(fmt.Errorf("nothing came out"))
	}
}

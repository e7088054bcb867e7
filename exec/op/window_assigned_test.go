package op

import (
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Windows over windows: the rows name their windows.
func TestWindowAssigned(t *testing.T) {
	in := exectest.In("k STRING, s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT", 0)
	s := WindowAggSpec{Keys: []int{0}, Aggs: []AggCall{call(t, "SUM", in.Fields, 3)}, StartCol: 1, EndCol: 2,
		Properties: []WindowProperty{WindowStart, WindowEnd, WindowTime}}
	c := windowCaseOf(s, in)
	c.Watermarks = true
	expect(t, exectest.Run(t, c, `
		a, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000, 1
		a, 2024-01-01 00:00:10.000, 2024-01-01 00:00:20.000, 2
		a, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000, 4
		watermark 2024-01-01 00:00:09.999
		# late
		a, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000, 8
		watermark max
	`), `+I a, 5, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000, 2024-01-01 00:00:09.999
watermark 2024-01-01 00:00:09.999
+I a, 2, 2024-01-01 00:00:10.000, 2024-01-01 00:00:20.000, 2024-01-01 00:00:19.999
watermark +inf
`)
}

// Ends of windows of a TIMESTAMP_LTZ are wall clocks: they fire when the
// zone's clock shows them.
func TestWindowAssignedLocal(t *testing.T) {
	tokyo := time.FixedZone("", 9*3600)
	in := exectest.In("k STRING, e TIMESTAMP(3)", 0)
	s := WindowAggSpec{Keys: []int{0}, Aggs: []AggCall{call(t, "COUNT", in.Fields)}, StartCol: -1, EndCol: 1, LTZ: true,
		Properties: []WindowProperty{WindowEnd}}
	s.Zone = tokyo
	c := windowCaseOf(s, in)
	c.Watermarks = true
	expect(t, exectest.Run(t, c, `
		a, 2024-01-01 09:00:00.000
		watermark 2023-12-31 23:59:59.998
		watermark 2023-12-31 23:59:59.999
	`), `watermark 2023-12-31 23:59:59.998
+I a, 1, 2024-01-01 09:00:00.000
watermark 2023-12-31 23:59:59.999
`)
}

func TestSlicedProctime(t *testing.T) {
	const script = `
		now 2024-01-01 00:00:03
		a, NULL, 1
		now 2024-01-01 00:00:07
		a, NULL, 2
		now 2024-01-01 00:01:00
	`
	sum := call(t, "SUM", windowFields, 2)
	c := windowCase(Window{Kind: Hop, Size: 10 * second, Slide: 5 * second, Proctime: true}, sum)
	expect(t, exectest.Run(t, c, script), `+I a, 1, 2023-12-31 23:59:55.000, 2024-01-01 00:00:05.000
+I a, 3, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I a, 2, 2024-01-01 00:00:05.000, 2024-01-01 00:00:15.000
`)
	c = windowCase(Window{Kind: Cumulate, Size: 10 * second, Slide: 5 * second, Proctime: true}, sum)
	expect(t, exectest.Run(t, c, script), `+I a, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:05.000
+I a, 3, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
`)
}

// Rows are counted as late once, however many windows they would have been
// in; state is gone when the last window has fired.
func TestWindowLateAndState(t *testing.T) {
	for _, c := range []struct {
		w    Window
		late int64
	}{
		{Window{Kind: Tumble, Size: 10 * second}, 3}, {Window{Kind: Hop, Size: 10 * second, Slide: 2 * second}, 2},
		{Window{Kind: Cumulate, Size: 10 * second, Slide: 5 * second}, 3}, {Window{Kind: Session, Size: 2 * second}, 2},
	} {
		w := c.w
		w.Time = 1
		s := WindowAggSpec{Keys: []int{0}, Aggs: []AggCall{call(t, "COUNT", windowFields)}, Window: &w, StartCol: -1, EndCol: -1}
		s.Inputs, s.Output = [][]types.Field{windowFields}, append(windowFields[:1:1], types.Field{Type: types.Of(types.BigInt)})
		o, err := NewWindowAgg(s)
		ctx := openBench(t, o, err)
		var out nowhere
		feed := func(text string, mark types.Time) {
			b := exectest.MustRows(windowFields, text)
			b.Hash = vec.HashRows(b.Cols[:1], vec.Identity(b.N), b.N, nil)
			if err := o.Process(0, b, &out); err != nil {
				t.Fatal(err)
			}
			if err := o.Advance(mark, &out); err != nil {
				t.Fatal(err)
			}
			ctx.Watermark = mark
		}
		start := types.TimeOf(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
		feed("a, 2024-01-01 00:00:01.000, 1\nb, 2024-01-01 00:00:02.000, 1", start+30*second)
		feed("a, 2024-01-01 00:00:03.000, 1\nc, 2024-01-01 00:00:29.000, 1\nc, 2024-01-01 00:00:14.000, 1", types.MaxTime)
		if late := ctx.Metrics.Late.Load(); late != c.late {
			t.Errorf("%v: %d late rows", w.Kind, late)
		}
		if n := ctx.State.Rows(); n != 0 {
			t.Errorf("%v: %d rows of state are left", w.Kind, n)
		}
	}
}

package op

import (
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

const windowColumns = "k STRING, ts TIMESTAMP(3), v INT"

var windowFields = exectest.Columns(windowColumns)

const (
	second = 1000
	hour   = 3600 * second
)

// windowCase aggregates windowColumns by k in windows over ts; output: k,
// the calls, window_start, window_end.
func windowCase(w Window, calls ...AggCall) exectest.Case {
	in := exectest.In(windowColumns, 0)
	w.Time = 1
	s := WindowAggSpec{Keys: []int{0}, Aggs: calls, Window: &w, StartCol: -1, EndCol: -1,
		Properties: []WindowProperty{WindowStart, WindowEnd}}
	return windowCaseOf(s, in)
}

func windowCaseOf(s WindowAggSpec, in exectest.Input) exectest.Case {
	s.Inputs = [][]types.Field{in.Fields}
	for _, k := range s.Keys {
		s.Output = append(s.Output, in.Fields[k])
	}
	for _, c := range s.Aggs {
		s.Output = append(s.Output, types.Field{Name: c.Name, Type: c.Bound.Result})
	}
	for range s.Properties {
		s.Output = append(s.Output, types.Field{Name: "window", Type: types.TimestampOf(3)})
	}
	return exectest.Case{New: func() (exec.Operator, error) { return NewWindowAgg(s) },
		Inputs: []exectest.Input{in}, Output: s.Output}
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}

func TestTumble(t *testing.T) {
	c := windowCase(Window{Kind: Tumble, Size: 10 * second}, call(t, "COUNT", windowFields), call(t, "SUM", windowFields, 2))
	c.Watermarks = true
	expect(t, exectest.Run(t, c, `
		b, 2024-01-01 00:00:01.000, 1
		a, 2024-01-01 00:00:09.999, 2
		a, 2024-01-01 00:00:10.000, 3
		b, 2024-01-01 00:00:00.000, NULL
		NULL, 2024-01-01 00:00:05.000, 7
		watermark 2024-01-01 00:00:09.998
		# not late: its window has not fired
		b, 2024-01-01 00:00:02.000, 10
		watermark 2024-01-01 00:00:09.999
		# late, and not late
		b, 2024-01-01 00:00:03.000, 100
		b, 2024-01-01 00:00:11.000, 4
		watermark max
	`), `watermark 2024-01-01 00:00:09.998
+I b, 3, 11, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I a, 1, 2, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I NULL, 1, 7, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
watermark 2024-01-01 00:00:09.999
+I a, 1, 3, 2024-01-01 00:00:10.000, 2024-01-01 00:00:20.000
+I b, 1, 4, 2024-01-01 00:00:10.000, 2024-01-01 00:00:20.000
watermark +inf
`)
}

func TestTumbleOffset(t *testing.T) {
	c := windowCase(Window{Kind: Tumble, Size: hour, Offset: -15 * 60 * second}, call(t, "COUNT", windowFields))
	expect(t, exectest.Run(t, c, `
		a, 1969-12-31 23:44:59.999, 1
		a, 1969-12-31 23:45:00.000, 1
		a, 1970-01-01 00:00:00.000, 1
		watermark max
	`), `+I a, 1, 1969-12-31 22:45:00.000, 1969-12-31 23:45:00.000
+I a, 2, 1969-12-31 23:45:00.000, 1970-01-01 00:45:00.000
`)
}

// A window whose rows were all taken back emits nothing.
func TestTumbleRetracts(t *testing.T) {
	in := exectest.In(windowColumns, 0)
	s := WindowAggSpec{Keys: []int{0}, Aggs: []AggCall{call(t, "COUNT", windowFields), call(t, "MAX", windowFields, 2)},
		Window: &Window{Kind: Tumble, Size: 10 * second, Time: 1}, StartCol: -1, EndCol: -1, InputRetract: true}
	expect(t, exectest.Run(t, windowCaseOf(s, in), `
		+I a, 2024-01-01 00:00:01.000, 5
		+I b, 2024-01-01 00:00:01.000, 6
		-U a, 2024-01-01 00:00:01.000, 5
		+U a, 2024-01-01 00:00:01.000, 3
		-D b, 2024-01-01 00:00:01.000, 6
		watermark max
	`), "+I a, 1, 3\n")
}

func TestTumbleProctime(t *testing.T) {
	c := windowCase(Window{Kind: Tumble, Size: 10 * second, Proctime: true}, call(t, "COUNT", windowFields))
	expect(t, exectest.Run(t, c, `
		now 2024-01-01 00:00:03
		a, NULL, 1
		b, NULL, 1
		now 2024-01-01 00:00:09
		a, NULL, 1
		now 2024-01-01 00:00:10
		a, NULL, 1
		now 2024-01-01 00:01:00
	`), `+I a, 2, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I b, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I a, 1, 2024-01-01 00:00:10.000, 2024-01-01 00:00:20.000
`)
}

// expectOverlapping runs a script with slices, and, with a DISTINCT aggregate,
// with accumulators per window.
func expectOverlapping(t *testing.T, w Window, script, want string) {
	t.Helper()
	c := windowCase(w, call(t, "COUNT", windowFields), call(t, "SUM", windowFields, 2))
	expect(t, exectest.Run(t, c, script), want)
	distinct := call(t, "SUM", windowFields, 2)
	distinct.Distinct = true
	c = windowCase(w, call(t, "COUNT", windowFields), distinct)
	c.Batch = 1 // or keys would come in the order of their first window in a batch
	expect(t, exectest.Run(t, c, script), want)
}

func TestHop(t *testing.T) {
	expectOverlapping(t, Window{Kind: Hop, Size: 10 * second, Slide: 5 * second}, `
		a, 2024-01-01 00:00:01.000, 1
		b, 2024-01-01 00:00:06.000, 2
		watermark 2024-01-01 00:00:04.999
		# in the window 0–10, for which it is not late
		a, 2024-01-01 00:00:02.000, 10
		watermark 2024-01-01 00:00:09.999
		# late for both of its windows
		a, 2024-01-01 00:00:03.000, 100
		# only in the later one of its two windows
		a, 2024-01-01 00:00:08.000, 1000
		a, 2024-01-01 00:00:21.000, 2000
		watermark max
	`, `+I a, 1, 1, 2023-12-31 23:59:55.000, 2024-01-01 00:00:05.000
+I a, 2, 11, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I b, 1, 2, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I b, 1, 2, 2024-01-01 00:00:05.000, 2024-01-01 00:00:15.000
+I a, 1, 1000, 2024-01-01 00:00:05.000, 2024-01-01 00:00:15.000
+I a, 1, 2000, 2024-01-01 00:00:15.000, 2024-01-01 00:00:25.000
+I a, 1, 2000, 2024-01-01 00:00:20.000, 2024-01-01 00:00:30.000
`)
}

// Group windows may have a size that is no multiple of the slide, and gaps.
func TestHopUneven(t *testing.T) {
	expectOverlapping(t, Window{Kind: Hop, Size: 5 * second, Slide: 2 * second}, `
		a, 2024-01-01 00:00:04.000, 1
		watermark max
	`, `+I a, 1, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:05.000
+I a, 1, 1, 2024-01-01 00:00:02.000, 2024-01-01 00:00:07.000
+I a, 1, 1, 2024-01-01 00:00:04.000, 2024-01-01 00:00:09.000
`)
	expectOverlapping(t, Window{Kind: Hop, Size: 2 * second, Slide: 5 * second, Offset: second}, `
		# windows begin at seconds 1, 6, 11 …
		a, 2024-01-01 00:00:02.999, 1
		a, 2024-01-01 00:00:03.000, 10
		a, 2024-01-01 00:00:06.000, 100
		watermark max
	`, `+I a, 1, 1, 2024-01-01 00:00:01.000, 2024-01-01 00:00:03.000
+I a, 1, 100, 2024-01-01 00:00:06.000, 2024-01-01 00:00:08.000
`)
}

func TestCumulate(t *testing.T) {
	expectOverlapping(t, Window{Kind: Cumulate, Size: 15 * second, Slide: 5 * second}, `
		a, 2024-01-01 00:00:01.000, 1
		b, 2024-01-01 00:00:06.000, 2
		watermark 2024-01-01 00:00:04.999
		# its first window has fired: in the later ones
		a, 2024-01-01 00:00:02.000, 10
		watermark 2024-01-01 00:00:14.999
		# late
		a, 2024-01-01 00:00:03.000, 100
		a, 2024-01-01 00:00:29.000, 1000
		watermark max
	`, `+I a, 1, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:05.000
+I a, 2, 11, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I b, 1, 2, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000
+I a, 2, 11, 2024-01-01 00:00:00.000, 2024-01-01 00:00:15.000
+I b, 1, 2, 2024-01-01 00:00:00.000, 2024-01-01 00:00:15.000
+I a, 1, 1000, 2024-01-01 00:00:15.000, 2024-01-01 00:00:30.000
`)
}

func TestHopRetracts(t *testing.T) {
	in := exectest.In(windowColumns, 0)
	s := WindowAggSpec{Keys: []int{0}, Aggs: []AggCall{call(t, "COUNT", windowFields), call(t, "MAX", windowFields, 2)},
		Window: &Window{Kind: Hop, Size: 10 * second, Slide: 5 * second, Time: 1}, StartCol: -1, EndCol: -1,
		Properties: []WindowProperty{WindowEnd}, InputRetract: true}
	expect(t, exectest.Run(t, windowCaseOf(s, in), `
		+I a, 2024-01-01 00:00:01.000, 5
		+I a, 2024-01-01 00:00:06.000, 7
		watermark 2024-01-01 00:00:09.999
		-D a, 2024-01-01 00:00:06.000, 7
		watermark max
	`), `+I a, 1, 5, 2024-01-01 00:00:05.000
+I a, 2, 7, 2024-01-01 00:00:10.000
`)
}

// Days of a TIMESTAMP_LTZ begin at local midnight, also where clocks change,
// and fire when the local day is over.
func TestTumbleLocalDays(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	in := exectest.In("k STRING, ts TIMESTAMP_LTZ(3), v INT", 0)
	s := WindowAggSpec{Keys: []int{0}, Aggs: []AggCall{call(t, "COUNT", in.Fields)},
		Window: &Window{Kind: Tumble, Size: 24 * hour, Time: 1, LTZ: true}, StartCol: -1, EndCol: -1,
		Properties: []WindowProperty{WindowStart, WindowEnd}}
	s.Zone = berlin
	c := windowCaseOf(s, in)
	c.Watermarks = true
	expect(t, exectest.Run(t, c, `
		a, 2024-03-30 22:59:59.999, 1
		# 25 and 23 hours from local midnight to midnight
		a, 2024-03-30 23:00:00.000, 1
		a, 2024-03-31 21:59:59.999, 1
		a, 2024-10-26 22:00:00.000, 1
		a, 2024-10-27 22:59:59.999, 1
		watermark 2024-10-27 22:59:59.998
		watermark 2024-10-27 22:59:59.999
	`), `+I a, 1, 2024-03-30 00:00:00.000, 2024-03-31 00:00:00.000
+I a, 2, 2024-03-31 00:00:00.000, 2024-04-01 00:00:00.000
watermark 2024-10-27 22:59:59.998
+I a, 2, 2024-10-27 00:00:00.000, 2024-10-28 00:00:00.000
watermark 2024-10-27 22:59:59.999
`)
}

// The hour that occurs twice is one window, which fires after its second
// time.
func TestTumbleRepeatedHour(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	c := clockOf(berlin, true)
	end := time.Date(2024, 10, 27, 3, 0, 0, 0, time.UTC).UnixMilli()
	if got := types.Time(c.fires(end)); got.String() != "2024-10-27 01:59:59.999" {
		t.Errorf("fires at %v", got)
	}
}

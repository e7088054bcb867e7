package op

import (
	"testing"

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

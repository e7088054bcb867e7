package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

func windowTableCase(w Window) exectest.Case {
	in := exectest.In(windowColumns)
	w.Time = 1
	s := WindowTableSpec{Window: w}
	s.Inputs = [][]types.Field{in.Fields}
	s.Output = append(exectest.Columns(windowColumns), exectest.Columns("window_start TIMESTAMP(3), window_end TIMESTAMP(3), window_time TIMESTAMP(3)")...)
	return exectest.Case{New: func() (exec.Operator, error) { return NewWindowTable(s) }, Inputs: []exectest.Input{in}, Output: s.Output}
}

func TestWindowTable(t *testing.T) {
	c := windowTableCase(Window{Kind: Tumble, Size: 10 * second})
	expect(t, exectest.Run(t, c, `
		a, 2024-01-01 00:00:09.999, 1
		watermark 2024-01-01 00:01:00
		# never late
		+I NULL, 2024-01-01 00:00:10.000, NULL
	`), `+I a, 2024-01-01 00:00:09.999, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000, 2024-01-01 00:00:09.999
+I NULL, 2024-01-01 00:00:10.000, NULL, 2024-01-01 00:00:10.000, 2024-01-01 00:00:20.000, 2024-01-01 00:00:19.999
`)
	c = windowTableCase(Window{Kind: Hop, Size: 10 * second, Slide: 5 * second})
	expect(t, exectest.Run(t, c, "a, 2024-01-01 00:00:09.999, 1"),
		`+I a, 2024-01-01 00:00:09.999, 1, 2024-01-01 00:00:05.000, 2024-01-01 00:00:15.000, 2024-01-01 00:00:14.999
+I a, 2024-01-01 00:00:09.999, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000, 2024-01-01 00:00:09.999
`)
	c = windowTableCase(Window{Kind: Cumulate, Size: 10 * second, Slide: 5 * second})
	expect(t, exectest.Run(t, c, "a, 2024-01-01 00:00:04.999, 1\na, 2024-01-01 00:00:05.000, 1"),
		`+I a, 2024-01-01 00:00:04.999, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:05.000, 2024-01-01 00:00:04.999
+I a, 2024-01-01 00:00:04.999, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000, 2024-01-01 00:00:09.999
+I a, 2024-01-01 00:00:05.000, 1, 2024-01-01 00:00:00.000, 2024-01-01 00:00:10.000, 2024-01-01 00:00:09.999
`)
}

// A NULL time fails the job.
func TestWindowNullTime(t *testing.T) {
	c := windowTableCase(Window{Kind: Tumble, Size: 10 * second})
	expect(t, exectest.Run(t, c, "a, NULL, 1"), "error: "+errNullTime.Error()+"\n")
}

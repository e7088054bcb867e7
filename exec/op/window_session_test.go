package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

func TestSession(t *testing.T) {
	distinct := call(t, "COUNT", windowFields, 2)
	distinct.Distinct = true
	c := windowCase(Window{Kind: Session, Size: 10 * second}, call(t, "COUNT", windowFields), call(t, "MAX", windowFields, 2), distinct)
	c.Batch = 1
	expect(t, exectest.Run(t, c, `
		a, 2024-01-01 00:00:01.000, 1
		a, 2024-01-01 00:00:21.000, 5
		b, 2024-01-01 00:00:05.000, 7
		# exactly a gap after the first and before the second: one session
		a, 2024-01-01 00:00:11.000, 1
		NULL, 2024-01-01 00:00:02.000, NULL
		watermark 2024-01-01 00:00:14.998
		# late: its session would have ended at 14.998
		c, 2024-01-01 00:00:04.998, 1
		# begins an earlier session, not late: it goes on in b's
		b, 2024-01-01 00:00:04.998, 6
		watermark 2024-01-01 00:00:30.999
		a, 2024-01-01 00:00:31.000, 8
		a, 2024-01-01 00:00:50.000, 8
		a, 2024-01-01 00:00:40.000, 9
		watermark max
	`), `+I NULL, 1, NULL, 0, 2024-01-01 00:00:02.000, 2024-01-01 00:00:12.000
+I b, 2, 7, 2, 2024-01-01 00:00:04.998, 2024-01-01 00:00:15.000
+I a, 3, 5, 2, 2024-01-01 00:00:01.000, 2024-01-01 00:00:31.000
+I a, 3, 9, 2, 2024-01-01 00:00:31.000, 2024-01-01 00:01:00.000
`)
}

// Rows of one batch before and after a merge count once, in order.
func TestSessionMergesThree(t *testing.T) {
	c := windowCase(Window{Kind: Session, Size: 10 * second}, call(t, "COUNT", windowFields), call(t, "SUM", windowFields, 2))
	expect(t, exectest.Run(t, c, `
		a, 2024-01-01 00:00:01.000, 1
		a, 2024-01-01 00:00:30.000, 2
		a, 2024-01-01 00:00:31.000, 4
		a, 2024-01-01 00:00:15.000, 8
		a, 2024-01-01 00:00:20.000, 16
		a, 2024-01-01 00:00:10.000, 32
		a, 2024-01-01 00:01:10.000, 64
		watermark max
	`), `+I a, 6, 63, 2024-01-01 00:00:01.000, 2024-01-01 00:00:41.000
+I a, 1, 64, 2024-01-01 00:01:10.000, 2024-01-01 00:01:20.000
`)
}

func TestSessionRetracts(t *testing.T) {
	in := exectest.In(windowColumns, 0)
	s := WindowAggSpec{Keys: []int{0}, Aggs: []AggCall{call(t, "COUNT", windowFields), call(t, "MAX", windowFields, 2)},
		Window: &Window{Kind: Session, Size: 10 * second, Time: 1}, StartCol: -1, EndCol: -1, InputRetract: true}
	expect(t, exectest.Run(t, windowCaseOf(s, in), `
		+I a, 2024-01-01 00:00:01.000, 5
		+I a, 2024-01-01 00:00:09.000, 4
		-D a, 2024-01-01 00:00:01.000, 5
		+I b, 2024-01-01 00:00:01.000, 6
		-D b, 2024-01-01 00:00:01.000, 6
		watermark max
	`), "+I a, 1, 4\n")
}

func TestSessionGlobalProctime(t *testing.T) {
	in := exectest.In(windowColumns)
	s := WindowAggSpec{Aggs: []AggCall{call(t, "COUNT", windowFields)},
		Window: &Window{Kind: Session, Size: 10 * second, Proctime: true}, StartCol: -1, EndCol: -1,
		Properties: []WindowProperty{WindowStart, WindowTime}}
	c := windowCaseOf(s, in)
	c.Output[1].Type, c.Output[2].Type = types.TimestampOf(3), types.LTZOf(3)
	expect(t, exectest.Run(t, c, `
		now 2024-01-01 00:00:03
		a, NULL, 1
		now 2024-01-01 00:00:11
		b, NULL, 1
		now 2024-01-01 00:00:20
		a, NULL, 1
		now 2024-01-01 00:01:00
	`), `+I 3, 2024-01-01 00:00:03.000, 2024-01-01 00:00:29.999
`)
}

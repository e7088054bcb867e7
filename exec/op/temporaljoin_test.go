package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

func temporalCase(s TemporalJoinSpec) exectest.Case {
	left, right := exectest.In("n INT, k STRING, t TIMESTAMP(3)", 1), exectest.In("k STRING, rate INT, t TIMESTAMP(3)", 0)
	s.LeftKeys, s.RightKeys, s.LeftTime, s.RightTime = []int{1}, []int{0}, 2, 2
	s.Inputs = [][]types.Field{left.Fields, right.Fields}
	s.Output = append(append([]types.Field(nil), left.Fields...), right.Fields...)
	return exectest.Case{New: func() (exec.Operator, error) { return NewTemporalJoin(s) }, Inputs: []exectest.Input{left, right}, Output: s.Output}
}

const temporalScript = `
	1, a, 2024-01-01 00:00:01
	2, a, 2024-01-01 00:00:02
	3, a, 2024-01-01 00:00:04
	4, NULL, 2024-01-01 00:00:04
	in 1
	a, 10, 2024-01-01 00:00:02
	-U a, 10, 2024-01-01 00:00:02
	+U a, 11, 2024-01-01 00:00:04
	watermark 2024-01-01 00:00:03
	+U a, NULL, 2024-01-01 00:00:05
	in 0
	5, a, 2024-01-01 00:00:06
	# late: the version of its time is still there
	6, a, 2024-01-01 00:00:03
	watermark 2024-01-01 00:00:06
	in 1
	# a deletion ends the version of its own time
	-D a, NULL, 2024-01-01 00:00:05
	in 0
	7, a, 2024-01-01 00:00:07
	watermark max
`

func TestTemporalJoin(t *testing.T) {
	same(t, exectest.Run(t, temporalCase(TemporalJoinSpec{Kind: Left}), temporalScript), `+I 4, NULL, 2024-01-01 00:00:04.000, NULL, NULL, NULL
+I 1, a, 2024-01-01 00:00:01.000, NULL, NULL, NULL
+I 2, a, 2024-01-01 00:00:02.000, a, 10, 2024-01-01 00:00:02.000
+I 6, a, 2024-01-01 00:00:03.000, a, 10, 2024-01-01 00:00:02.000
+I 3, a, 2024-01-01 00:00:04.000, a, 11, 2024-01-01 00:00:04.000
+I 5, a, 2024-01-01 00:00:06.000, a, NULL, 2024-01-01 00:00:05.000
+I 7, a, 2024-01-01 00:00:07.000, NULL, NULL, NULL
`)
	if got := exectest.Run(t, temporalCase(TemporalJoinSpec{}), temporalScript); count(got, "+I") != 4 {
		t.Errorf("got\n%s", got)
	}
}

func TestTemporalJoinResidual(t *testing.T) {
	fields := append(exectest.Columns("n INT, k STRING, t TIMESTAMP(3)"), exectest.Columns("k STRING, rate INT, t TIMESTAMP(3)")...)
	got := exectest.Run(t, temporalCase(TemporalJoinSpec{Kind: Left, Residual: compare(t, "<", fields, 0, 4)}), temporalScript)
	if count(got, "NULL, NULL, NULL") != 4 {
		t.Errorf("got\n%s", got)
	}
}

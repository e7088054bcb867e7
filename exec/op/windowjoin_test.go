package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

func windowJoinCase(s WindowJoinSpec) exectest.Case {
	left, right := exectest.In("k STRING, v INT, e TIMESTAMP(3)", 0), exectest.In("k STRING, w INT, e TIMESTAMP(3)", 0)
	s.LeftKeys, s.RightKeys, s.LeftEnd, s.RightEnd = []int{0}, []int{0}, 2, 2
	s.Inputs = [][]types.Field{left.Fields, right.Fields}
	s.Output = left.Fields
	if s.Kind < Semi {
		s.Output = append(append([]types.Field(nil), left.Fields...), right.Fields...)
	}
	return exectest.Case{New: func() (exec.Operator, error) { return NewWindowJoin(s) }, Inputs: []exectest.Input{left, right}, Output: s.Output}
}

const windowJoinScript = `
	a, 1, 2024-01-01 00:00:10
	a, 2, 2024-01-01 00:00:10
	a, 3, 2024-01-01 00:00:20
	b, 4, 2024-01-01 00:00:10
	NULL, 5, 2024-01-01 00:00:10
	in 1
	a, 7, 2024-01-01 00:00:10
	c, 8, 2024-01-01 00:00:10
	watermark 2024-01-01 00:00:09.999
	# late
	a, 9, 2024-01-01 00:00:10
	a, 0, 2024-01-01 00:00:20
	watermark max
`

func TestWindowJoin(t *testing.T) {
	same(t, exectest.Run(t, windowJoinCase(WindowJoinSpec{Kind: Full}), windowJoinScript), `+I NULL, 5, 2024-01-01 00:00:10.000, NULL, NULL, NULL
+I a, 1, 2024-01-01 00:00:10.000, a, 7, 2024-01-01 00:00:10.000
+I a, 2, 2024-01-01 00:00:10.000, a, 7, 2024-01-01 00:00:10.000
+I b, 4, 2024-01-01 00:00:10.000, NULL, NULL, NULL
+I NULL, NULL, NULL, c, 8, 2024-01-01 00:00:10.000
+I a, 3, 2024-01-01 00:00:20.000, a, 0, 2024-01-01 00:00:20.000
`)
	for kind, n := range map[JoinKind]int{Inner: 3, Left: 5, Right: 4, Semi: 3, Anti: 2} {
		got := exectest.Run(t, windowJoinCase(WindowJoinSpec{Kind: kind}), windowJoinScript)
		if c := count(got, "+I"); c != n {
			t.Errorf("%v: %d rows, expected %d:\n%s", kind, c, n, got)
		}
	}
}

func TestWindowJoinResidual(t *testing.T) {
	fields := append(exectest.Columns("k STRING, v INT, e TIMESTAMP(3)"), exectest.Columns("k STRING, w INT, e TIMESTAMP(3)")...)
	s := WindowJoinSpec{Kind: Left, Residual: compare(t, ">", fields, 1, 4)}
	same(t, exectest.Run(t, windowJoinCase(s), windowJoinScript), `+I NULL, 5, 2024-01-01 00:00:10.000, NULL, NULL, NULL
+I a, 1, 2024-01-01 00:00:10.000, NULL, NULL, NULL
+I a, 2, 2024-01-01 00:00:10.000, NULL, NULL, NULL
+I b, 4, 2024-01-01 00:00:10.000, NULL, NULL, NULL
+I a, 3, 2024-01-01 00:00:20.000, a, 0, 2024-01-01 00:00:20.000
`)
}

package exectest_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
)

func TestRunCounter(t *testing.T) {
	got := exectest.Run(t, exectest.Case{
		New:    func() (exec.Operator, error) { return &exectest.Counter{}, nil },
		Inputs: []exectest.Input{exectest.In("k STRING", 0)},
		Output: exectest.CounterOutput,
	}, `
		a
		b
		+I a
		watermark 5
		a
	`)
	want := "+I a, 1\n+I b, 1\n-U a, 1\n+U a, 2\n-U a, 2\n+U a, 3\n"
	if got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
}

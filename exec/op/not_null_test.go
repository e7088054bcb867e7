package op_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/op"
)

func notNull(drop bool) exectest.Case {
	in := exectest.In("a INT, b STRING")
	return exectest.Case{
		Inputs: []exectest.Input{in},
		Output: in.Fields,
		New: func() (exec.Operator, error) {
			return op.NewNotNull(op.NotNullSpec{Common: op.Common{Output: in.Fields}, Columns: []int{0, 1}, Table: "t", Drop: drop})
		},
	}
}

func TestNotNull(t *testing.T) {
	script := "+I 1, x\n+I 2, NULL\n+I NULL, y\n+I 3, z\n"
	if got, want := exectest.Run(t, notNull(true), script), "+I 1, x\n+I 3, z\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	got := exectest.Run(t, notNull(false), "+I 1, x\n+I NULL, y\n")
	want := `error: column "a" of table t is NOT NULL, but a row of the query has a null there; ` +
		`filter such rows out, or leave them out by SET 'table.exec.sink.not-null-enforcer' = 'drop'` + "\n"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReplicate(t *testing.T) {
	in := exectest.In("a INT, n BIGINT")
	c := exectest.Case{Inputs: []exectest.Input{in}, Output: in.Fields, New: func() (exec.Operator, error) {
		return op.NewReplicate(op.ReplicateSpec{Common: op.Common{Output: in.Fields}, Count: 1})
	}}
	got := exectest.Run(t, c, "+I 1, 2\n+I 2, 0\n+I 3, NULL\n+I 4, 1\n-D 1, 2\n")
	want := "+I 1, 2\n+I 1, 2\n+I 4, 1\n-D 1, 2\n-D 1, 2\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

package op_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/op"
)

func TestUpsertChanges(t *testing.T) {
	in := exectest.In("k STRING, n INT")
	c := exectest.Case{Inputs: []exectest.Input{in}, Output: in.Fields, Upsert: []int{0}, New: func() (exec.Operator, error) {
		return op.NewUpsertChanges(op.UpsertChangesSpec{Key: []int{0}})
	}}
	for _, s := range []struct{ name, script, want string }{
		{"a pair", "+I a, 1\n-U a, 1\n+U a, 2\n", "+I a, 1\n+U a, 2\n"},
		{"held back", "+I a, 1\n-U a, 1\n+I b, 1\n", "+I a, 1\n-D a, 1\n+I b, 1\n"},
		{"at the end", "+I a, 1\n-U a, 1\n", "+I a, 1\n-D a, 1\n"},
		{"other keys", "+I a, 1\n-U a, 1\n+U b, 2\n", "+I a, 1\n-D a, 1\n+U b, 2\n"},
		{"null keys", "+I NULL, 1\n-U NULL, 1\n+U NULL, 2\n-D NULL, 2\n", "+I NULL, 1\n+U NULL, 2\n-D NULL, 2\n"},
	} {
		t.Run(s.name, func(t *testing.T) {
			if got := exectest.Run(t, c, s.script); got != s.want {
				t.Errorf("got\n%swant\n%s", got, s.want)
			}
		})
	}
}

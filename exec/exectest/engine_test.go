package exectest_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
)

func TestEngineCounter(t *testing.T) {
	exectest.RunEngine(t, "testdata/counter", exectest.Engine{
		Inputs: []exectest.EngineInput{{Name: "in", Columns: "k STRING"}},
		Nodes:  func(p int) []*exec.Node { return []*exec.Node{exectest.CounterNode("counter", p, 0)} },
		Output: exectest.CounterOutput,
	})
}

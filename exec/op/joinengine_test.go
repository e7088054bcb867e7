package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// joinNode joins feeds 0 and 1 by column 0 of both.
func joinNode(p int, make func() (exec.Operator, error), output []types.Field) []*exec.Node {
	return []*exec.Node{{UID: "join", Name: "join", Parallelism: p, Output: output, New: make, Folds: true, Inputs: []exec.Edge{
		{From: 0, Exchange: exec.Hash, Key: []int{0}, Port: 0}, {From: 1, Exchange: exec.Hash, Key: []int{0}, Port: 1}}}}
}

// What joins keep survives crashes, and is dealt out again on a rescale.
func TestEngineJoin(t *testing.T) {
	c := joinCase(JoinSpec{Kind: Full, LeftRetract: true, RightRetract: true})
	exectest.RunEngine(t, "testdata/engine_join", exectest.Engine{
		Inputs: []exectest.EngineInput{{Name: "left", Columns: "k STRING, v INT"}, {Name: "right", Columns: "k STRING, w INT"}},
		Nodes:  func(p int) []*exec.Node { return joinNode(p, c.New, c.Output) },
		Output: c.Output,
	})
}

func TestEngineIntervalJoin(t *testing.T) {
	c := intervalCase(Full)
	exectest.RunEngine(t, "testdata/engine_intervaljoin", exectest.Engine{
		Inputs: []exectest.EngineInput{{Name: "left", Columns: "k STRING, ot TIMESTAMP(3)"}, {Name: "right", Columns: "k STRING, pt TIMESTAMP(3)"}},
		Nodes:  func(p int) []*exec.Node { return joinNode(p, c.New, c.Output) },
		Output: c.Output,
	})
}

func TestEngineTemporalJoin(t *testing.T) {
	left, right := "k STRING, t TIMESTAMP(3)", "k STRING, rate INT, t TIMESTAMP(3)"
	s := TemporalJoinSpec{Kind: Left, LeftKeys: []int{0}, RightKeys: []int{0}, LeftTime: 1, RightTime: 2}
	s.Inputs = [][]types.Field{exectest.Columns(left), exectest.Columns(right)}
	s.Output = append(exectest.Columns(left), s.Inputs[1]...)
	exectest.RunEngine(t, "testdata/engine_temporaljoin", exectest.Engine{
		Inputs: []exectest.EngineInput{{Name: "left", Columns: left}, {Name: "right", Columns: right}},
		Nodes: func(p int) []*exec.Node {
			return joinNode(p, func() (exec.Operator, error) { return NewTemporalJoin(s) }, s.Output)
		},
		Output: s.Output,
	})
}

func TestEngineOver(t *testing.T) {
	c := overCase(OverSpec{Time: 2, Preceding: 1, Rows: true}, overCall(t, "SUM", 1), overCall(t, "ROW_NUMBER"))
	exectest.RunEngine(t, "testdata/engine_over", exectest.Engine{
		Inputs: []exectest.EngineInput{{Name: "in", Columns: overColumns}},
		Nodes: func(p int) []*exec.Node {
			return []*exec.Node{{UID: "over", Name: "over", Parallelism: p, Output: c.Output, New: c.New, Folds: true,
				Inputs: []exec.Edge{{From: 0, Exchange: exec.Hash, Key: []int{0}}}}}
		},
		Output: c.Output,
	})
}

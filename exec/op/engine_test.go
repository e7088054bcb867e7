package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// engineCase runs an engine script of testdata, with checkpoints, crashes and
// rescales, over a feed "in" of windowColumns keyed by k.
func engineCase(t *testing.T, name string, output []types.Field, make func() (exec.Operator, error)) {
	t.Run(name, func(t *testing.T) {
		exectest.RunEngine(t, "testdata/engine_"+name, exectest.Engine{
			Inputs: []exectest.EngineInput{{Name: "in", Columns: windowColumns}},
			Nodes: func(p int) []*exec.Node {
				return []*exec.Node{{UID: name, Name: name, Parallelism: p, Output: output, Folds: true,
					Inputs: []exec.Edge{{From: 0, Exchange: exec.Hash, Key: []int{0}}}, New: make}}
			},
			Output: output,
		})
	})
}

func TestEngine(t *testing.T) {
	count := []AggCall{call(t, "COUNT", windowFields), call(t, "SUM", windowFields, 2)}
	for name, w := range map[string]Window{
		"tumble":   {Kind: Tumble, Size: 10 * second},
		"hop":      {Kind: Hop, Size: 10 * second, Slide: 5 * second},
		"cumulate": {Kind: Cumulate, Size: 10 * second, Slide: 5 * second},
		"session":  {Kind: Session, Size: 4 * second},
	} {
		c := windowCase(w, count...)
		engineCase(t, name, c.Output, c.New)
	}
	first := dedupCase(DeduplicateSpec{})
	engineCase(t, "keep_first", first.Output, first.New)
	last := dedupCase(DeduplicateSpec{KeepLast: true})
	engineCase(t, "keep_last", last.Output, last.New)
	top := TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 2, OutputRank: true, EmitBefore: true}
	top.Inputs, top.Output = [][]types.Field{windowFields}, append(windowFields[:3:3], exectest.Columns("rn BIGINT")...)
	engineCase(t, "topn", top.Output, func() (exec.Operator, error) { return NewTopN(top) })
}

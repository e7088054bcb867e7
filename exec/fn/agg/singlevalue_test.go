package agg_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
)

// singleValues aggregates "k STRING, v STRING" by k.
func singleValues(t *testing.T) exectest.Case {
	in := exectest.In("k STRING, v STRING", 0)
	f, ok := fn.LookupAggregate("SINGLE_VALUE")
	if !ok {
		t.Fatal("no SINGLE_VALUE")
	}
	bound, err := f.Bind([]fn.Arg{{Type: in.Fields[1].Type}})
	if err != nil {
		t.Fatal(err)
	}
	s := op.GroupAggSpec{Keys: []int{0}, InputRetract: true, EmitBefore: true, Aggs: []op.AggCall{{Name: f.Name, Bound: bound, Args: []int{1}, Filter: -1}}}
	s.Inputs = [][]types.Field{in.Fields}
	s.Output = []types.Field{in.Fields[0], {Name: "v", Type: bound.Result}}
	return exectest.Case{New: func() (exec.Operator, error) { return op.NewGroupAgg(s) }, Inputs: []exectest.Input{in}, Output: s.Output, Batch: 1}
}

func TestSingleValue(t *testing.T) {
	got := exectest.Run(t, singleValues(t), `
		+I a, x
		+I b, NULL
		-U a, x
		+U a, y
		-D b, NULL
		+I b, z
	`)
	want := `+I a, x
+I b, NULL
-D a, x
+I a, y
-D b, NULL
+I b, z
`
	if got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}

func TestSingleValueOfTwoRows(t *testing.T) {
	got := exectest.Run(t, singleValues(t), "+I a, x\n+I a, x")
	want := "+I a, x\nerror: SINGLE_VALUE: a subquery that is used as a value returned more than one row\n"
	if got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}

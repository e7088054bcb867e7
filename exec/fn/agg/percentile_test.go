package agg_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestPercentile(t *testing.T) {
	in := exectest.In("k STRING, v DOUBLE", 0)
	f, _ := fn.LookupAggregate("PERCENTILE")
	s := op.GroupAggSpec{Keys: []int{0}, InputRetract: true, EmitBefore: true}
	s.Inputs, s.Output = [][]types.Field{in.Fields}, in.Fields[:1:1]
	for _, p := range []float64{0, 0.5, 1} {
		bound, err := f.Bind([]fn.Arg{{Type: in.Fields[1].Type}, {Type: types.Of(types.Double), Literal: &vec.Value{Kind: vec.F64, F: p}}})
		if err != nil {
			t.Fatal(err)
		}
		s.Aggs = append(s.Aggs, op.AggCall{Name: f.Name, Bound: bound, Args: []int{1, 1}, Filter: -1})
		s.Output = append(s.Output, types.Field{Name: "p", Type: bound.Result})
	}
	c := exectest.Case{New: func() (exec.Operator, error) { return op.NewGroupAgg(s) }, Inputs: []exectest.Input{in}, Output: s.Output}
	table(t, exectest.Run(t, c, "a, 4\na, 1\na, 2\na, 9\nb, NULL\na, 1\n-D a, 9"), "a, 1.0, 1.5, 4.0|b, NULL, NULL, NULL")
}

// A percentage that is no constant from 0 to 1 is refused.
func TestPercentileRefusals(t *testing.T) {
	f, _ := fn.LookupAggregate("PERCENTILE")
	number := fn.Arg{Type: types.Of(types.Double)}
	for _, p := range []fn.Arg{number, {Type: number.Type, Literal: &vec.Value{Kind: vec.F64, F: 1.5}}, {Type: types.String(), Literal: &vec.Value{Kind: vec.Bytes}}} {
		if _, err := f.Bind([]fn.Arg{number, p}); err == nil {
			t.Errorf("percentage %v is taken", p)
		}
	}
}

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

// bound is an aggregate over column 1 (and further ones) of columns.
func bound(t *testing.T, name string, columns []types.Field, words ...string) op.AggCall {
	t.Helper()
	f, ok := fn.LookupAggregate(name)
	if !ok {
		t.Fatalf("no %s", name)
	}
	var args []fn.Arg
	c := op.AggCall{Name: name, Filter: -1}
	for i, f := range columns[1:] {
		args, c.Args = append(args, fn.Arg{Type: f.Type}), append(c.Args, i+1)
	}
	for _, w := range words {
		args = append(args, fn.Arg{Type: types.CharOf(len(w)), Literal: &vec.Value{Kind: vec.Bytes, S: w}})
	}
	var err error
	if c.Bound, err = f.Bind(args); err != nil {
		t.Fatal(err)
	}
	return c
}

// group aggregates columns by the first of them.
func group(t *testing.T, columns string, retract bool, name string, words ...string) exectest.Case {
	in := exectest.In(columns, 0)
	c := bound(t, name, in.Fields, words...)
	s := op.GroupAggSpec{Keys: []int{0}, InputRetract: retract, EmitBefore: true, Aggs: []op.AggCall{c}}
	s.Inputs = [][]types.Field{in.Fields}
	s.Output = []types.Field{in.Fields[0], {Name: "x", Type: c.Bound.Result}}
	return exectest.Case{New: func() (exec.Operator, error) { return op.NewGroupAgg(s) }, Inputs: []exectest.Input{in}, Output: s.Output}
}

const inserts = "a, 3\nb, NULL\na, 1\na, NULL\na, 3\nc, 2"

func TestListAggregates(t *testing.T) {
	for _, c := range []struct {
		name, columns  string
		words          []string
		inserts, taken string // the results of a, b and c, without and with retractions
	}{
		{"FIRST_VALUE", "k STRING, v INT", nil, "a, 3|b, NULL|c, 2", "a, 1|b, NULL"},
		{"LAST_VALUE", "k STRING, v INT", nil, "a, 3|b, NULL|c, 2", "a, 3|b, NULL"},
		{"LISTAGG", "k STRING, v STRING", nil, "a, 3,1,3|b, NULL|c, 2", "a, 1,3|b, NULL"},
		{"ARRAY_AGG", "k STRING, v INT", nil, "a, [3, 1, NULL, 3]|b, [NULL]|c, [2]", "a, [1, NULL, 3]|b, [NULL]"},
		{"COLLECT", "k STRING, v INT", nil, "a, {1=1, 3=2}|b, {}|c, {2=1}", "a, {1=1, 3=1}|b, {}"},
		{"JSON_ARRAYAGG", "k STRING, v INT", []string{"ABSENT"}, "a, [3,1,3]|b, []|c, [2]", "a, [1,3]|b, []"},
		{"JSON_ARRAYAGG", "k STRING, v INT", []string{"NULL"}, "a, [3,1,null,3]|b, [null]|c, [2]", "a, [1,null,3]|b, [null]"},
		{"VAR_POP", "k STRING, v DOUBLE", nil, "a, 0.8888888888888893|b, NULL|c, 0.0", "a, 1.0|b, NULL"},
		{"VAR_SAMP", "k STRING, v DOUBLE", nil, "a, 1.333333333333334|b, NULL|c, NULL", "a, 2.0|b, NULL"},
		{"STDDEV_POP", "k STRING, v DOUBLE", nil, "a, 0.9428090415820636|b, NULL|c, 0.0", "a, 1.0|b, NULL"},
		{"STDDEV_SAMP", "k STRING, v INT", nil, "a, 1|b, NULL|c, NULL", "a, 1|b, NULL"},
		{"VARIANCE", "k STRING, v DECIMAL(5, 2)", nil, "a, 1.333333|b, NULL|c, NULL", "a, 2.000000|b, NULL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table(t, exectest.Run(t, group(t, c.columns, false, c.name, c.words...), inserts), c.inserts)
			table(t, exectest.Run(t, group(t, c.columns, true, c.name, c.words...), inserts+"\nb, NULL\n-D b, NULL\n-D a, 3\n-D c, 2"), c.taken)
		})
	}
}

func table(t *testing.T, log, want string) {
	t.Helper()
	lines, err := exectest.Fold(splitLines(log), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := joinLines(lines); got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}

func TestJSONObjectAgg(t *testing.T) {
	in := "a, x, 1\na, y, NULL\na, x, 3"
	table(t, exectest.Run(t, group(t, "k STRING, n STRING, v INT", false, "JSON_OBJECTAGG", "NULL"), in), `a, {"x":3,"y":null}`)
	table(t, exectest.Run(t, group(t, "k STRING, n STRING, v INT", true, "JSON_OBJECTAGG", "ABSENT"), in+"\n-D a, x, 3"), `a, {"x":1}`)
}

// Sessions merge the accumulators of their parts.
func TestListAggregatesMerge(t *testing.T) {
	in := exectest.In("k STRING, v INT, ts TIMESTAMP(3)", 0)
	in.Fields[2].Type = in.Fields[2].Type.WithAttr(types.Rowtime)
	for name, want := range map[string]string{"COLLECT": "a, {1=1, 2=1, 3=1}", "VAR_POP": "a, 0", "FIRST_VALUE": "a, 1"} {
		c := bound(t, name, in.Fields[:2])
		s := op.WindowAggSpec{Keys: []int{0}, Aggs: []op.AggCall{c}, Window: &op.Window{Kind: op.Session, Size: 10000, Time: 2, Partition: []int{0}}, StartCol: -1, EndCol: -1}
		s.Inputs = [][]types.Field{in.Fields}
		s.Output = []types.Field{in.Fields[0], {Name: "x", Type: c.Bound.Result}}
		k := exectest.Case{New: func() (exec.Operator, error) { return op.NewWindowAgg(s) }, Inputs: []exectest.Input{in}, Output: s.Output, Batch: 1}
		log := exectest.Run(t, k, `
			a, 1, 2024-01-01 00:00:00
			a, 2, 2024-01-01 00:00:18
			a, 3, 2024-01-01 00:00:09
			watermark max
		`)
		table(t, log, want)
	}
}

package op

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/fn"
	_ "github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
)

// call binds an aggregate over input columns.
func call(t testing.TB, name string, fields []types.Field, args ...int) AggCall {
	a, ok := fn.LookupAggregate(name)
	if !ok {
		t.Fatalf("no aggregate %s", name)
	}
	var bound []fn.Arg
	for _, c := range args {
		bound = append(bound, fn.Arg{Type: fields[c].Type})
	}
	b, err := a.Bind(bound)
	if err != nil {
		t.Fatal(err)
	}
	return AggCall{Name: name, Bound: b, Args: args, Filter: -1}
}

// groupCase aggregates "k STRING, v INT, d DOUBLE, ok BOOLEAN" by k.
func groupCase(retract bool, calls ...AggCall) exectest.Case {
	in := exectest.In("k STRING, v INT, d DOUBLE, ok BOOLEAN", 0)
	s := GroupAggSpec{Keys: []int{0}, Aggs: calls, InputRetract: retract, EmitBefore: true}
	s.Inputs = [][]types.Field{in.Fields}
	s.Output = []types.Field{in.Fields[0]}
	for _, c := range calls {
		s.Output = append(s.Output, types.Field{Name: c.Name, Type: c.Bound.Result})
	}
	return exectest.Case{New: func() (exec.Operator, error) { return NewGroupAgg(s) }, Inputs: []exectest.Input{in}, Output: s.Output}
}

var groupFields = exectest.Columns("k STRING, v INT, d DOUBLE, ok BOOLEAN")

func TestGroupAgg(t *testing.T) {
	distinct := call(t, "COUNT", groupFields, 1)
	distinct.Distinct = true
	filtered := call(t, "SUM", groupFields, 1)
	filtered.Filter = 3
	calls := []AggCall{call(t, "COUNT", groupFields), call(t, "SUM", groupFields, 1), call(t, "AVG", groupFields, 2),
		call(t, "MIN", groupFields, 1), call(t, "MAX", groupFields, 1), distinct, filtered}
	got := exectest.Run(t, groupCase(false, calls...), `
		a, 1, 1.5, true
		b, NULL, NULL, NULL
		a, 3, 2.5, false
		a, 1, 0.5, true
		NULL, 7, 1.0, true
	`)
	want := `+I a, 3, 5, 1.5, 1, 3, 2, 2
+I b, 1, NULL, NULL, NULL, NULL, 0, NULL
+I NULL, 1, 7, 1.0, 7, 7, 1, 7
`
	if got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}

func TestGroupAggRetracts(t *testing.T) {
	distinct := call(t, "COUNT", groupFields, 1)
	distinct.Distinct = true
	c := groupCase(true, call(t, "COUNT", groupFields), call(t, "SUM", groupFields, 1), call(t, "MIN", groupFields, 1), call(t, "MAX", groupFields, 1), distinct)
	c.Batch = 1
	got := exectest.Run(t, c, `
		+I a, 5, 1.0, true
		+I a, 3, 1.0, true
		+I a, 3, 1.0, true
		-D a, 5, 1.0, true
		# 3 is still there once
		-D a, 3, 1.0, true
		-D a, 3, 1.0, true
		# a retraction of a row that never came
		-D b, 1, 1.0, true
		+I b, 2, 1.0, true
	`)
	want := `+I a, 1, 5, 5, 5, 1
-U a, 1, 5, 5, 5, 1
+U a, 2, 8, 3, 5, 2
-U a, 2, 8, 3, 5, 2
+U a, 3, 11, 3, 5, 2
-U a, 3, 11, 3, 5, 2
+U a, 2, 6, 3, 3, 1
-U a, 2, 6, 3, 3, 1
+U a, 1, 3, 3, 3, 1
-D a, 1, 3, 3, 3, 1
+I b, 1, 2, 2, 2, 1
`
	if got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}

// An unchanged result emits nothing.
func TestGroupAggUnchanged(t *testing.T) {
	c := groupCase(false, call(t, "MAX", groupFields, 1))
	c.Batch = 1
	got := exectest.Run(t, c, "a, 2, NULL, NULL\na, 1, NULL, NULL\na, 3, NULL, NULL")
	if strings.Count(got, "\n") != 3 || !strings.HasSuffix(got, "+U a, 3\n") {
		t.Errorf("got\n%s", got)
	}
}

// Without -U and with COUNT(*), a change is only the new result.
func TestGroupAggUpserts(t *testing.T) {
	c := groupCase(false, call(t, "COUNT", groupFields), call(t, "MAX", groupFields, 1))
	inner := c.New
	c.New = func() (exec.Operator, error) {
		o, err := inner()
		if err != nil {
			return nil, err
		}
		g := o.(*GroupAgg)
		s := g.spec
		s.EmitBefore = false
		return NewGroupAgg(s)
	}
	c.Batch, c.Upsert = 1, []int{0}
	got := exectest.Run(t, c, "a, 2, NULL, NULL\na, 1, NULL, NULL\nb, 3, NULL, NULL\na, 9, NULL, NULL")
	want := "+I a, 1, 2\n+U a, 2, 2\n+I b, 1, 3\n+U a, 3, 9\n"
	if got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}

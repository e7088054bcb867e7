package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const overColumns = "k STRING, v INT, ts TIMESTAMP(3)"

var overFields = exectest.Columns(overColumns)

// overCall binds a function of an OVER window over columns of overFields.
func overCall(t testing.TB, name string, args ...int) OverCall {
	if _, ok := fn.LookupAggregate(name); !ok {
		return OverCall{Name: name, Args: args, Offset: 1}
	}
	c := call(t, name, overFields, args...)
	return OverCall{Name: name, Bound: c.Bound, Args: args}
}

// overCase computes calls partitioned by k.
func overCase(s OverSpec, calls ...OverCall) exectest.Case {
	in := exectest.In(overColumns, 0)
	s.Partition, s.Calls = []int{0}, calls
	s.Inputs, s.Output = [][]types.Field{in.Fields}, append([]types.Field(nil), in.Fields...)
	for _, c := range calls {
		f := types.Field{Name: c.Name, Type: types.Of(types.BigInt)}
		switch {
		case c.Bound != nil:
			f.Type = c.Bound.Result
		case c.Name == "LAG":
			f.Type = in.Fields[c.Args[0]].Type
		}
		s.Output = append(s.Output, f)
	}
	return exectest.Case{New: func() (exec.Operator, error) { return NewOver(s) }, Inputs: []exectest.Input{in}, Output: s.Output}
}

const overScript = `
	a, 1, 2024-01-01 00:00:01
	b, 10, 2024-01-01 00:00:02
	a, 4, 2024-01-01 00:00:04
	a, 3, 2024-01-01 00:00:03
	watermark 2024-01-01 00:00:03
	a, 5, 2024-01-01 00:00:04
	a, NULL, 2024-01-01 00:00:05
	# behind the watermark: late for an unbounded frame
	b, 11, 2024-01-01 00:00:03
	# behind the last row of its partition: late for every frame
	b, 12, 2024-01-01 00:00:01
	watermark max
`

func TestOverUnboundedRange(t *testing.T) {
	lag := overCall(t, "LAG", 1)
	lag.Default = expr.Int(-1)
	c := overCase(OverSpec{Time: 2, Preceding: -1}, overCall(t, "SUM", 1), overCall(t, "ROW_NUMBER"), overCall(t, "RANK"), overCall(t, "DENSE_RANK"), lag)
	same(t, exectest.Run(t, c, overScript), `+I a, 1, 2024-01-01 00:00:01.000, 1, 1, 1, 1, -1
+I b, 10, 2024-01-01 00:00:02.000, 10, 1, 1, 1, -1
+I a, 3, 2024-01-01 00:00:03.000, 4, 2, 2, 2, 1
+I a, 4, 2024-01-01 00:00:04.000, 13, 3, 3, 3, 4
+I a, 5, 2024-01-01 00:00:04.000, 13, 4, 3, 3, 4
+I a, NULL, 2024-01-01 00:00:05.000, 13, 5, 5, 4, 5
`)
}

func TestOverBoundedRows(t *testing.T) {
	c := overCase(OverSpec{Time: 2, Preceding: 1, Rows: true}, overCall(t, "SUM", 1), overCall(t, "COUNT"), overCall(t, "MAX", 1))
	same(t, exectest.Run(t, c, overScript), `+I a, 1, 2024-01-01 00:00:01.000, 1, 1, 1
+I b, 10, 2024-01-01 00:00:02.000, 10, 1, 10
+I a, 3, 2024-01-01 00:00:03.000, 4, 2, 3
+I b, 11, 2024-01-01 00:00:03.000, 21, 2, 11
+I a, 4, 2024-01-01 00:00:04.000, 7, 2, 4
+I a, 5, 2024-01-01 00:00:04.000, 9, 2, 5
+I a, NULL, 2024-01-01 00:00:05.000, 5, 2, 5
`)
}

func TestOverBoundedRange(t *testing.T) {
	distinct := overCall(t, "COUNT", 1)
	distinct.Distinct = true
	c := overCase(OverSpec{Time: 2, Preceding: 1000}, overCall(t, "SUM", 1), overCall(t, "COUNT"), distinct)
	same(t, exectest.Run(t, c, overScript), `+I a, 1, 2024-01-01 00:00:01.000, 1, 1, 1
+I b, 10, 2024-01-01 00:00:02.000, 10, 1, 1
+I a, 3, 2024-01-01 00:00:03.000, 3, 1, 1
+I b, 11, 2024-01-01 00:00:03.000, 21, 2, 2
+I a, 4, 2024-01-01 00:00:04.000, 12, 3, 3
+I a, 5, 2024-01-01 00:00:04.000, 12, 3, 3
+I a, NULL, 2024-01-01 00:00:05.000, 9, 3, 2
`)
}

// A partition of a bounded RANGE that is silent for long enough is dropped.
func TestOverDropsIdlePartitions(t *testing.T) {
	c := overCase(OverSpec{Time: 2, Preceding: 1000}, overCall(t, "COUNT"))
	o, err := c.New()
	if err != nil {
		t.Fatal(err)
	}
	r := newBench(t, o)
	r.process(0, exectest.MustRows(overFields, "a, 1, 1970-01-01 00:00:01"))
	r.advance(1000)
	if n := r.ctx.State.Rows(); n == 0 {
		t.Fatal("nothing is kept")
	}
	r.advance(2501)
	if n := r.ctx.State.Rows(); n != 0 {
		t.Errorf("%d rows are kept", n)
	}
}

func TestOverProctime(t *testing.T) {
	script := "a, 1, NULL\nb, 2, NULL\na, 3, NULL\na, NULL, NULL"
	c := overCase(OverSpec{Time: -1, Proctime: true, Preceding: -1}, overCall(t, "SUM", 1), overCall(t, "ROW_NUMBER"))
	same(t, exectest.Run(t, c, script), "+I a, 1, NULL, 1, 1\n+I b, 2, NULL, 2, 1\n+I a, 3, NULL, 4, 2\n+I a, NULL, NULL, 4, 3\n")
	c = overCase(OverSpec{Time: -1, Proctime: true, Rows: true, Preceding: 1}, overCall(t, "SUM", 1))
	same(t, exectest.Run(t, c, script), "+I a, 1, NULL, 1\n+I b, 2, NULL, 2\n+I a, 3, NULL, 4\n+I a, NULL, NULL, 3\n")
}

// The rows of one millisecond are peers, and are answered when it is over.
func TestOverProctimeRange(t *testing.T) {
	c := overCase(OverSpec{Time: -1, Proctime: true, Preceding: 1000}, overCall(t, "SUM", 1))
	same(t, exectest.Run(t, c, `
		a, 1, NULL
		a, 2, NULL
		now 2024-01-01 00:00:01
		a, 4, NULL
		now 2024-01-01 00:00:02
		a, 8, NULL
		now 2024-01-01 00:00:03
	`), "+I a, 1, NULL, 3\n+I a, 2, NULL, 3\n+I a, 4, NULL, 7\n+I a, 8, NULL, 12\n")
}

func TestOverOrderedByValue(t *testing.T) {
	s := OverSpec{Time: -1, Preceding: -1, Order: []SortKey{{Col: 1}}, EmitBefore: true, InputRetract: true}
	c := overCase(s, overCall(t, "SUM", 1), overCall(t, "ROW_NUMBER"), overCall(t, "RANK"))
	c.Batch = 1
	same(t, exectest.Run(t, c, `
		a, 5, NULL
		a, 3, NULL
		a, NULL, NULL
		b, 1, NULL
		a, 3, NULL
		-D a, 3, NULL
		-D b, 1, NULL
		-D b, 9, NULL
	`), `+I a, 5, NULL, 5, 1, 1
+I a, 3, NULL, 3, 1, 1
-U a, 5, NULL, 5, 1, 1
+U a, 5, NULL, 8, 2, 2
+I a, NULL, NULL, NULL, 1, 1
-U a, 3, NULL, 3, 1, 1
+U a, 3, NULL, 3, 2, 2
-U a, 5, NULL, 8, 2, 2
+U a, 5, NULL, 8, 3, 3
+I b, 1, NULL, 1, 1, 1
-U a, 3, NULL, 3, 2, 2
+U a, 3, NULL, 6, 2, 2
+I a, 3, NULL, 6, 3, 2
-U a, 5, NULL, 8, 3, 3
+U a, 5, NULL, 11, 4, 4
-D a, 3, NULL, 6, 3, 2
-U a, 3, NULL, 6, 2, 2
+U a, 3, NULL, 3, 2, 2
-U a, 5, NULL, 11, 4, 4
+U a, 5, NULL, 8, 3, 3
-D b, 1, NULL, 1, 1, 1
`)
}

func BenchmarkOver(b *testing.B) {
	for name, s := range map[string]OverSpec{"unbounded": {Preceding: -1}, "rows": {Preceding: 2, Rows: true}, "range": {Preceding: 1000}} {
		b.Run(name, func(b *testing.B) {
			f := exectest.Columns("k BIGINT, v BIGINT, ts TIMESTAMP(3)")
			s.Time, s.Partition = 2, []int{0}
			c := call(b, "SUM", f, 1)
			s.Calls = []OverCall{{Name: "SUM", Bound: c.Bound, Args: []int{1}}}
			s.Inputs, s.Output = [][]types.Field{f}, append(append([]types.Field(nil), f...), types.Field{Name: "s", Type: c.Bound.Result})
			o, err := NewOver(s)
			if err != nil {
				b.Fatal(err)
			}
			r := newBench(b, o)
			in := vec.NewBatch(exectest.Types(f)...)
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i += vec.MinRows {
				fillKeys(in, int64(i%10000))
				for j := range vec.MinRows {
					in.Cols[2].I64 = append(in.Cols[2].I64, int64(i+j)*1000)
				}
				r.process(0, in)
				r.advance(types.Time(i + vec.MinRows - 1))
			}
			b.StopTimer()
			if r.rows < int64(b.N) {
				b.Fatalf("%d rows of %d", r.rows, b.N)
			}
		})
	}
}

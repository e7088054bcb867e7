package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// intervalCase joins orders and payments by k, if
// ot − 1 s ≤ pt ≤ ot + 2 s, which is pt − 2 s ≤ ot ≤ pt + 1 s.
func intervalCase(kind JoinKind) exectest.Case {
	left, right := exectest.In("k STRING, ot TIMESTAMP(3)", 0), exectest.In("k STRING, pt TIMESTAMP(3)", 0)
	s := IntervalJoinSpec{Kind: kind, LeftKeys: []int{0}, RightKeys: []int{0}, LeftTime: 1, RightTime: 1, Lower: -2000, Upper: 1000}
	s.Inputs = [][]types.Field{left.Fields, right.Fields}
	s.Output = append(append([]types.Field(nil), left.Fields...), right.Fields...)
	return exectest.Case{New: func() (exec.Operator, error) { return NewIntervalJoin(s) }, Inputs: []exectest.Input{left, right}, Output: s.Output,
		Batch: 1, Watermarks: true}
}

const intervalScript = `
	a, 2024-01-01 00:00:10
	b, 2024-01-01 00:00:10
	NULL, 2024-01-01 00:00:10
	in 1
	a, 2024-01-01 00:00:09
	a, 2024-01-01 00:00:12
	# too late and too early
	a, 2024-01-01 00:00:12.001
	a, 2024-01-01 00:00:08.999
	watermark 2024-01-01 00:00:20
	in 0
	# behind the watermark: nothing can come that it meets
	c, 2024-01-01 00:00:15
	a, 2024-01-01 00:00:30
	watermark max
`

func TestIntervalJoinInner(t *testing.T) {
	same(t, exectest.Run(t, intervalCase(Inner), intervalScript), `+I a, 2024-01-01 00:00:10.000, a, 2024-01-01 00:00:09.000
+I a, 2024-01-01 00:00:10.000, a, 2024-01-01 00:00:12.000
watermark 2024-01-01 00:00:18.000
watermark +inf
`)
}

func TestIntervalJoinFull(t *testing.T) {
	same(t, exectest.Run(t, intervalCase(Full), intervalScript), `+I NULL, 2024-01-01 00:00:10.000, NULL, NULL
+I a, 2024-01-01 00:00:10.000, a, 2024-01-01 00:00:09.000
+I a, 2024-01-01 00:00:10.000, a, 2024-01-01 00:00:12.000
+I b, 2024-01-01 00:00:10.000, NULL, NULL
+I NULL, NULL, a, 2024-01-01 00:00:08.999
+I NULL, NULL, a, 2024-01-01 00:00:12.001
watermark 2024-01-01 00:00:18.000
+I c, 2024-01-01 00:00:15.000, NULL, NULL
+I a, 2024-01-01 00:00:30.000, NULL, NULL
watermark +inf
`)
}

func TestIntervalJoinOneSided(t *testing.T) {
	for kind, n := range map[JoinKind]int{Left: 4, Right: 2} {
		got := exectest.Run(t, intervalCase(kind), intervalScript)
		if c := count(got, "NULL, NULL"); c != n {
			t.Errorf("%v: %d rows without a match, expected %d:\n%s", kind, c, n, got)
		}
	}
}

// By processing time, rows leave when the clock says so.
func TestIntervalJoinProctime(t *testing.T) {
	c := intervalCase(Left)
	s := IntervalJoinSpec{Kind: Left, LeftKeys: []int{0}, RightKeys: []int{0}, LeftTime: 1, RightTime: 1, Lower: -2000, Upper: 1000, Proctime: true}
	s.Inputs, s.Output = [][]types.Field{c.Inputs[0].Fields, c.Inputs[1].Fields}, c.Output
	c.New = func() (exec.Operator, error) { return NewIntervalJoin(s) }
	same(t, exectest.Run(t, c, `
		a, NULL
		now 2024-01-01 00:00:02
		in 1
		a, NULL
		in 0
		b, NULL
		now 2024-01-01 00:01:00
		in 1
		a, NULL
	`), "+I a, NULL, a, NULL\n+I b, NULL, NULL, NULL\n")
}

// Each row meets the one of its key on the other side, and leaves soon after.
func BenchmarkIntervalJoin(b *testing.B) {
	f := exectest.Columns("k BIGINT, v BIGINT, ts TIMESTAMP(3)")
	s := IntervalJoinSpec{LeftKeys: []int{0}, RightKeys: []int{0}, LeftTime: 2, RightTime: 2, Lower: -1000, Upper: 1000}
	s.Inputs, s.Output = [][]types.Field{f, f}, append(append([]types.Field(nil), f...), f...)
	o, err := NewIntervalJoin(s)
	if err != nil {
		b.Fatal(err)
	}
	r := newBench(b, o)
	in := vec.NewBatch(exectest.Types(f)...)
	b.ReportAllocs()
	for i := 0; i < b.N; i += vec.MinRows {
		fillKeys(in, int64(i))
		for j := range vec.MinRows {
			in.Cols[2].I64 = append(in.Cols[2].I64, int64(i+j)*1000)
		}
		r.process(0, in)
		r.process(1, in)
		r.advance(types.Time(i))
	}
	if r.rows < int64(b.N) {
		b.Fatalf("%d rows of %d", r.rows, b.N)
	}
}

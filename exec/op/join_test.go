package op

import (
	"fmt"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/expr"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// joinCase joins "k STRING, v INT" with "k STRING, w INT" on k.
func joinCase(s JoinSpec) exectest.Case {
	if s.LeftKeys == nil {
		s.LeftKeys, s.RightKeys = []int{0}, []int{0}
	}
	left, right := exectest.In("k STRING, v INT", s.LeftKeys...), exectest.In("k STRING, w INT", s.RightKeys...)
	if len(s.LeftKeys) == 0 {
		left.Key, right.Key = nil, nil
	}
	s.Inputs = [][]types.Field{left.Fields, right.Fields}
	s.Output = left.Fields
	if s.Kind < Semi {
		s.Output = append(append([]types.Field(nil), left.Fields...), right.Fields...)
	}
	s.EmitBefore = true
	return exectest.Case{New: func() (exec.Operator, error) { return NewJoin(s) }, Inputs: []exectest.Input{left, right}, Output: s.Output, Batch: 1}
}

// compare is a comparison of input columns.
func compare(t testing.TB, sign string, fields []types.Field, a, b int) expr.Expr {
	t.Helper()
	x, err := expr.NewCall(sign, []expr.Expr{&expr.Column{Index: a, T: fields[a].Type}, &expr.Column{Index: b, T: fields[b].Type}})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func same(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%sexpected\n%s", got, want)
	}
}

const joinScript = `
	a, 1
	b, 2
	NULL, 3
	in 1
	a, 10
	a, 11
	NULL, 12
	c, 13
	in 0
	c, 4
`

func TestJoinInner(t *testing.T) {
	same(t, exectest.Run(t, joinCase(JoinSpec{Kind: Inner}), joinScript), `+I a, 1, a, 10
+I a, 1, a, 11
+I c, 4, c, 13
`)
}

func TestJoinLeft(t *testing.T) {
	same(t, exectest.Run(t, joinCase(JoinSpec{Kind: Left}), joinScript), `+I a, 1, NULL, NULL
+I b, 2, NULL, NULL
+I NULL, 3, NULL, NULL
-D a, 1, NULL, NULL
+I a, 1, a, 10
+I a, 1, a, 11
+I c, 4, c, 13
`)
}

func TestJoinFull(t *testing.T) {
	same(t, exectest.Run(t, joinCase(JoinSpec{Kind: Full}), joinScript), `+I a, 1, NULL, NULL
+I b, 2, NULL, NULL
+I NULL, 3, NULL, NULL
-D a, 1, NULL, NULL
+I a, 1, a, 10
+I a, 1, a, 11
+I NULL, NULL, NULL, 12
+I NULL, NULL, c, 13
-D NULL, NULL, c, 13
+I c, 4, c, 13
`)
}

func TestJoinSemiAndAnti(t *testing.T) {
	same(t, exectest.Run(t, joinCase(JoinSpec{Kind: Semi}), joinScript), "+I a, 1\n+I c, 4\n")
	same(t, exectest.Run(t, joinCase(JoinSpec{Kind: Anti}), joinScript), "+I a, 1\n+I b, 2\n+I NULL, 3\n-D a, 1\n")
}

func TestJoinNullAware(t *testing.T) {
	same(t, exectest.Run(t, joinCase(JoinSpec{Kind: Semi, NullAware: []bool{true}}), joinScript), "+I a, 1\n+I NULL, 3\n+I c, 4\n")
}

const retractScript = `
	a, 1
	in 1
	a, 10
	a, 11
	-U a, 10
	+U a, 12
	in 0
	-U a, 1
	+U a, 5
	+I a, 5
	in 1
	-D a, 11
	-D a, 12
	in 0
	-D a, 5
`

func TestJoinRetracts(t *testing.T) {
	s := JoinSpec{Kind: Left, LeftRetract: true, RightRetract: true}
	same(t, exectest.Run(t, joinCase(s), retractScript), `+I a, 1, NULL, NULL
-D a, 1, NULL, NULL
+I a, 1, a, 10
+I a, 1, a, 11
-D a, 1, a, 10
+I a, 1, a, 12
-D a, 1, a, 11
-D a, 1, a, 12
+I a, 5, a, 11
+I a, 5, a, 12
+I a, 5, a, 11
+I a, 5, a, 12
-D a, 5, a, 11
-D a, 5, a, 11
-D a, 5, a, 12
+I a, 5, NULL, NULL
-D a, 5, a, 12
+I a, 5, NULL, NULL
-D a, 5, NULL, NULL
`)
	for k := Inner; k <= Anti; k++ {
		s.Kind = k
		exectest.Run(t, joinCase(s), retractScript)
	}
}

// An inner join passes the kind of change on; where no consumer needs -U, the
// row that goes is deleted.
func TestJoinPassesOps(t *testing.T) {
	s := JoinSpec{Kind: Inner, LeftRetract: true}
	script := "in 1\na, 10\nin 0\n+I a, 1\n-U a, 1\n+U a, 2"
	same(t, exectest.Run(t, joinCase(s), script), "+I a, 1, a, 10\n-U a, 1, a, 10\n+U a, 2, a, 10\n")
	c := joinCase(s)
	s = JoinSpec{Common: Common{Inputs: [][]types.Field{c.Inputs[0].Fields, c.Inputs[1].Fields}, Output: c.Output}, LeftKeys: []int{0}, RightKeys: []int{0}, LeftRetract: true}
	c.New = func() (exec.Operator, error) { return NewJoin(s) }
	same(t, exectest.Run(t, c, script), "+I a, 1, a, 10\n-D a, 1, a, 10\n+U a, 2, a, 10\n")
}

func TestJoinUnique(t *testing.T) {
	s := JoinSpec{Kind: Full, LeftRetract: true, RightRetract: true, LeftUnique: true, RightUnique: true}
	same(t, exectest.Run(t, joinCase(s), `
		a, 1
		in 1
		a, 10
		-U a, 10
		+U a, 11
		in 0
		-D a, 1
	`), `+I a, 1, NULL, NULL
-D a, 1, NULL, NULL
+I a, 1, a, 10
-D a, 1, a, 10
+I a, 1, NULL, NULL
-D a, 1, NULL, NULL
+I a, 1, a, 11
-D a, 1, a, 11
+I NULL, NULL, a, 11
`)
}

// A join without keys: every row meets every row.
func TestJoinTheta(t *testing.T) {
	fields := append(exectest.Columns("k STRING, v INT"), exectest.Columns("k STRING, w INT")...)
	s := JoinSpec{Kind: Left, LeftKeys: []int{}, RightKeys: []int{}, Residual: compare(t, ">", fields, 1, 3), RightRetract: true}
	same(t, exectest.Run(t, joinCase(s), `
		a, 1
		b, 5
		in 1
		x, 3
		y, NULL
		z, 4
		-D x, 3
		-D z, 4
	`), `+I a, 1, NULL, NULL
+I b, 5, NULL, NULL
-D b, 5, NULL, NULL
+I b, 5, x, 3
+I b, 5, z, 4
-D b, 5, x, 3
-D b, 5, z, 4
+I b, 5, NULL, NULL
`)
}

func TestJoinTTL(t *testing.T) {
	s := JoinSpec{Kind: Inner, LeftTTL: time.Minute, RightTTL: time.Minute}
	same(t, exectest.Run(t, joinCase(s), `
		a, 1
		now 2024-01-01 00:00:40
		a, 2
		now 2024-01-01 00:01:10
		in 1
		a, 10
		now 2024-01-01 00:02:00
		a, 11
		in 0
		a, 3
	`), "+I a, 2, a, 10\n+I a, 3, a, 10\n+I a, 3, a, 11\n")
}

func BenchmarkJoin(b *testing.B) {
	for _, kind := range []JoinKind{Inner, Left} {
		b.Run(kind.String(), func(b *testing.B) {
			s := JoinSpec{Kind: kind, LeftKeys: []int{0}, RightKeys: []int{0}}
			f := exectest.Columns("k BIGINT, v BIGINT")
			s.Inputs, s.Output = [][]types.Field{f, f}, append(append([]types.Field(nil), f...), f...)
			o, _ := NewJoin(s)
			r := newBench(b, o)
			left, right := vec.NewBatch(exectest.Types(f)...), vec.NewBatch(exectest.Types(f)...)
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i += vec.MinRows {
				fillKeys(left, int64(i))
				fillKeys(right, int64(i))
				r.process(0, left)
				r.process(1, right)
			}
			b.StopTimer()
			if want := int64((b.N + vec.MinRows - 1) / vec.MinRows * vec.MinRows); r.rows < want {
				b.Fatal(fmt.Sprint("rows: ", r.rows, ", expected ", want))
			}
		})
	}
}

// fillKeys makes rows with the keys from first on.
func fillKeys(b *vec.Batch, first int64) {
	b.Reset()
	for i := range int64(vec.MinRows) {
		b.Cols[0].I64 = append(b.Cols[0].I64, first+i)
		b.Cols[1].I64 = append(b.Cols[1].I64, i)
	}
	b.N = vec.MinRows
	b.Hash = vec.HashRows(b.Cols[:1], vec.Identity(b.N), b.N, b.Hash)
}

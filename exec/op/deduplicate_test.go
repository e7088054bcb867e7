package op

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// dedupCase deduplicates windowColumns by k.
func dedupCase(s DeduplicateSpec) exectest.Case {
	in := exectest.In(windowColumns, 0)
	s.Inputs, s.Keys, s.Time, s.EmitBefore = [][]types.Field{in.Fields}, []int{0}, 1, true
	s.Output = exectest.Columns(windowColumns)
	if s.OutputRank {
		s.Output = append(s.Output, exectest.Columns("rn BIGINT")...)
	}
	return exectest.Case{New: func() (exec.Operator, error) { return NewDeduplicate(s) }, Inputs: []exectest.Input{in}, Output: s.Output}
}

const events = `
	a, 2024-01-01 00:00:02.000, 1
	b, 2024-01-01 00:00:03.000, 2
	# equal time: replaces
	a, 2024-01-01 00:00:02.000, NULL
	# older: ignored
	a, 2024-01-01 00:00:01.000, 4
	NULL, 2024-01-01 00:00:01.000, 5
	NULL, 2024-01-01 00:00:04.000, 6
`

func TestDeduplicateKeepLast(t *testing.T) {
	c := dedupCase(DeduplicateSpec{KeepLast: true})
	c.Batch = 1
	expect(t, exectest.Run(t, c, events), `+I a, 2024-01-01 00:00:02.000, 1
+I b, 2024-01-01 00:00:03.000, 2
-U a, 2024-01-01 00:00:02.000, 1
+U a, 2024-01-01 00:00:02.000, NULL
+I NULL, 2024-01-01 00:00:01.000, 5
-U NULL, 2024-01-01 00:00:01.000, 5
+U NULL, 2024-01-01 00:00:04.000, 6
`)
	c = dedupCase(DeduplicateSpec{KeepLast: true, OutputRank: true})
	expect(t, exectest.Run(t, c, events+"flush\nb, 2024-01-01 00:00:09.000, 9"), `+I a, 2024-01-01 00:00:02.000, NULL, 1
+I b, 2024-01-01 00:00:03.000, 2, 1
+I NULL, 2024-01-01 00:00:04.000, 6, 1
-U b, 2024-01-01 00:00:03.000, 2, 1
+U b, 2024-01-01 00:00:09.000, 9, 1
`)
}

// By processing time every row is the last.
func TestDeduplicateKeepLastProctime(t *testing.T) {
	c := dedupCase(DeduplicateSpec{KeepLast: true, Proctime: true})
	c.Batch = 1
	got := exectest.Run(t, c, events)
	if want := "+U a, 2024-01-01 00:00:01.000, 4\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%sexpected in it\n%s", got, want)
	}
}

func TestDeduplicateKeepFirstProctime(t *testing.T) {
	c := dedupCase(DeduplicateSpec{Proctime: true, OutputRank: true})
	expect(t, exectest.Run(t, c, events), `+I a, 2024-01-01 00:00:02.000, 1, 1
+I b, 2024-01-01 00:00:03.000, 2, 1
+I NULL, 2024-01-01 00:00:01.000, 5, 1
`)
}

// The first row by row time waits until no earlier one can come.
func TestDeduplicateKeepFirst(t *testing.T) {
	c := dedupCase(DeduplicateSpec{})
	c.Watermarks = true
	expect(t, exectest.Run(t, c, events+`
		watermark 2024-01-01 00:00:01.000
		# late, and its key was not seen
		c, 2024-01-01 00:00:00.999, 7
		# at the watermark: not late
		d, 2024-01-01 00:00:01.000, 10
		# late, but nobody waits for it
		a, 2024-01-01 00:00:00.000, 8
		c, 2024-01-01 00:00:02.000, 9
		watermark max
	`), `+I a, 2024-01-01 00:00:01.000, 4
+I NULL, 2024-01-01 00:00:01.000, 5
watermark 2024-01-01 00:00:01.000
+I d, 2024-01-01 00:00:01.000, 10
+I c, 2024-01-01 00:00:02.000, 9
+I b, 2024-01-01 00:00:03.000, 2
watermark +inf
`)
}

func TestDeduplicateExpires(t *testing.T) {
	for _, s := range []DeduplicateSpec{{Proctime: true}, {Proctime: true, KeepLast: true}} {
		s.TTL = 10_000_000_000
		c := dedupCase(s)
		c.Upsert = []int{0}
		got := exectest.Run(t, c, `
			a, NULL, 1
			now 2024-01-01 00:00:20
			a, NULL, 2
		`)
		expect(t, got, "+I a, NULL, 1\n+I a, NULL, 2\n")
	}
}

func TestNormalize(t *testing.T) {
	in := exectest.In("v INT, k STRING", 1)
	s := NormalizeSpec{Keys: []int{1}, EmitBefore: true}
	s.Inputs, s.Output = [][]types.Field{in.Fields}, in.Fields
	c := exectest.Case{New: func() (exec.Operator, error) { return NewNormalize(s) }, Inputs: []exectest.Input{in}, Output: s.Output, Batch: 1}
	const script = `
		+I 1, a
		+U 2, b
		# unchanged
		+U 1, a
		+U 3, a
		# a deletion carries the key only
		-D NULL, b
		-D NULL, b
		-D NULL, c
		+I 7, NULL
		+I 4, b
	`
	expect(t, exectest.Run(t, c, script), `+I 1, a
+I 2, b
-U 1, a
+U 3, a
-D 2, b
+I 7, NULL
+I 4, b
`)
	c.Batch = 0
	expect(t, exectest.Run(t, c, script+"flush\n+U 5, b\n-D NULL, b\n+U 4, b\n-D NULL, a"), `+I 3, a
+I 4, b
+I 7, NULL
-D 3, a
`)
}

// BenchmarkDeduplicate is one operation a row: the last bid of each auction
// (like q18).
func BenchmarkDeduplicate(b *testing.B) {
	for _, last := range []bool{true, false} {
		name := map[bool]string{true: "last", false: "first"}[last]
		b.Run(name, func(b *testing.B) {
			s := DeduplicateSpec{Keys: []int{0}, Time: 1, KeepLast: last, EmitBefore: true}
			s.Inputs, s.Output = [][]types.Field{bidFields}, bidFields
			benchRows(b, func() (exec.Operator, error) { return NewDeduplicate(s) })
		})
	}
}

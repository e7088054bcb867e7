package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

func TestWindowTopN(t *testing.T) {
	in := exectest.In("k STRING, v INT, window_end TIMESTAMP(3)", 0)
	run := func(s WindowTopNSpec, script string) string {
		s.Inputs, s.Partition, s.StartCol, s.EndCol = [][]types.Field{in.Fields}, []int{0}, -1, 2
		s.Order = []SortKey{{Col: 1, Desc: true, NullsLast: true}}
		s.Output = in.Fields
		if s.OutputRank {
			s.Output = append(in.Fields[:3:3], exectest.Columns("rn BIGINT")...)
		}
		c := exectest.Case{New: func() (exec.Operator, error) { return NewWindowTopN(s) }, Inputs: []exectest.Input{in}, Output: s.Output, Watermarks: true}
		return exectest.Run(t, c, script)
	}
	const script = `
		a, 1, 2024-01-01 00:00:10.000
		a, NULL, 2024-01-01 00:00:20.000
		b, 1, 2024-01-01 00:00:10.000
		a, 3, 2024-01-01 00:00:10.000
		a, 3, 2024-01-01 00:00:20.000
		a, 2, 2024-01-01 00:00:10.000
		watermark 2024-01-01 00:00:09.999
		# late
		a, 9, 2024-01-01 00:00:10.000
		watermark max
	`
	expect(t, run(WindowTopNSpec{From: 1, To: 2, OutputRank: true}, script), `+I a, 3, 2024-01-01 00:00:10.000, 1
+I a, 2, 2024-01-01 00:00:10.000, 2
+I b, 1, 2024-01-01 00:00:10.000, 1
watermark 2024-01-01 00:00:09.999
+I a, 3, 2024-01-01 00:00:20.000, 1
+I a, NULL, 2024-01-01 00:00:20.000, 2
watermark +inf
`)
	expect(t, run(WindowTopNSpec{From: 2, To: 2}, script), `+I a, 2, 2024-01-01 00:00:10.000
watermark 2024-01-01 00:00:09.999
+I a, NULL, 2024-01-01 00:00:20.000
watermark +inf
`)
}

// Rows are late up to the time of the last one that was emitted.
func TestTemporalSort(t *testing.T) {
	in := exectest.In("v INT, ts TIMESTAMP(3)")
	s := TemporalSortSpec{Time: 1, Order: []SortKey{{Col: 0, Desc: true, NullsLast: true}}}
	s.Inputs, s.Output = [][]types.Field{in.Fields}, in.Fields
	c := exectest.Case{New: func() (exec.Operator, error) { return NewTemporalSort(s) }, Inputs: []exectest.Input{in}, Output: s.Output, Watermarks: true}
	expect(t, exectest.Run(t, c, `
		watermark 2024-01-01 00:00:00
		1, 2024-01-01 00:00:02.000
		2, 2024-01-01 00:00:01.000
		NULL, 2024-01-01 00:00:01.000
		3, 2024-01-01 00:00:01.000
		3, 2024-01-01 00:00:04.000
		watermark 2024-01-01 00:00:03.000
		# behind the watermark, but in order
		4, 2024-01-01 00:00:02.001
		# late
		5, 2024-01-01 00:00:02.000
		watermark max
	`), `watermark 2024-01-01 00:00:00.000
+I 3, 2024-01-01 00:00:01.000
+I 2, 2024-01-01 00:00:01.000
+I NULL, 2024-01-01 00:00:01.000
+I 1, 2024-01-01 00:00:02.000
watermark 2024-01-01 00:00:03.000
+I 4, 2024-01-01 00:00:02.001
+I 3, 2024-01-01 00:00:04.000
watermark +inf
`)
}

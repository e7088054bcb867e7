package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// BenchmarkTopN is one operation a row: the ten highest bids of each auction
// (q19), and the first by price.
func BenchmarkTopN(b *testing.B) {
	for _, c := range []struct {
		name string
		to   int64
		rank bool
	}{{"10 with rank (q19)", 10, true}, {"10", 10, false}, {"1", 1, false}} {
		b.Run(c.name, func(b *testing.B) {
			s := TopNSpec{Partition: []int{0}, Order: []SortKey{{Col: 2, Desc: true, NullsLast: true}}, From: 1, To: c.to, OutputRank: c.rank, EmitBefore: true}
			s.Inputs, s.Output = [][]types.Field{bidFields}, bidFields
			if c.rank {
				s.Output = append(bidFields[:3:3], exectest.Columns("rn BIGINT")...)
			}
			benchRows(b, func() (exec.Operator, error) { return NewTopN(s) })
		})
	}
}

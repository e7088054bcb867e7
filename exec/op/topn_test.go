package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

const scoreColumns = "game STRING, player STRING, pts INT"

// topnCase ranks scoreColumns by pts descending in each game, in row mode.
func topnCase(s TopNSpec) exectest.Case {
	in := exectest.In(scoreColumns, s.Partition...)
	s.Inputs = [][]types.Field{in.Fields}
	s.Output = exectest.Columns(scoreColumns)
	s.EmitBefore = true
	if s.OutputRank {
		s.Output = append(s.Output, exectest.Columns("rn BIGINT")...)
	}
	return exectest.Case{New: func() (exec.Operator, error) { return NewTopN(s) }, Inputs: []exectest.Input{in}, Output: s.Output, Batch: 1}
}

var byPoints = []SortKey{{Col: 2, Desc: true, NullsLast: true}}

const scores = `
	go, p1, 50
	go, p2, 70
	chess, p1, 10
	go, p3, 70
	chess, p2, NULL
	go, p4, 60
	chess, p3, 10
	go, p5, 90
	NULL, p6, 5
`

// Without the rank only rows that come and leave are changes; ties keep the
// order of arrival.
func TestTopN(t *testing.T) {
	expect(t, exectest.Run(t, topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 2}), scores), `+I go, p1, 50
+I go, p2, 70
+I chess, p1, 10
-D go, p1, 50
+I go, p3, 70
+I chess, p2, NULL
-D chess, p2, NULL
+I chess, p3, 10
-D go, p3, 70
+I go, p5, 90
+I NULL, p6, 5
`)
}

func TestTopNRank(t *testing.T) {
	expect(t, exectest.Run(t, topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 2, OutputRank: true}), scores), `+I go, p1, 50, 1
-U go, p1, 50, 1
+U go, p2, 70, 1
+I go, p1, 50, 2
+I chess, p1, 10, 1
-U go, p1, 50, 2
+U go, p3, 70, 2
+I chess, p2, NULL, 2
-U chess, p2, NULL, 2
+U chess, p3, 10, 2
-U go, p2, 70, 1
+U go, p5, 90, 1
-U go, p3, 70, 2
+U go, p2, 70, 2
+I NULL, p6, 5, 1
`)
}

func TestTopNFirstAndSecond(t *testing.T) {
	expect(t, exectest.Run(t, topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 1}), scores), `+I go, p1, 50
-U go, p1, 50
+U go, p2, 70
+I chess, p1, 10
-U go, p2, 70
+U go, p5, 90
+I NULL, p6, 5
`)
	expect(t, exectest.Run(t, topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 2, To: 2}), scores), `+I go, p1, 50
-U go, p1, 50
+U go, p3, 70
+I chess, p2, NULL
-U chess, p2, NULL
+U chess, p3, 10
-U go, p3, 70
+U go, p2, 70
`)
}

// The changes of a batch are folded: one for each row or rank.
func TestTopNBatch(t *testing.T) {
	c := topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 2, OutputRank: true})
	c.Batch = 0
	expect(t, exectest.Run(t, c, scores+"flush\ngo, p7, 80\ngo, p8, 95"), `+I go, p5, 90, 1
+I go, p2, 70, 2
+I chess, p1, 10, 1
+I chess, p3, 10, 2
+I NULL, p6, 5, 1
-U go, p5, 90, 1
+U go, p8, 95, 1
-U go, p2, 70, 2
+U go, p5, 90, 2
`)
	c = topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 2})
	c.Batch = 0
	expect(t, exectest.Run(t, c, scores+"flush\ngo, p7, 80\ngo, p8, 95"), `+I go, p2, 70
+I go, p5, 90
+I chess, p1, 10
+I chess, p3, 10
+I NULL, p6, 5
-D go, p2, 70
+I go, p8, 95
`)
}

func TestTopNRetracts(t *testing.T) {
	const script = `
		go, p1, 50
		go, p2, 70
		go, p3, 60
		-U go, p2, 70
		+U go, p2, 55
		# one of two equal rows
		go, p2, 55
		-D go, p2, 55
		-D go, p3, 60
		# never came
		-D go, p9, 1
		chess, p1, 1
		-D chess, p1, 1
	`
	expect(t, exectest.Run(t, topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 2, InputRetract: true}), script), `+I go, p1, 50
+I go, p2, 70
-D go, p1, 50
+I go, p3, 60
-D go, p2, 70
+I go, p1, 50
-D go, p1, 50
+I go, p2, 55
-D go, p2, 55
+I go, p2, 55
-D go, p3, 60
+I go, p1, 50
+I chess, p1, 1
-D chess, p1, 1
`)
	expect(t, exectest.Run(t, topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 2, InputRetract: true, OutputRank: true}), script), `+I go, p1, 50, 1
-U go, p1, 50, 1
+U go, p2, 70, 1
+I go, p1, 50, 2
-U go, p1, 50, 2
+U go, p3, 60, 2
-U go, p2, 70, 1
+U go, p3, 60, 1
-U go, p3, 60, 2
+U go, p1, 50, 2
-U go, p1, 50, 2
+U go, p2, 55, 2
-U go, p2, 55, 2
+U go, p2, 55, 2
-U go, p3, 60, 1
+U go, p2, 55, 1
-U go, p2, 55, 2
+U go, p1, 50, 2
+I chess, p1, 1, 1
-D chess, p1, 1, 1
`)
}

// An upsert input has no -U: the operator finds the old row by its key.
func TestTopNUpsert(t *testing.T) {
	const script = `
		+I go, p1, 1
		+I go, p2, 1
		+I go, p3, 1
		+U go, p1, 2
		+U go, p3, 3
		+U go, p1, 2
		-D go, p3, 3
		-D go, p3, 3
	`
	expect(t, exectest.Run(t, topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 2, UpsertKey: []int{0, 1}}), script), `+I go, p1, 1
+I go, p2, 1
-U go, p1, 1
+U go, p1, 2
-D go, p2, 1
+I go, p3, 3
-U go, p1, 2
+U go, p1, 2
-D go, p3, 3
+I go, p2, 1
`)
}

// LIMIT: no partition, no order, only inserts.
func TestLimit(t *testing.T) {
	c := topnCase(TopNSpec{From: 2, To: 3})
	expect(t, exectest.Run(t, c, "a, x, 1\nb, x, 1\nc, x, 1\nd, x, 1"), "+I b, x, 1\n+I c, x, 1\n")
}

func TestTopNExpires(t *testing.T) {
	c := topnCase(TopNSpec{Partition: []int{0}, Order: byPoints, From: 1, To: 1, TTL: 10_000_000_000})
	// The changelog is no longer one: state that is not there retracts nothing.
	c.Upsert = []int{0}
	expect(t, exectest.Run(t, c, `
		go, p1, 5
		now 2024-01-01 00:00:09
		go, p2, 4
		now 2024-01-01 00:00:20
		go, p3, 3
	`), "+I go, p1, 5\n+I go, p3, 3\n")
}

package op

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/exectest"
)

// overRow is a row of the random test; second is its time.
type overRow struct{ key, value, second int }

// frameOf is the frame of row i of a partition in order of time and arrival:
// the specification of OverSpec.
func frameOf(s OverSpec, rows []overRow, i int) []overRow {
	last := i
	for !s.Rows && last+1 < len(rows) && rows[last+1].second == rows[i].second {
		last++ // peers
	}
	first := 0
	switch {
	case s.Preceding >= 0 && s.Rows:
		first = max(0, i-int(s.Preceding))
	case s.Preceding >= 0:
		for rows[first].second*1000 < rows[i].second*1000-int(s.Preceding) {
			first++
		}
	}
	return rows[first : last+1]
}

func timeText(second int) string {
	return time.Unix(1704067200+int64(second), 0).UTC().Format("2006-01-02 15:04:05.000")
}

// Rows that come in any order within the watermark's delay are folded in the
// order of time.
func TestOverRandom(t *testing.T) {
	for name, s := range map[string]OverSpec{
		"unbounded range": {Preceding: -1}, "unbounded rows": {Preceding: -1, Rows: true},
		"3 rows": {Preceding: 2, Rows: true}, "current row": {Preceding: 0, Rows: true},
		"4 seconds": {Preceding: 4000}, "current time": {Preceding: 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(name)), 1))
			s.Time = 2
			var script strings.Builder
			rows := map[int][]overRow{}
			for i := range 30 {
				row := overRow{r.IntN(3), r.IntN(9), i/2 + r.IntN(4)}
				fmt.Fprintf(&script, "k%d, %d, %s\n", row.key, row.value, timeText(row.second))
				rows[row.key] = append(rows[row.key], row)
				if i%2 == 1 {
					// No later row is before this: they begin at (i+1)/2.
					fmt.Fprintf(&script, "watermark %s\n", timeText((i+1)/2-1))
				}
			}
			script.WriteString("watermark max\n")
			var want []string
			for _, part := range rows {
				slices.SortStableFunc(part, func(a, b overRow) int { return a.second - b.second })
				for i, row := range part {
					sum, most, frame := 0, -1, frameOf(s, part, i)
					for _, f := range frame {
						sum, most = sum+f.value, max(most, f.value)
					}
					want = append(want, fmt.Sprintf("k%d, %d, %s, %d, %d, %d", row.key, row.value, timeText(row.second), sum, len(frame), most))
				}
			}
			slices.Sort(want)
			c := overCase(s, overCall(t, "SUM", 1), overCall(t, "COUNT"), overCall(t, "MAX", 1))
			got, err := exectest.Fold(strings.Split(strings.TrimSpace(exectest.Run(t, c, script.String())), "\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

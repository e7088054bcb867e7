package op

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/exectest"
)

// joinRow is a row of either side; key 0 stands for NULL.
type joinRow struct{ key, value int }

func (r joinRow) String() string {
	if r.key == 0 {
		return fmt.Sprintf("NULL, %d", r.value)
	}
	return fmt.Sprintf("k%d, %d", r.key, r.value)
}

// randomChanges writes a script of inserts and retractions of both sides, and
// returns the rows that are left.
func randomChanges(r *rand.Rand, n int) (script string, rows [2][]joinRow) {
	var b strings.Builder
	for range n {
		in := r.IntN(2)
		fmt.Fprintf(&b, "in %d\n", in)
		if len(rows[in]) > 0 && r.IntN(5) < 2 {
			i := r.IntN(len(rows[in]))
			fmt.Fprintf(&b, "-D %v\n", rows[in][i])
			rows[in] = slices.Delete(rows[in], i, i+1)
			continue
		}
		row := joinRow{r.IntN(4), r.IntN(4)}
		fmt.Fprintf(&b, "+I %v\n", row)
		rows[in] = append(rows[in], row)
	}
	return b.String(), rows
}

// nestedLoop is what the join of the rows is: the specification of Join.
func nestedLoop(kind JoinKind, rows [2][]joinRow, match func(l, r joinRow) bool) []string {
	var out []string
	met := make([]bool, len(rows[1]))
	for _, l := range rows[0] {
		any := false
		for i, r := range rows[1] {
			if match(l, r) {
				any, met[i] = true, true
				if kind < Semi {
					out = append(out, l.String()+", "+r.String())
				}
			}
		}
		switch {
		case any == (kind == Semi) && kind >= Semi:
			out = append(out, l.String())
		case !any && (kind == Left || kind == Full):
			out = append(out, l.String()+", NULL, NULL")
		}
	}
	for i, r := range rows[1] {
		if !met[i] && (kind == Right || kind == Full) {
			out = append(out, "NULL, NULL, "+r.String())
		}
	}
	slices.Sort(out)
	return out
}

// Whatever comes and goes, the result is that of a nested loop over the rows
// that are left.
func TestJoinRandom(t *testing.T) {
	fields := append(exectest.Columns("k STRING, v INT"), exectest.Columns("k STRING, w INT")...)
	for seed := range uint64(2) {
		script, rows := randomChanges(rand.New(rand.NewPCG(seed, 0)), 20)
		for kind := Inner; kind <= Anti; kind++ {
			for _, c := range []struct {
				name  string
				spec  JoinSpec
				match func(l, r joinRow) bool
			}{
				{"equal keys", JoinSpec{}, func(l, r joinRow) bool { return l.key == r.key && l.key != 0 }},
				{"equal or null keys", JoinSpec{NullAware: []bool{true}}, func(l, r joinRow) bool { return l.key == r.key }},
				{"equal keys, greater value", JoinSpec{Residual: compare(t, ">", fields, 1, 3)}, func(l, r joinRow) bool { return l.key == r.key && l.key != 0 && l.value > r.value }},
				{"less value", JoinSpec{LeftKeys: []int{}, RightKeys: []int{}, Residual: compare(t, "<", fields, 1, 3)}, func(l, r joinRow) bool { return l.value < r.value }},
			} {
				c.spec.Kind, c.spec.LeftRetract, c.spec.RightRetract = kind, true, true
				log := strings.Split(strings.TrimSpace(exectest.Run(t, joinCase(c.spec), script)), "\n")
				got, err := exectest.Fold(log, nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := nestedLoop(kind, rows, c.match); !slices.Equal(got, want) {
					t.Fatalf("%v on %s, seed %d: got\n%s\nexpected\n%s", kind, c.name, seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
	}
}

package exectest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Case is an operator under test.
type Case struct {
	New    func() (exec.Operator, error)
	Inputs []Input
	Output []types.Field
	// Upsert is the key of the output if it is an upsert stream; nil: the
	// output's retractions must meet their rows.
	Upsert []int
	// Batch is the batch size of the run whose changelog Run returns: 1 shows
	// what row mode does. 0: all rows between two other commands at once.
	Batch int
	// Watermarks are shown in the changelog.
	Watermarks bool
	// Sequential says that the final table depends on how rows are split into
	// batches or subtasks (a running number): only selections are varied.
	Sequential bool
}

// Input is one input of the operator.
type Input struct {
	Fields []types.Field
	Key    []int // columns of the exchange key; nil: none, Batch.Hash is not set
}

// In is an input without exchange key, or with one.
func In(columns string, key ...int) Input {
	return Input{Fields: Columns(columns), Key: key}
}

// Run feeds the script to the operator in all modes (batch sizes 1, 3 and
// all; rows unselected in between; every batch overwritten after the call and
// given to a second instance as well; snapshot and restore before each batch;
// for keyed inputs with a rescale there) and fails unless all end in the same
// table. It returns the changelog of the plain run, a line each.
//
// A script has a command a line:
//
//	in 1                           rows go to input 1 from now on
//	+I 1, foo                      a row, as in Rows
//	watermark 2024-01-01 00:00:05  Advance; also in ms, or "max"
//	now 2024-01-01 00:00:05        processing time; wakes what is due
//	flush                          Flush, as on a barrier
//	# text                         a comment
//
// Flush is called at the end. An error of the operator ends the run, and is
// the last line of the result.
func Run(t testing.TB, c Case, script string) string {
	t.Helper()
	steps, err := parseScript(c, script)
	if err != nil {
		t.Fatal(err)
	}
	plain := runMode(t, c, mode{size: c.Batch}, steps)
	want := fold(t, c, mode{size: c.Batch}, plain)
	for _, m := range modes(c) {
		lines := runMode(t, c, m, steps)
		if got := fold(t, c, m, lines); !slices.Equal(got, want) {
			t.Fatalf("final table with %v:\n  %s\nexpected, as with %v:\n  %s\nchangelog:\n  %s", m,
				strings.Join(got, "\n  "), mode{size: c.Batch}, strings.Join(want, "\n  "), strings.Join(lines, "\n  "))
		}
	}
	return strings.Join(plain, "\n") + "\n"
}

// mode is one way to run a script.
type mode struct {
	size     int  // rows a batch; 0: all
	selected bool // rows that are not selected stand between the others
	snapshot bool // restore before each batch
	rescale  bool // at each restore, to 3, 2 and 1 subtasks
}

func (m mode) String() string {
	s := "all rows in one batch"
	if m.size > 0 {
		s = fmt.Sprintf("batches of %d", m.size)
	}
	for _, f := range []struct {
		on   bool
		text string
	}{{m.selected, "selections"}, {m.snapshot, "restores"}, {m.rescale, "rescales"}} {
		if f.on {
			s += ", " + f.text
		}
	}
	return s
}

func modes(c Case) []mode {
	sizes := []int{1, 3, 0}
	if c.Sequential {
		sizes = []int{c.Batch}
	}
	var all []mode
	for _, n := range sizes {
		all = append(all, mode{size: n}, mode{size: n, selected: true}, mode{size: n, snapshot: true})
		if keyed(c) && !c.Sequential {
			all = append(all, mode{size: n, selected: true, snapshot: true, rescale: true})
		}
	}
	return all
}

func keyed(c Case) bool {
	for _, in := range c.Inputs {
		if len(in.Key) == 0 {
			return false
		}
	}
	return len(c.Inputs) > 0
}

// fold is the final table; of a run that ended in an error, the error.
func fold(t testing.TB, c Case, m mode, lines []string) []string {
	t.Helper()
	if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], "error: ") {
		return lines[n-1:]
	}
	rows, err := Fold(lines, c.Upsert)
	if err != nil {
		t.Fatalf("with %v: %v\nchangelog:\n  %s", m, err, strings.Join(lines, "\n  "))
	}
	return rows
}

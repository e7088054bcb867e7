package op

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// bench drives an operator and counts what comes out.
type bench struct {
	b    testing.TB
	op   exec.Operator
	ctx  *exec.Context
	rows int64
}

func newBench(b testing.TB, o exec.Operator) *bench {
	s, err := state.Open(state.Options{Operator: "bench", Range: state.AllGroups})
	if err != nil {
		b.Fatal(err)
	}
	r := &bench{b: b, op: o, ctx: &exec.Context{State: s, Parallelism: 1, Metrics: &exec.Metrics{}, Watermark: types.MinTime}}
	if err := o.Open(r.ctx); err != nil {
		b.Fatal(err)
	}
	return r
}

func (r *bench) process(in int, b *vec.Batch) {
	if err := r.op.Process(in, b, r); err != nil {
		r.b.Fatal(err)
	}
}

func (r *bench) advance(t types.Time) {
	r.ctx.Watermark = t
	if err := r.op.Advance(t, r); err != nil {
		r.b.Fatal(err)
	}
}

func (r *bench) Emit(b *vec.Batch) error    { r.rows += int64(b.Len()); return nil }
func (r *bench) Watermark(types.Time) error { return nil }

// count is the number of lines of a changelog with the given text.
func count(log, text string) (n int) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

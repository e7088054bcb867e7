package exectest

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// runner runs a script in one mode. It holds the subtasks, each with a twin
// that sees the same vectors.
type runner struct {
	t      testing.TB
	c      Case
	m      mode
	chunks Chunks
	tasks  []*subtask
	out    *Changelog
	now    types.Time
	mark   types.Time
	reset  int // restores so far
}

// subtask is one instance of the operator.
type subtask struct {
	op   exec.Operator
	ctx  *exec.Context
	twin *subtask
	out  *Changelog // the twin's own; nil: the runner's
	next types.Time
}

func runMode(t testing.TB, c Case, m mode, steps []step) []string {
	t.Helper()
	r := &runner{t: t, c: c, m: m, mark: types.MinTime, now: 1704067200000}
	r.out = &Changelog{Fields: c.Output, Watermarks: c.Watermarks && !m.rescale}
	err := r.run(steps)
	if cerr := r.close(); err == nil {
		err = cerr
	}
	if err != nil {
		r.out.Lines = append(r.out.Lines, "error: "+err.Error())
	}
	return r.out.Lines
}

func (r *runner) run(steps []step) error {
	if err := r.open(1, nil); err != nil {
		return err
	}
	for _, s := range steps {
		if err := r.step(s); err != nil {
			return err
		}
	}
	return r.each((*runner).flush)
}

func (r *runner) step(s step) error {
	switch s.command {
	case "rows":
		for _, b := range cut(s.rows, r.m.size) {
			if err := r.rows(s.in, b); err != nil {
				return err
			}
		}
		return nil
	case "watermark":
		r.mark = s.at
		return r.each(func(r *runner, s *subtask) error {
			if s.ctx.Watermark >= r.mark {
				return nil
			}
			s.ctx.Watermark = r.mark
			s.ctx.State.Tick()
			if err := s.op.Advance(r.mark, r.output(s)); err != nil {
				return err
			}
			return r.wake(s)
		})
	case "now":
		return r.advanceClock(s.at)
	case "flush":
		return r.each((*runner).flush)
	}
	panic("exectest: unknown step " + s.command)
}

// each calls f for every subtask and its twin, and compares what they emit.
func (r *runner) each(f func(*runner, *subtask) error) error {
	for _, s := range r.tasks {
		from := len(r.out.Lines)
		if err := f(r, s); err != nil {
			return err
		}
		if s.twin == nil {
			continue
		}
		s.twin.out.Lines = nil
		if err := f(r, s.twin); err != nil {
			return fmt.Errorf("second instance on the same rows: %w", err)
		}
		if got := s.twin.out.Lines; !slices.Equal(got, r.out.Lines[from:]) {
			return fmt.Errorf("a second instance on the same rows emits %q instead of %q", got, r.out.Lines[from:])
		}
	}
	return nil
}

func (r *runner) output(s *subtask) exec.Output {
	c := r.out
	if s.out != nil {
		c = s.out
	}
	if len(r.tasks) > 1 {
		return rowsOnly{c, len(r.c.Output)}
	}
	return checked{c, len(r.c.Output)}
}

func (r *runner) rows(in int, b *vec.Batch) error {
	if r.m.snapshot {
		if err := r.restore(); err != nil {
			return err
		}
	}
	b = b.Clone()
	if r.m.selected {
		b = spread(b)
	}
	if key := r.c.Inputs[in].Key; key != nil {
		b.Hash = vec.HashRows(keyColumns(b, key), vec.Identity(b.N), b.N, nil)
	}
	i := -1
	err := r.each(func(r *runner, s *subtask) error {
		if s.out == nil {
			i++
		}
		h := r.share(b, i)
		if h.Len() == 0 {
			return nil
		}
		s.ctx.State.Tick()
		if err := s.op.Process(in, h, r.output(s)); err != nil {
			return err
		}
		return r.wake(s)
	})
	b.Poison()
	return err
}

func keyColumns(b *vec.Batch, key []int) []*vec.Vector {
	var cols []*vec.Vector
	for _, k := range key {
		cols = append(cols, b.Cols[k])
	}
	return cols
}

// share is a header of b with the rows of subtask i.
func (r *runner) share(b *vec.Batch, i int) *vec.Batch {
	h := b.Head()
	if len(r.tasks) == 1 {
		return h
	}
	h.Sel = []int32{}
	for _, row := range b.Rows() {
		if state.SubtaskOf(state.Group(b.Hash[row]), len(r.tasks)) == i {
			h.Sel = append(h.Sel, row)
		}
	}
	return h
}

func (r *runner) wake(s *subtask) error {
	w, ok := s.op.(exec.Waker)
	if !ok {
		return nil
	}
	s.ctx.State.Tick()
	var err error
	s.next, err = w.Wake(s.ctx.Now, r.output(s))
	return err
}

// advanceClock wakes each subtask at every time it asked for up to t.
func (r *runner) advanceClock(t types.Time) error {
	r.now = t
	return r.each(func(r *runner, s *subtask) error {
		if _, ok := s.op.(exec.Waker); !ok {
			s.ctx.Now = t
			return nil
		}
		for s.next <= t {
			s.ctx.Now = max(s.ctx.Now, s.next)
			last := s.next
			if err := r.wake(s); err != nil {
				return err
			}
			if s.next <= last {
				return fmt.Errorf("woken at %v, the operator asks to be woken at %v", last, s.next)
			}
		}
		s.ctx.Now = t
		return nil
	})
}

func (r *runner) flush(s *subtask) error {
	if f, ok := s.op.(exec.Flusher); ok {
		s.ctx.State.Tick()
		return f.Flush(r.output(s))
	}
	return nil
}

// open makes n subtasks, restored from manifests, each with a twin.
func (r *runner) open(n int, manifests [][]byte) error {
	r.tasks = nil
	for i := range n {
		s, err := r.instance(i, n, manifests)
		if err != nil {
			return err
		}
		s.twin, err = r.instance(i, n, manifests)
		if err != nil {
			return err
		}
		s.twin.out = &Changelog{Fields: r.c.Output, Watermarks: r.out.Watermarks}
		r.tasks = append(r.tasks, s)
	}
	return r.each((*runner).wake)
}

func (r *runner) instance(i, n int, manifests [][]byte) (*subtask, error) {
	op, err := r.c.New()
	if err != nil {
		return nil, err
	}
	b, err := state.Open(state.Options{
		Operator: "test", Range: state.RangeOf(i, n), Manifests: manifests, Chunks: &r.chunks,
	})
	if err != nil {
		return nil, err
	}
	s := &subtask{op: op, next: types.MaxTime, ctx: &exec.Context{
		Subtask: checkpoint.Subtask{UID: "test", Index: i}, Parallelism: n, State: b,
		Metrics: &exec.Metrics{}, Log: slog.New(slog.DiscardHandler), Now: r.now, Watermark: r.mark,
	}}
	if err := op.Open(s.ctx); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return s, b.CheckClaimed()
}

// restore takes a snapshot of all subtasks and opens new ones from it.
func (r *runner) restore() error {
	if err := r.each((*runner).flush); err != nil {
		return err
	}
	var manifests [][]byte
	for _, s := range r.tasks {
		m, err := Snapshot(s.ctx.State, &r.chunks)
		if err != nil {
			return err
		}
		manifests = append(manifests, m)
	}
	if err := r.close(); err != nil {
		return err
	}
	n := 1
	if r.m.rescale {
		n = []int{3, 2, 1}[r.reset%3]
	}
	r.reset++
	return r.open(n, manifests)
}

// Snapshot freezes and writes the state, and returns its manifest.
func Snapshot(b *state.Backend, w state.ChunkWriter) ([]byte, error) {
	snap, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	defer snap.Release()
	written, err := snap.Write(w)
	return written.Manifest, err
}

func (r *runner) close() error {
	var first error
	for _, s := range r.tasks {
		for _, x := range []*subtask{s, s.twin} {
			if x == nil {
				continue
			}
			if err := x.op.Close(); err != nil && first == nil {
				first = fmt.Errorf("close: %w", err)
			}
		}
	}
	r.tasks = nil
	return first
}

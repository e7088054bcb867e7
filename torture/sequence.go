package torture

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// sequence numbers the rows of each input partition from 1: its output is
// right only if state, positions and output agree.
type sequence struct {
	table *state.Table
	n     state.Col[int64]
	probe state.Probe
	out   *vec.Batch
}

func sequenceNode(parallelism int) *exec.Node {
	return &exec.Node{
		UID: "sequence", Name: "Sequence", Parallelism: parallelism, Output: outFields,
		Inputs: []exec.Edge{{From: 0, Exchange: exec.Hash, Key: []int{1}}},
		New:    func() (exec.Operator, error) { return &sequence{}, nil },
	}
}

func (s *sequence) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(state.Layout{Name: "next", Version: 1, Keys: []state.Class{state.I64}, Values: []state.Class{state.I64}})
	if err != nil {
		return err
	}
	var ts []types.Type
	for _, f := range outFields {
		ts = append(ts, f.Type)
	}
	s.table, s.n, s.out = t, t.I64Col(0), vec.NewBatch(ts...)
	return nil
}

func (s *sequence) Process(_ int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	s.probe.Groups, s.probe.Hashes, s.probe.Rows = b.Hash, b.Hash, rows
	s.probe.Keys = []state.KeyCol{{Class: state.I64, I64: b.Cols[1].I64}}
	s.table.FindOrInsert(&s.probe)
	s.table.Touch(s.probe.Slots)
	s.out.Reset()
	for i, slot := range s.probe.Slots {
		n := s.n.At(slot) + 1
		s.n.Set(slot, n)
		for c, v := range []int64{b.Cols[0].I64[rows[i]], b.Cols[1].I64[rows[i]], n} {
			s.out.Cols[c].I64 = append(s.out.Cols[c].I64, v)
		}
		s.out.N++
	}
	return out.Emit(s.out)
}

func (s *sequence) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }

func (s *sequence) Close() error { return nil }

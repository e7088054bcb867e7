package torture

import (
	"context"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// tappedSink makes the calls of a sink steps.
type tappedSink struct {
	exec.TwoPhaseCommitSink
	p    *stepper
	w    *World
	id   string // of the operator
	slow bool   // Close does what a killed process cannot (it removes files)
}

func (s *tappedSink) Writer(ctx context.Context, c exec.SinkContext) (exec.Writer, error) {
	w, err := s.TwoPhaseCommitSink.Writer(ctx, c)
	if err != nil {
		return nil, err
	}
	return &tappedWriter{w.(exec.PreCommitter), s}, nil
}

func (s *tappedSink) Committer(ctx context.Context, c exec.SinkContext) (exec.Committer, error) {
	inner, err := s.TwoPhaseCommitSink.Committer(ctx, c)
	return &tappedCommitter{inner, s}, err
}

type tappedWriter struct {
	exec.PreCommitter
	s *tappedSink
}

func (w *tappedWriter) Write(ctx context.Context, b *vec.Batch) error {
	return w.s.p.do("write", w.s.id, func() error { return w.PreCommitter.Write(ctx, b) })
}

func (w *tappedWriter) PreCommit(ctx context.Context, id checkpoint.ID, final bool) (list []exec.Committable, err error) {
	name := "precommit"
	if final {
		name = "precommit final"
	}
	err = w.s.p.do(name, w.s.id, func() error {
		list, err = w.PreCommitter.PreCommit(ctx, id, final)
		return err
	})
	return list, err
}

func (w *tappedWriter) Settled(list []exec.Committable) error {
	return w.s.p.do("settled", w.s.id, func() error { return w.PreCommitter.Settled(list) })
}

// Close of a dead process does nothing that is seen outside.
func (w *tappedWriter) Close() error {
	if w.s.slow && w.s.p.Killed() {
		return nil
	}
	return w.PreCommitter.Close()
}

type tappedCommitter struct {
	exec.Committer
	s *tappedSink
}

func (c *tappedCommitter) Start(ctx context.Context, pending []exec.Committable) error {
	return c.s.p.do("start", c.s.id, func() error { return c.Committer.Start(ctx, pending) })
}

// Commit hands a file sink one committable after the other, so that a kill
// can come between two renames; Kafka's commits are steps on the wire.
func (c *tappedCommitter) Commit(ctx context.Context, list []exec.Committable) ([]exec.Outcome, error) {
	parts := [][]exec.Committable{list}
	if c.s.slow {
		parts = parts[:0]
		for i := range list {
			parts = append(parts, list[i:i+1])
		}
	}
	var all []exec.Outcome
	var first error
	for _, part := range parts {
		var got []exec.Outcome
		err := c.s.p.do("commit", c.s.id, func() (err error) {
			got, err = c.Committer.Commit(ctx, part)
			return err
		})
		c.s.w.decided.note(got)
		all = append(all, got...)
		if first == nil {
			first = err
		}
	}
	return all, first
}

func (c *tappedCommitter) Recover(ctx context.Context, keep []exec.Committable) error {
	return c.s.p.do("recover", c.s.id, func() error { return c.Committer.Recover(ctx, keep) })
}

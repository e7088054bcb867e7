package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// openSink makes the writer.
func (s *stage) openSink() error {
	w, err := s.node.Sink.Sink.Writer(s.task.ctx, s.task.run.sinkContext(s.node, s.subtask, s.ctx.Metrics))
	if err != nil {
		return s.errorf(err)
	}
	s.sink = &sinkOperator{ctx: s.task.ctx, writer: w, guarantee: s.node.Sink.Guarantee}
	s.op = s.sink
	if s.sink.guarantee != ExactlyOnce {
		return nil
	}
	p, ok := w.(PreCommitter)
	if !ok {
		return s.errorf(Fatal(fmt.Errorf("the sink promises exactly-once, but its writer has no pre-commit")))
	}
	s.sink.pre = p
	return nil
}

// sinkOperator is a writer as the last operator of a chain.
//
// Invariant: untold holds every committable that pre returned and whose
// outcome it has not been told, in order.
type sinkOperator struct {
	ctx       context.Context
	writer    Writer
	pre       PreCommitter // exactly-once only
	guarantee Guarantee
	untold    []Committable
}

func (s *sinkOperator) Open(*Context) error { return nil }

func (s *sinkOperator) Process(_ int, b *vec.Batch, _ Output) error {
	return s.writer.Write(s.ctx, b)
}

func (s *sinkOperator) Advance(types.Time, Output) error { return nil }

func (s *sinkOperator) Close() error { return s.writer.Close() }

// barrier makes what was written so far part of the checkpoint.
func (s *sinkOperator) barrier(b barrier) error {
	switch s.guarantee {
	case ExactlyOnce:
		fresh, err := s.pre.PreCommit(s.ctx, b.id, b.kind == checkpoint.Final)
		s.untold = append(s.untold, fresh...)
		return err
	case AtLeastOnce:
		return s.writer.Flush(s.ctx)
	}
	if b.kind == checkpoint.Final {
		return s.writer.Flush(s.ctx)
	}
	return nil
}

// settle drops what has an outcome and tells the writer.
func (s *sinkOperator) settle(known []Committable) error {
	gone := make(map[string]bool, len(known))
	for _, c := range known {
		gone[c.Key()] = true
	}
	s.untold = slices.DeleteFunc(s.untold, func(c Committable) bool { return gone[c.Key()] })
	return s.pre.Settled(known)
}

// dropAborted is a broken rule; see package mutant.
func (t *task) dropAborted(id checkpoint.ID) {
	for _, s := range t.stages {
		if s.sink != nil {
			s.sink.untold = slices.DeleteFunc(s.sink.untold, func(c Committable) bool { return c.Checkpoint == id })
		}
	}
}

package exec_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
)

// lateSink recovers only when its failures are used up.
type lateSink struct {
	*exectest.Ledger
	failures []error
}

func (s *lateSink) Committer(ctx context.Context, c exec.SinkContext) (exec.Committer, error) {
	l, err := s.Ledger.Committer(ctx, c)
	return lateCommitter{l, s}, err
}

type lateCommitter struct {
	exec.Committer
	s *lateSink
}

func (c lateCommitter) Recover(ctx context.Context, keep []exec.Committable) error {
	if len(c.s.failures) > 0 {
		err := c.s.failures[0]
		c.s.failures = c.s.failures[1:]
		return err
	}
	return c.Committer.Recover(ctx, keep)
}

// What does not start even once is shown, unless it asks for a restart itself.
func TestFirstStartMayAskForRestart(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct{ failure, want error }{{fmt.Errorf("too late: %w", checkpoint.ErrRestart), nil}, {broken, broken}} {
		w := newWorld(t, "a")
		w.ledger.Fields = w.feed.Fields
		n := w.ledger.Node("sink", 1, exec.Edge{From: 0})
		n.Sink.Sink = &lateSink{w.ledger, []error{c.failure, c.failure}}
		w.add("a", "x, 1")
		j := w.run(&exec.Graph{Nodes: []*exec.Node{w.feed.Node("feed", 1), n}}, exec.Config{})
		if err := w.endAll(j); !errors.Is(err, c.want) {
			t.Fatalf("%v became %v", c.failure, err)
		}
	}
}

package exec_test

import (
	"context"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// askingSink has writers that ask for a checkpoint after each batch.
type askingSink struct{ *exectest.Ledger }

func (s askingSink) Writer(ctx context.Context, c exec.SinkContext) (exec.Writer, error) {
	w, err := s.Ledger.Writer(ctx, c)
	return askingWriter{w.(exec.PreCommitter), c.Checkpoint}, err
}

type askingWriter struct {
	exec.PreCommitter
	ask func()
}

func (w askingWriter) Write(ctx context.Context, b *vec.Batch) error {
	err := w.PreCommitter.Write(ctx, b)
	w.ask()
	return err
}

// A sink may ask for a checkpoint before its interval is over.
func TestSinkAsksForCheckpoint(t *testing.T) {
	w := newWorld(t, "a")
	w.ledger.Fields = w.feed.Fields
	n := w.ledger.Node("sink", 1, exec.Edge{From: 0})
	n.Sink.Sink = askingSink{w.ledger}
	j := w.run(&exec.Graph{Nodes: []*exec.Node{w.feed.Node("feed", 1), n}}, exec.Config{Checkpoint: exec.CheckpointConfig{Interval: time.Hour}})
	for i, row := range []string{"x, 1", "y, 2"} {
		w.add("a", row)
		until(t, "the row is committed though no time passes", func() bool { return len(w.ledger.Visible()) == i+1 })
	}
	w.feed.End("a")
	w.wait(j)
}

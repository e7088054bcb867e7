package torture

import (
	"errors"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
)

// TestLogTooSmall: the rows between two checkpoints do not fit into the
// pre-commit log. The job restarts from the same checkpoint twice, then stops
// and says what to change; nothing is lost or doubled when that is done.
func TestLogTooSmall(t *testing.T) {
	for _, parallelism := range []int{1, 2} {
		logTooSmall(t, fresh(t, 60), Job{Parallelism: parallelism})
	}
}

func logTooSmall(t *testing.T, w *World, j Job) {
	t.Helper()
	j.Sink = map[string]string{"sink.pre-commit-log": "true", "sink.pre-commit-log.max-bytes": "20 b"}
	killed(t, w, Job{Parallelism: j.Parallelism, Interval: j.Interval, Sink: map[string]string{"sink.pre-commit-log": "true"}}, At("outcomes", 1, true, Kill))
	p, err := w.Run(j, nil)
	var fatal *exec.FatalError
	if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "'sink.pre-commit-log.max-bytes' is 20") || !strings.Contains(err.Error(), "after 2 restarts") {
		t.Fatalf("a log that is too small gave %v", err)
	}
	if n := p.Count(exec.EventRestarting); n != 2 {
		t.Fatalf("%d restarts, want 2", n)
	}
	j.Sink["sink.pre-commit-log.max-bytes"] = "1 mb"
	finish(t, w, j)
	exact(t, w)
}

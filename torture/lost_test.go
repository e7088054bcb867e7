package torture

import (
	"errors"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
)

// TestFault11LostWhileRunningWithLog: a transaction is aborted under a running
// job, between its checkpoint and its commit. The job restarts inside the
// process, although its strategy is not to, and writes it anew.
func TestFault11LostWhileRunningWithLog(t *testing.T) {
	for _, parallelism := range []int{1, 2} {
		w := newCluster(t).world(t, 60)
		j := Job{Parallelism: parallelism, NoRestart: true, Sink: map[string]string{"sink.pre-commit-log": "true"}}
		n := 0
		p, err := w.Finish(j, func(s Step) Action {
			if s.Name == "EndTxn commit" && !s.After {
				if n++; n == 3 {
					if err := fence(w.Addr, s.ID); err != nil {
						t.Error(err)
					}
				}
			}
			return Go
		})
		if err != nil {
			t.Fatal(err)
		}
		exact(t, w)
		anew := 0
		for _, e := range p.events {
			for _, o := range e.Outcomes {
				if o.Status == checkpoint.Replaced {
					anew++
				}
			}
		}
		if anew == 0 || p.Count(exec.EventRestarting) != 1 {
			t.Fatalf("%d transactions were written anew, %d restarts; want one restart", anew, p.Count(exec.EventRestarting))
		}
	}
}

// TestLossesAreCounted: what the job goes on without is counted, also by the
// process after the one that decided it.
func TestLossesAreCounted(t *testing.T) {
	w := newCluster(t).world(t, 60)
	j := shortLived("sink.on-lost-transaction", "continue")
	killed(t, w, j, At("commit", 2, false, Kill))
	awaitAborted(t, w)
	j.Sink["properties.transaction.timeout.ms"] = "60000"
	killed(t, w, j, At("outcomes", 1, true, Kill)) // the loss is decided
	p, err := w.Finish(j, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.Check()
	if err != nil {
		t.Fatal(err)
	}
	if st := p.job.Status(); len(v.Lost) == 0 || st.Lost == 0 || st.LostRecords != int64(len(v.Lost)) {
		t.Fatalf("%d records are lost, the job says %d with %d transactions", len(v.Lost), st.LostRecords, st.Lost)
	}
}

// TestStoredOrNot: the write of a checkpoint's metadata fails, but is durable.
// A restart inside the process would begin at the checkpoint before, and abort
// what this one covers; so the process ends, and the next one finds the truth.
func TestStoredOrNot(t *testing.T) {
	for _, log := range []string{"false", "true"} {
		for _, durable := range []bool{false, true} {
			w := newCluster(t).world(t, 60)
			j := Job{Parallelism: 2, Sink: map[string]string{"sink.pre-commit-log": log}}
			if _, err := w.Run(j, At("metadata", 2, durable, Drop)); !errors.Is(err, checkpoint.ErrUnusable) {
				t.Fatalf("durable=%v: got %v", durable, err)
			}
			finish(t, w, j)
			exact(t, w)
		}
	}
}

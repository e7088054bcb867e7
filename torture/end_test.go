package torture

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
)

// stalling is a job whose checkpoints time out where a sink stalls.
var stalling = Job{TwoSinks: true, Timeout: stalledBy}

// stall lets the second sink's pre-commit stall n times, from the nth on.
func stall(from, n int) Hook {
	seen := 0
	return func(s Step) Action {
		if s.Name == "precommit" && s.ID == "sink2" && !s.After {
			if seen++; seen >= from && seen < from+n {
				return Stall
			}
		}
		return Go
	}
}

// TestFault15AbortedCheckpoint: a checkpoint is aborted when one of two sinks
// has pre-committed; the next one is stored, and the process killed before it
// commits. Both transactions are visible once. The same after six in a row.
func TestFault15AbortedCheckpoint(t *testing.T) {
	c := newCluster(t)
	for _, n := range []int{1, 6} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := c.world(t, 150)
			slow, stored := stall(3, n), false
			aborted := 0
			var p *Process
			p, err := w.Start(stalling, func(s Step) Action {
				a := slow(s)
				if a == Stall {
					aborted++
				}
				stored = stored || aborted == n && s.Name == "metadata" && s.After
				if stored && s.Name == "commit" {
					return Kill
				}
				return a
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Wait(); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if got := p.Count(exec.EventCheckpointAborted); got < n {
				t.Fatalf("%d checkpoints were aborted, expected %d", got, n)
			}
			finish(t, w, Job{TwoSinks: true})
			exact(t, w, w.Out, w.Out2)
		})
	}
}

// TestFault20LateAcknowledgements: acks that come after their checkpoint was
// aborted, with several in flight, count for nothing. (Doubled and reordered
// ones: package model.)
func TestFault20LateAcknowledgements(t *testing.T) {
	lateAcknowledgements(t, fresh(t, 150), stalling)
}

func lateAcknowledgements(t *testing.T, w *World, j Job) {
	j.Concurrent = 2
	p, err := w.Run(j, stall(2, 4))
	if err != nil {
		t.Fatal(err)
	}
	if p.Count(exec.EventCheckpointAborted) == 0 {
		t.Fatal("no checkpoint was aborted")
	}
	exact(t, w, w.Out, w.Out2)
}

// TestFault21EndStopDrain: a kill at each step from the final barrier on.
func TestFault21EndStopDrain(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, how := range []string{"end", "stop", "drain"} {
		t.Run(how, func(t *testing.T) {
			for at := 1; ; at++ {
				reached := false
				for _, after := range []bool{false, true} {
					w := c.world(t, 20)
					reached = endKilled(t, w, how, at, after) || reached
					exact(t, w)
				}
				if !reached {
					if at < 8 {
						t.Fatalf("an end of %d steps is too short to be true", at)
					}
					return
				}
			}
		})
	}
}

// endKilled ends the job in one of three ways, with a kill at the nth step of
// the end, and finishes it. It tells whether there was such a step.
func endKilled(t *testing.T, w *World, how string, nth int, after bool) bool {
	t.Helper()
	j := Job{}
	rows, n := 0, 0
	ending := false
	all := make(chan struct{})
	p, err := w.Start(j, func(s Step) Action {
		if s.Name == "write" && s.After {
			if rows++; rows == 3 { // some are left for the next start, unless it is drained
				close(all)
			}
		}
		ending = ending || s.Name == "precommit final"
		if ending && s.After == after {
			if n++; n == nth {
				return Kill
			}
		}
		return Go
	})
	if err != nil {
		t.Fatal(err)
	}
	if how != "end" {
		<-all
		p.Stop(how == "drain")
	}
	err = p.Wait()
	if err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	_, err = w.Finish(Job{}, nil)
	if how == "drain" {
		err = drained(t, w, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p.Killed()
}

// drained: what a drained job did not read is not in its output, and nobody
// reads it later; the oracle is told so.
func drained(t *testing.T, w *World, err error) error {
	t.Helper()
	v, cerr := w.Check()
	if cerr != nil || len(v.Duplicated)+len(v.Strange) > 0 {
		t.Fatal(cerr, v.Err())
	}
	if len(v.Lost) == 0 {
		return err
	}
	// The rows that are there must be the first ones of each partition.
	for p := range w.Partitions {
		gone := false
		for id := p; id < w.Records; id += w.Partitions {
			lost := slices.Contains(v.Lost, id)
			if gone && !lost {
				t.Fatalf("after a drain record %d is there and an earlier one is not: %v", id, v.Lost)
			}
			gone = lost
		}
	}
	w.Drained = v.Lost
	return err
}

// TestFault20AckedBeforeTheOutcome: commits take so long that the next
// checkpoint is acknowledged with the same committables again. They are not
// committed again: their ids are in use for other rows by then.
func TestFault20AckedBeforeTheOutcome(t *testing.T) {
	t.Parallel()
	ackedBeforeTheOutcome(t, fresh, Job{})
}

func ackedBeforeTheOutcome(t *testing.T, world newWorld, j Job) {
	j.Concurrent = 2
	for _, die := range []int{0, 3} {
		w := world(t, 100)
		kill := At("outcomes", die, true, Kill)
		p, err := w.Finish(j, func(s Step) Action {
			if s.Name == "commit" && !s.After {
				return Stall
			}
			return kill(s)
		})
		if err != nil || p.Killed() != (die > 0) {
			t.Fatal(err, p.Killed())
		}
		if n := p.Count(exec.EventRestarting); n > 0 {
			t.Fatalf("%d restarts: a transaction was fenced that nobody had to fence", n)
		}
		exact(t, w)
	}
}

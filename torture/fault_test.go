package torture

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
)

func newCluster(t *testing.T) *Cluster {
	t.Helper()
	c, err := NewCluster()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// world has 60 records, unless the test feeds more.
func (c *Cluster) world(t *testing.T, records int) *World {
	t.Helper()
	c.n++
	w, err := c.World(fmt.Sprintf("job%d", c.n), records)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// exact fails the test unless the output is the input, once.
func exact(t *testing.T, w *World, topics ...string) {
	t.Helper()
	v, err := w.Check(topics...)
	if err = errors.Join(err, v.Err()); err != nil {
		t.Fatal(err)
	}
}

// killed runs the job and demands that the hook killed it.
func killed(t *testing.T, w *World, j Job, hook Hook) {
	t.Helper()
	if _, err := w.Run(j, hook); !errors.Is(err, errKilled) {
		t.Fatalf("the process ended with %v, expected its kill", err)
	}
}

func finish(t *testing.T, w *World, j Job) {
	t.Helper()
	if _, err := w.Finish(j, nil); err != nil {
		t.Fatal(err)
	}
}

// point is a step to die at.
type point struct {
	name  string
	after bool
}

// killAt kills a job at each of the points, the first and the second time it
// comes there, and demands an exact output.
func killAt(t *testing.T, j Job, points ...point) {
	c := newCluster(t)
	for _, p := range points {
		for nth := 1; nth <= 2; nth++ {
			t.Run(fmt.Sprintf("%s %d after=%v", p.name, nth, p.after), func(t *testing.T) {
				w := c.world(t, 60)
				killed(t, w, j, At(p.name, nth, p.after, Kill))
				finish(t, w, j)
				exact(t, w)
			})
		}
	}
}

var twoWriters = Job{Parallelism: 2}

func TestFault01KillBeforeBarrier(t *testing.T) {
	t.Parallel()
	killAt(t, twoWriters, point{"write", false}, point{"write", true}, point{"Produce", false}, point{"Produce", true},
		point{"InitProducerId", true}, point{"AddPartitionsToTxn", true}, point{"begin", false}, point{"begin", true})
}

func TestFault02BetweenFlushAndAck(t *testing.T) {
	t.Parallel()
	killAt(t, twoWriters, point{"precommit", false}, point{"AddOffsetsToTxn", false}, point{"TxnOffsetCommit", false},
		point{"TxnOffsetCommit", true}, point{"precommit", true})
}

func TestFault03BeforeMetadataIsStored(t *testing.T) {
	killAt(t, twoWriters, point{"chunks", false}, point{"chunks", true}, point{"metadata", false})
}

func TestFault04AfterMetadataBeforeAnyCommit(t *testing.T) {
	killAt(t, twoWriters, point{"metadata", true}, point{"LATEST", false}, point{"LATEST", true}, point{"commit", false}, point{"EndTxn commit", false})
}

func TestFault05BetweenTwoWritersCommits(t *testing.T) {
	betweenTwoCommits(t, fresh, twoWriters)
}

func betweenTwoCommits(t *testing.T, world newWorld, j Job) {
	for _, after := range []bool{false, true} {
		w := world(t, 60)
		// Two EndTxn of one Commit: the second of two in a row without an
		// outcome between them.
		n := 0
		killed(t, w, j, func(s Step) Action {
			switch {
			case s.Name == "commit" && !s.After:
				n = 0
			case s.Name == "EndTxn commit" && s.After == after:
				if n++; n == 2 {
					return Kill
				}
			}
			return Go
		})
		finish(t, w, j)
		exact(t, w)
	}
}

func TestFault06CommittedOutcomeNotStored(t *testing.T) {
	t.Parallel()
	killAt(t, twoWriters, point{"EndTxn commit", true}, point{"commit", true}, point{"outcomes", false}, point{"outcomes", true}, point{"settled", false})
}

// TestFault07DuringRecovery: a second process dies at each step between its
// start and its first row, then, every other time, a third one as well.
func TestFault07DuringRecovery(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for at := 1; ; at++ {
		reached := false
		for _, after := range []bool{false, true} {
			w := c.world(t, 40)
			killed(t, w, twoWriters, At("commit", 2, false, Kill))
			p, err := w.Finish(twoWriters, inRecovery(at, after))
			if p.Killed() && at%2 == 0 {
				_, err = w.Finish(twoWriters, inRecovery(at/2, !after))
			}
			if err != nil {
				t.Fatalf("step %d, after=%v: %v", at, after, err)
			}
			exact(t, w)
			reached = reached || p.Killed()
		}
		if !reached {
			if at < 10 {
				t.Fatalf("a recovery of %d steps is too short to be true", at)
			}
			return
		}
	}
}

// inRecovery kills at the nth step before any writer writes.
func inRecovery(nth int, after bool) Hook {
	n, writing := 0, false
	return func(s Step) Action {
		writing = writing || s.Name == "write"
		if writing || s.After != after {
			return Go
		}
		if n++; n == nth {
			return Kill
		}
		return Go
	}
}

// TestFault09DroppedRequestsAndAnswers loses each kind of request, and of
// answer, and lets requests arrive late. The job always goes on, even if its
// own request for the owner id comes late and ends what it has begun.
func TestFault09DroppedRequestsAndAnswers(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, name := range []string{"EndTxn commit", "EndTxn abort", "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "Produce"} {
		for _, how := range []struct {
			after bool
			a     Action
		}{{false, Drop}, {true, Drop}, {false, Late}} {
			t.Run(fmt.Sprintf("%s after=%v action=%d", name, how.after, how.a), func(t *testing.T) {
				dropped(t, c.world(t, 60), twoWriters, name, how.after, how.a)
			})
		}
	}
}

// dropped loses every third request, or answer, of a name, of the first
// hundred: a job that starts anew sends the same requests in the same order, so
// that the one for the owner id could be the third for ever.
func dropped(t *testing.T, w *World, j Job, name string, after bool, a Action) {
	t.Helper()
	n := 0
	_, err := w.Run(j, func(s Step) Action {
		if s.Name == name && s.After == after {
			if n++; n%3 == 1 && n <= 100 {
				return a
			}
		}
		return Go
	})
	if n == 0 {
		t.Fatal("nothing was dropped")
	}
	if err != nil {
		t.Fatalf("%s after=%v action %d: %v", name, after, a, err)
	}
	exact(t, w)
}

// TestFault09OwnRequestIsLate: the process knows by its nonce that it was not
// another one that took its sink over, and starts anew inside.
func TestFault09OwnRequestIsLate(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for range 20 { // at times the request comes before its repeat after all
		if ownLate(t, c.world(t, 300), twoWriters) {
			return
		}
	}
	t.Fatal("no late request for the owner id was noticed")
}

// ownLate lets the first request for the owner id come late and tells whether
// the process noticed.
func ownLate(t *testing.T, w *World, j Job) bool {
	t.Helper()
	first := At("InitProducerId", 1, false, Late)
	p, err := w.Run(j, func(s Step) Action {
		if strings.HasSuffix(s.ID, "-owner") {
			return first(s)
		}
		return Go
	})
	if err != nil {
		t.Fatal(err)
	}
	exact(t, w)
	asked := slices.ContainsFunc(p.Steps(), func(s Step) bool { return s.Name == "DescribeTransactions" })
	if restarts := p.Count(exec.EventRestarting); asked && restarts == 0 {
		t.Fatal("it asked whose the request was, and did not start anew")
	}
	return asked
}

package kafka

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
)

// jumping is the system's clock, which tests put forward.
type jumping struct {
	exec.SystemClock
	by atomic.Int64
}

func (c *jumping) Now() time.Time { return c.SystemClock.Now().Add(time.Duration(c.by.Load())) }

// lostOne is a job that died with one pending transaction, of checkpoint 2,
// that the broker aborted.
func lostOne(t *testing.T, c *cases, more ...string) *job {
	t.Helper()
	j := c.logged(t, more...)
	j.killWhen("stored", 2)
	j.fencePending(c.addr, nil)
	return j
}

// TestReplacementHasTheLongestTimeout: a replacement is written in one go, so
// it gets all the time that the broker allows; ordinary transactions keep
// what the options say, also those on its id later.
func TestReplacementHasTheLongestTimeout(t *testing.T) {
	const configured, allowed = time.Minute, 15 * time.Minute
	j := lostOne(t, testCases(t), optTxnTimeout, fmt.Sprint(configured.Milliseconds()))
	var replacement string
	j.before = func(call, id string) error {
		if call != "AddPartitions" {
			return nil
		}
		got, _ := timeouts.Load(id)
		switch {
		case replacement == "":
			replacement = id
			if got != allowed {
				t.Errorf("the replacement has a time-out of %v, want %v", got, allowed)
			}
		case got != configured:
			t.Errorf("a transaction has a time-out of %v, want %v", got, configured)
		}
		return nil
	}
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if j.anew != 1 {
		t.Fatalf("%d written anew, want 1", j.anew)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// TestReplacementIsTooSlow: what is written anew takes longer than the broker
// allows. The start stops at once, and says how much it is, how long it took,
// and what to raise; nothing is lost.
func TestReplacementIsTooSlow(t *testing.T) {
	j := lostOne(t, testCases(t))
	clock := &jumping{}
	j.clock = clock
	tries := 0
	j.before = func(call, _ string) error {
		if call != "AddPartitions" {
			return nil
		}
		tries++
		clock.by.Add(int64(16 * time.Minute))
		return codes.ProducerFenced
	}
	err := j.run(newProcess())
	if !isFatal(err) || tries != 1 {
		t.Fatalf("after %d tries: %v, want a fatal error after one", tries, err)
	}
	for _, want := range []string{"4 records", "bytes)", "after 16m0", "900000 ms", "transaction.max.timeout.ms", "nothing is lost", "txn abort --force"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	j.before = nil
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// TestReplacementIsLostBeforeItsCommit: the broker aborts what was written
// anew in full, but not committed yet. If somebody fenced it, it is written
// again; if its time was over, the start stops as above.
func TestReplacementIsLostBeforeItsCommit(t *testing.T) {
	c := testCases(t)
	for _, late := range []bool{false, true} {
		j := lostOne(t, c)
		clock := &jumping{}
		j.clock = clock
		j.answer = func(call, id string, err error) error {
			if call == "WriteMarker" && j.anew < 4 {
				fenceOutside(t, c.addr, id)
				if late {
					clock.by.Add(int64(16 * time.Minute))
				}
			}
			return err
		}
		err := j.run(newProcess())
		switch {
		case !late && (err != nil || j.anew != 5):
			t.Fatalf("after %d replacements that were fenced: %v", j.anew-1, err)
		case late && (!isFatal(err) || j.anew != 1 || !strings.Contains(err.Error(), "after 16m0")):
			t.Fatalf("after %d replacements that came too late: %v", j.anew, err)
		}
		j.answer = nil
		if late {
			if err := j.run(newProcess()); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.done(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReplacementsAreCommittedInTurn: the transactions of three writers are
// lost. Each one's replacement is committed before the next is written: its
// time-out does not pass while others are. One that is not lost waits for none.
func TestReplacementsAreCommittedInTurn(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.parallelism = 4
	j.killWhen("stored", 2)
	lost := map[string]bool{}
	for i, p := range j.dir.pending {
		tx, err := txn.Decode(p)
		if err != nil {
			t.Fatal(err)
		}
		lost[tx.ID] = i < 3
	}
	j.fencePending(c.addr, func(i int) bool { return i < 3 })
	var calls []string
	j.before = func(call, id string) error {
		wasLost, old := lost[id]
		switch {
		case call == "EndTxn" && wasLost:
			calls = append(calls, "ask")
		case call == "EndTxn" && old:
			calls = append(calls, "commit")
		case call == "EndTxn":
			calls = append(calls, "commit anew")
		case call == "WriteMarker":
			calls = append(calls, "write anew")
		}
		return nil
	}
	j.hook = nil
	p := newProcess()
	j.answer = func(call, _ string, err error) error {
		if n := strings.Count(strings.Join(calls, ","), "commit anew"); call == "EndTxn" && n == 3 {
			p.kill()
		}
		return err
	}
	if err := j.run(p); err == nil {
		t.Fatal("the process was not killed")
	}
	if got, want := strings.Join(calls, ", "), "ask, ask, ask, commit, write anew, commit anew, write anew, commit anew, write anew, commit anew"; got != want {
		t.Fatalf("requests are\n%s, want\n%s", got, want)
	}
	j.before, j.answer = nil, nil
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

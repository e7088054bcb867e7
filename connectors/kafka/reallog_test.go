//go:build kafka

package kafka

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

// shortLived is a job whose transactions the broker aborts after 1.5 s.
func shortLived(t *testing.T, c *cases, more ...string) *job {
	t.Helper()
	j := c.job(t)
	topic := j.table.Options.Text("topic")
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, append([]string{"topic", topic, "sink.semantic", "exactly-once",
		"sink.transactional-id-prefix", topic, optTxnTimeout, "1500"}, more...)...))
	table.Env.CheckpointInterval = time.Second
	j.table, j.interval = table, time.Second
	return j
}

// downTooLong waits until the broker has aborted what is pending.
func (j *job) downTooLong(addr string) {
	j.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for _, c := range j.dir.pending {
		id := decodeOne(j.t, []exec.Committable{c}).ID
		for {
			err := abortedYet(j.t, addr, id)
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				j.t.Fatal(err)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// TestKafkaDownTooLongWithLog is fault 11 with the pre-commit log: the job is
// down for longer than the transaction time-out, twice, and nothing is lost.
func TestKafkaDownTooLongWithLog(t *testing.T) {
	c := testCases(t)
	j := shortLived(t, c, optLog, "true")
	j.parallelism = 2
	j.killWhen("stored", 1)
	j.downTooLong(c.addr)
	j.killWhen("stored", 2)
	j.downTooLong(c.addr)
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if j.anew != 4 { // two writers, two outages
		t.Fatalf("%d transactions were written anew, want 4", j.anew)
	}
	if err := j.checkWithin(20 * time.Second); err != nil {
		t.Fatal(err)
	}
	if err := j.noLogs(); err != nil {
		t.Fatal(err)
	}
}

// TestKafkaDownTooLongWithoutLog: the job says exactly what it lost, at every
// start, until it is told to go on.
func TestKafkaDownTooLongWithoutLog(t *testing.T) {
	c := testCases(t)
	j := shortLived(t, c)
	j.killWhen("stored", 2)
	parts := decodeOne(t, j.dir.pending).Partitions
	j.downTooLong(c.addr)
	for range 2 {
		err := j.run(newProcess())
		if !isFatal(err) {
			t.Fatalf("got %v, want a fatal error", err)
		}
		for _, want := range []string{"4 records", "checkpoint 2", fmt.Sprint(parts[0]), "lost", optLost, optLog} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
	}
	more := shortLived(t, c, "topic", j.table.Options.Text("topic"), "sink.transactional-id-prefix", j.table.Options.Text("topic"), optLost, "continue")
	j.table = more.table
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if j.lost != 4 {
		t.Fatalf("%d records are said to be lost, want 4", j.lost)
	}
	if err := j.checkWithin(2 * time.Second); err == nil || !strings.Contains(err.Error(), "lost [4 5 6 7], duplicated []") {
		t.Fatalf("after 'continue': %v, want records 4 to 7 lost and nothing else", err)
	}
}

// TestKafkaFencedAfterItWonWithLog is fault 24 with the pre-commit log: EndTxn
// was OK, the id was fenced from outside, the process was killed before the
// outcome was stored. The rows are not written again.
func TestKafkaFencedAfterItWonWithLog(t *testing.T) {
	c := testCases(t)
	fencedAfterItWon(t, c, c.logged(t))
}

// TestKafkaLostWhileRunning: the broker times a transaction out under a
// running job, which restarts inside the process.
func TestKafkaLostWhileRunning(t *testing.T) {
	c := testCases(t)
	j := shortLived(t, c, optLog, "true")
	slept := false
	j.hook = func(name string) {
		if name == "stored" && j.dir.last == 2 && !slept {
			slept = true
			j.downTooLong(c.addr)
		}
	}
	if err := j.runInside(newProcess()); err != nil {
		t.Fatal(err)
	}
	if j.anew != 1 {
		t.Fatalf("%d transactions were written anew, want 1", j.anew)
	}
	if err := j.checkWithin(20 * time.Second); err != nil {
		t.Fatal(err)
	}
}

// TestKafkaReplacementKilled kills a real recovery at every third of its
// steps, after an outage.
func TestKafkaReplacementKilled(t *testing.T) {
	c := testCases(t)
	for at := 1; ; at += 3 {
		j := shortLived(t, c, optLog, "true")
		j.killWhen("stored", 2)
		fenceOutside(t, c.addr, decodeOne(t, j.dir.pending).ID)
		p := killAt(at, at%2 == 0)
		err := j.untilDone(p)
		if err == nil {
			err = j.checkWithin(20 * time.Second)
		}
		if err != nil {
			t.Fatalf("killed at step %d: %v\n%s", at, err, strings.Join(p.log, "\n"))
		}
		if !p.killed() || at > 40 {
			return
		}
	}
}

// TestKafkaSlowReplacement: rows that take longer to be written anew than the
// time-out of ordinary transactions.
func TestKafkaSlowReplacement(t *testing.T) {
	c := testCases(t)
	j := shortLived(t, c, optLog, "true")
	j.killWhen("stored", 2)
	j.downTooLong(c.addr)
	slow := false
	j.answer = func(call, _ string, err error) error {
		if call == "AddPartitions" && !slow {
			slow = true
			time.Sleep(4 * time.Second) // 1.5 s, and 0.5 s until the broker looks
		}
		return err
	}
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if j.anew != 1 || !slow {
		t.Fatalf("%d transactions were written anew, want 1", j.anew)
	}
	if err := j.checkWithin(20 * time.Second); err != nil {
		t.Fatal(err)
	}
}

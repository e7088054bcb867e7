package kafka

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// cases is how a test meets a broker: a fresh topic a case. The suite with
// tag kafka takes a real one, and every third step.
type cases struct {
	addr   string
	stride int
	n      int
	make   func(topic string) error
	late   bool // a commit is visible some ms after it was answered
}

// topic makes a topic of two partitions.
func (c *cases) topic(t *testing.T) string {
	t.Helper()
	c.n++
	clean := func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}
	topic := fmt.Sprintf("%s-%d", strings.Map(clean, t.Name()), c.n)
	if err := c.make(topic); err != nil {
		t.Fatal(err)
	}
	return topic
}

func (c *cases) job(t *testing.T) *job {
	t.Helper()
	return newJob(t, c.addr, c.topic(t))
}

// untilDone starts processes until one finishes; the first dies at a step.
func (j *job) untilDone(first *process) error {
	err := j.run(first)
	for range 5 {
		if err == nil {
			return nil
		}
		if !errors.Is(err, errKilled) {
			return err
		}
		err = j.run(newProcess())
	}
	return err
}

// TestKillAtEveryStep kills the process at each request and each durable
// write, before and after it is carried out; the recovery is killed, too.
func TestKillAtEveryStep(t *testing.T) {
	shapes := map[string]func(*job){
		"one writer":  func(*job) {},
		"two writers": func(j *job) { j.parallelism = 2 },
		"an aborted checkpoint": func(j *job) {
			j.parallelism = 2
			j.aborts = func(id checkpoint.ID) bool { return id == 2 }
		},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			c := testCases(t)
			for at := 1; ; at += c.stride {
				reached := false
				for _, after := range []bool{false, true} {
					j := c.job(t)
					shape(j)
					p := killAt(at, after)
					if err := j.untilDone(p); err != nil {
						t.Fatalf("killed at step %d (after: %v): %v\n%s", at, after, err, strings.Join(p.log, "\n"))
					}
					if err := j.check(); err != nil {
						t.Fatalf("killed at step %d (after: %v): %v\n%s", at, after, err, strings.Join(p.log, "\n"))
					}
					reached = reached || p.killed()
				}
				if !reached {
					return
				}
			}
		})
	}
}

// TestKillInRecovery kills the first process where its checkpoint is stored
// and not committed, then the second at each step of its recovery.
func TestKillInRecovery(t *testing.T) {
	c := testCases(t)
	for at := 1; ; at += c.stride {
		reached := false
		for _, after := range []bool{false, true} {
			j := c.job(t)
			j.parallelism = 2
			j.killWhen("stored", 2)
			q := killAt(at, after)
			if err := j.untilDone(q); err != nil {
				t.Fatalf("killed at step %d (after: %v): %v\n%s", at, after, err, strings.Join(q.log, "\n"))
			}
			if err := j.check(); err != nil {
				t.Fatalf("killed at step %d (after: %v): %v\n%s", at, after, err, strings.Join(q.log, "\n"))
			}
			reached = reached || q.killed()
		}
		if !reached || at > 40 {
			return
		}
	}
}

var errDropped = errors.New("connection reset")

// TestDroppedRequestsAndAnswers loses each kind of request once, and its
// answer once.
func TestDroppedRequestsAndAnswers(t *testing.T) {
	c := testCases(t)
	for _, call := range []string{"InitProducerID", "EndTxn", "Ask", "WriteMarker", "AddPartitions", "GroupOffsets"} {
		for _, which := range []int{1, 2, 3} {
			for _, answer := range []bool{false, true} {
				j := c.job(t)
				n := 0
				drop := func(name string) error {
					if name == call {
						if n++; n == which {
							return errDropped
						}
					}
					return nil
				}
				if answer {
					j.answer = func(name, _ string, err error) error {
						if d := drop(name); d != nil {
							return d
						}
						return err
					}
				} else {
					j.before = func(name, _ string) error { return drop(name) }
				}
				if err := j.run(newProcess()); err != nil {
					t.Fatalf("%s %d dropped (answer: %v): %v", call, which, answer, err)
				}
				if err := j.check(); err != nil {
					t.Fatalf("%s %d dropped (answer: %v): %v", call, which, answer, err)
				}
			}
		}
	}
}

// TestCommitAnsweredFencedAfterItWon is fault 24: EndTxn was OK, then the id
// was fenced from outside, and the process killed before the outcome was
// stored. The marker tells; nothing is written again.
func TestCommitAnsweredFencedAfterItWon(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	p := newProcess()
	j.answer = func(call, id string, err error) error {
		if call == "EndTxn" && err == nil && !p.killed() {
			fenceOutside(t, c.addr, id)
			p.kill()
		}
		return err
	}
	if err := j.run(p); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	j.answer = nil
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestLostTransaction: the broker aborted it (here: a fence from outside,
// before any commit). The job stops, says how much is lost, and says it at
// every start until told to go on.
func TestLostTransaction(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	j.killWhen("stored", 2)
	fenceOutside(t, c.addr, decodeOne(t, j.dir.pending).ID)
	for range 2 {
		err := j.run(newProcess())
		var fatal *exec.FatalError
		if err == nil || !errors.As(err, &fatal) {
			t.Fatalf("a lost transaction gave %v, want a fatal error", err)
		}
		for _, want := range []string{"4 records", "checkpoint 2", "lost", "sink.on-lost-transaction"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
		if len(j.dir.pending) != 1 {
			t.Fatalf("%d transactions are pending, want the lost one", len(j.dir.pending))
		}
	}
	j.table = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "topic", j.table.Options.Text("topic"), "sink.semantic", "exactly-once",
		"sink.transactional-id-prefix", j.table.Options.Text("topic"), "sink.on-lost-transaction", "continue"))
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.checkWithin(100 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "lost [4 5 6 7], duplicated []") {
		t.Fatalf("after 'continue': %v, want records 4 to 7 lost and nothing else", err)
	}
}

// TestStaleCopyIsRefused is fault 22: an older copy of the directory is put
// back.
func TestStaleCopyIsRefused(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	var old *directory
	j.hook = func(name string) {
		if name == "stored" && j.dir.last == 1 {
			old = j.dir.clone()
		}
	}
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	j.hook, j.dir = nil, old
	err := j.run(newProcess())
	if err == nil || !strings.Contains(err.Error(), "not the latest one") {
		t.Fatalf("a stale copy gave %v", err)
	}
}

// TestLostDirectoryIsRefused is fault 23, and what --fresh makes of it.
func TestLostDirectoryIsRefused(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	j.dir, j.runID = newDirectory(), "run2"
	err := j.run(newProcess())
	if err == nil || !strings.Contains(err.Error(), "of run run1") || !strings.Contains(err.Error(), "--fresh") {
		t.Fatalf("a lost directory gave %v", err)
	}
	j.fresh = true
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if got := len(readAll(t, "kafka", j.table)); got != 2*j.records {
		t.Fatalf("%d rows after --fresh, want each twice", got)
	}
	j.fresh = false
	j.dir.finished = false
	if err := j.run(killAt(30, false)); err != nil && !errors.Is(err, errKilled) {
		t.Fatalf("the next start of a fresh directory: %v", err)
	}
}

// TestZombieIsFenced is fault 12: an old process lives on beside a copy of
// its directory, which a new process took over. It has a transaction
// pre-committed, or begins one.
func TestZombieIsFenced(t *testing.T) {
	for _, when := range []string{"precommitted", "settled"} {
		t.Run(when, func(t *testing.T) {
			c := testCases(t)
			j := c.job(t)
			tookOver, once := errors.New("never started"), false
			copyOf := *j
			j.hook = func(name string) {
				if once || name != when || j.dir.last != 1 {
					return
				}
				once = true
				saved, savedAdder := clusterFor, adderFor
				copyOf.dir = j.dir.clone()
				tookOver = copyOf.run(newProcess())
				clusterFor, adderFor = saved, savedAdder
			}
			err := j.run(newProcess())
			if tookOver != nil {
				t.Fatal(tookOver)
			}
			var fatal *exec.FatalError
			if err == nil || !errors.As(err, &fatal) || !strings.Contains(err.Error(), "another process") {
				t.Fatalf("the old process got %v, want a fatal error that names another process", err)
			}
			if err := copyOf.check(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestMarkerIsComparedWhole: a marker of an earlier run with the same
// checkpoint number proves nothing.
func TestMarkerIsComparedWhole(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	if err := j.run(newProcess()); err != nil { // leaves the marker of checkpoint 3 on an id of the first pool
		t.Fatal(err)
	}
	j.dir, j.runID, j.fresh = newDirectory(), "run2", true
	j.killWhen("settled", 2) // this start uses the other pool
	j.fresh = false
	j.killWhen("stored", 3) // and this one the first
	fenceOutside(t, c.addr, decodeOne(t, j.dir.pending).ID)
	if err := j.run(newProcess()); err == nil || !strings.Contains(err.Error(), "lost") {
		t.Fatalf("got %v, want the loss of checkpoint 3", err)
	}
}

// TestRescale is fault 14: 1 → 3 → 2 writers with pending transactions.
func TestRescale(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	j.records = 24
	j.killWhen("stored", 2)
	j.parallelism = 3
	j.killWhen("stored", 4)
	j.parallelism = 2
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestPrefixesDoNotTouch is fault 13: the start of job "a" leaves the open
// transaction of job "a-b" alone.
func TestPrefixesDoNotTouch(t *testing.T) {
	c := testCases(t)
	a, ab := c.job(t), c.job(t)
	prefix := a.table.Options.Text("topic")
	ab.table = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "topic", ab.table.Options.Text("topic"), "sink.semantic", "exactly-once",
		"sink.transactional-id-prefix", prefix+"-b"))
	ab.hook = func(name string) {
		if name == "precommitted" && ab.dir.last == 0 && !a.dir.finished {
			saved, savedAdder := clusterFor, adderFor
			if err := a.run(newProcess()); err != nil {
				t.Error(err)
			}
			clusterFor, adderFor = saved, savedAdder
		}
	}
	if err := ab.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	for _, j := range []*job{a, ab} {
		if err := j.check(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPoolGrowsThenDeclines: checkpoints that never complete hold their ids.
func TestPoolGrowsThenDeclines(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	j.table = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "topic", j.table.Options.Text("topic"), "sink.semantic", "exactly-once",
		"sink.transactional-id-prefix", j.table.Options.Text("topic"), "sink.transaction-pool-size", "3", "sink.transaction-pool-max", "6"))
	j.records, j.each = 40, 4
	j.aborts = func(id checkpoint.ID) bool { return id < 9 }
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestRestartInsideTheProcess drops the writers in mid-transaction; what they
// wrote is aborted and written again.
func TestRestartInsideTheProcess(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	broken := false
	j.before = func(call, _ string) error {
		if call == "WriteMarker" && j.dir.last == 1 && !broken {
			broken = true
			return codes.InvalidTxnState
		}
		return nil
	}
	p := newProcess()
	err := j.runInside(p)
	if err != nil {
		t.Fatal(err)
	}
	if !broken {
		t.Fatal("nothing was broken")
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestFailedStartIsRepeatedInFull: a start that failed half-way took nothing
// over for good; the restart inside the process begins anew.
func TestFailedStartIsRepeatedInFull(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	j.killWhen("settled", 1)
	j.killWhen("settled", 2)
	inits, failed := 0, false
	j.before = func(call, id string) error {
		if call != "InitProducerID" || strings.HasSuffix(id, "-owner") {
			return nil
		}
		if !failed {
			failed = true
			return codes.UnknownProducerID // neither to be repeated nor fatal
		}
		if !j.dir.finished && j.dir.last == 2 {
			inits++
		}
		return nil
	}
	if err := j.runInside(newProcess()); err != nil {
		t.Fatal(err)
	}
	if inits < 3 { // the ids of two pools, and the first transaction
		t.Fatalf("%d ids were taken over or begun, want both pools' and one more", inits)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestNewerCommittableIsRefused is fault 18.
func TestNewerCommittableIsRefused(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	j.dir.pending = []exec.Committable{{Writer: checkpoint.Subtask{UID: "sink"}, Checkpoint: 3, Version: 99}}
	if err := j.run(newProcess()); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Fatalf("got %v", err)
	}
}

// TestImpossibleTimeouts are refused with both numbers.
func TestImpossibleTimeouts(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	j.table = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "topic", j.table.Options.Text("topic"), "sink.semantic", "exactly-once", "properties.transaction.timeout.ms", "3600000"))
	if err := j.run(newProcess()); err == nil || !strings.Contains(err.Error(), "3600000") || !strings.Contains(err.Error(), "900000") {
		t.Fatalf("a time-out above the broker's gave %v", err)
	}
	j.table.Options = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "sink.semantic", "exactly-once", "properties.transaction.timeout.ms", "9000")).Options
	if err := j.run(newProcess()); err == nil || !strings.Contains(err.Error(), "9000") || !strings.Contains(err.Error(), "10000") {
		t.Fatalf("a time-out below the checkpoint interval gave %v", err)
	}
}

// TestCoordinatorMoves is fault 10: answers that it is too early, or that
// another broker is to be asked, in storms.
func TestCoordinatorMoves(t *testing.T) {
	c := testCases(t)
	for _, code := range []codes.Code{codes.ConcurrentTransactions, codes.NotCoordinator, codes.CoordinatorNotAvailable, codes.CoordinatorLoading} {
		j := c.job(t)
		n := 0
		j.before = func(string, string) error {
			if n++; n%3 != 0 {
				return code
			}
			return nil
		}
		if err := j.run(newProcess()); err != nil {
			t.Fatalf("%v: %v", code, err)
		}
		if err := j.check(); err != nil {
			t.Fatalf("%v: %v", code, err)
		}
	}
}

// TestUpsertExactlyOnce kills an upsert-kafka sink at every third step.
func TestUpsertExactlyOnce(t *testing.T) {
	c := testCases(t)
	for at := 1; ; at += 3 * c.stride {
		j := c.job(t)
		topic := j.table.Options.Text("topic")
		j.table = mustTable(t, "upsert-kafka", idColumns, []int{0}, upsertJSON(c.addr, "topic", topic, "sink.semantic", "exactly-once", "sink.transactional-id-prefix", topic))
		p := killAt(at, at%2 == 0)
		if err := j.untilDone(p); err != nil {
			t.Fatalf("killed at step %d: %v", at, err)
		}
		var want []string
		for _, l := range wantRows(j.records) {
			want = append(want, strings.Replace(l, "+I", "+U", 1))
		}
		var got []string
		for range 200 { // OK to EndTxn is not visibility yet
			if got = readAll(t, "upsert-kafka", j.table); len(got) >= len(want) {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if d := cmp.Diff(sorted(want), sorted(got)); d != "" {
			t.Fatalf("killed at step %d: %s", at, d)
		}
		if !p.killed() {
			return
		}
	}
}

// TestOwnerExpires: the broker has forgotten the owner id; the restart inside
// the process starts in full.
func TestOwnerExpires(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	asked, owners := 0, 0
	j.before = func(call, id string) error {
		if call == "InitProducerID" && strings.HasSuffix(id, "-owner") {
			owners++
		}
		if call == "Ask" && j.dir.last == 1 {
			if asked++; asked == 1 {
				return codes.InvalidProducerMapping
			}
		}
		return nil
	}
	if err := j.runInside(newProcess()); err != nil {
		t.Fatal(err)
	}
	if asked < 2 || owners != 2 {
		t.Fatalf("the owner id was asked %d times and taken %d times, want it taken again", asked, owners)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestWithoutMarkers: kills are survived without them; only a doubt cannot be
// decided, and is said.
func TestWithoutMarkers(t *testing.T) {
	c := testCases(t)
	without := func(j *job) *job {
		topic := j.table.Options.Text("topic")
		j.table = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "topic", topic, "sink.semantic", "exactly-once", "sink.transactional-id-prefix", topic, "sink.commit-marker", "false"))
		return j
	}
	for at := 1; ; at += 2 * c.stride {
		j, p := without(c.job(t)), killAt(at, at%4 == 1)
		if err := j.untilDone(p); err != nil {
			t.Fatalf("killed at step %d: %v", at, err)
		}
		if err := j.check(); err != nil {
			t.Fatalf("killed at step %d: %v", at, err)
		}
		if !p.killed() {
			break
		}
	}
	j := without(c.job(t))
	j.killWhen("stored", 2)
	fenceOutside(t, c.addr, decodeOne(t, j.dir.pending).ID)
	err := j.run(newProcess())
	var fatal *exec.FatalError
	if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "sink.commit-marker") || len(j.dir.pending) != 1 {
		t.Fatalf("a doubt without markers gave %v, %d pending", err, len(j.dir.pending))
	}
}

package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
)

// settler is what `txn` opens on the job's directory, in a process whose
// requests and durable writes are steps of p.
func (j *job) settler(p *process) connectors.Settler {
	j.t.Helper()
	clusterFor = func(c *client.Control) txn.Cluster { return &cluster{c, p, nil, nil} }
	note, err := connectors.ReadSinkNote(j.dir.journal)
	if err != nil || note == nil {
		j.t.Fatalf("note of the sink: %v, %v", note, err)
	}
	ctx := j.context(p, 0, false)
	s, err := connectors.OpenSettler(connectors.SinkRef{
		Connector: note.Connector, UID: ctx.UID, JobName: ctx.JobName, RunID: j.runID, Options: note.Options, Journal: ctx.Journal,
		Clock: exec.SystemClock{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() { s.Close() })
	return s
}

// settle settles pending transaction n by hand, and stores the outcome.
func (j *job) settle(p *process, n int, commit, force bool) (exec.Outcome, error) {
	j.t.Helper()
	o, err := j.settler(p).Settle(p.ctx, connectors.Settlement{Pending: j.dir.pending, Index: n, Commit: commit, Force: force})
	if p.killed() {
		return o, errKilled
	}
	if !o.Final() {
		return o, err
	}
	return o, errors.Join(err, p.step("outcome", func() error {
		j.dir.pending = slices.DeleteFunc(slices.Clone(j.dir.pending), func(c exec.Committable) bool { return c.Key() == o.Committable.Key() })
		for _, e := range o.Journal {
			if err := j.dir.journal.Put(e.Key, e.Value); err != nil {
				return err
			}
		}
		return nil
	}))
}

// stopped is a job that died with a pending transaction of checkpoint 2.
func stopped(t *testing.T, c *cases) *job {
	t.Helper()
	j := c.job(t)
	j.killWhen("stored", 2)
	return j
}

func wantRefused[E error](t *testing.T, err error, words string) {
	t.Helper()
	var want E
	if !errors.As(err, &want) || !strings.Contains(err.Error(), words) {
		t.Fatalf("got %v, want a refusal with %q", err, words)
	}
}

func TestSettleCommit(t *testing.T) {
	j := stopped(t, testCases(t))
	o, err := j.settle(newProcess(), 0, true, false)
	if err != nil || o.Status != checkpoint.Committed || len(j.dir.pending) != 0 {
		t.Fatal(o, err)
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestSettleKilledAtEveryStep: whatever a hand's settling got done before it
// died, the job goes on with each row once.
func TestSettleKilledAtEveryStep(t *testing.T) {
	c := testCases(t)
	for at := 1; ; at += c.stride {
		reached := false
		for _, after := range []bool{false, true} {
			j := stopped(t, c)
			p := killAt(at, after)
			if _, err := j.settle(p, 0, true, false); err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if err := j.untilDone(newProcess()); err != nil {
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
}

func TestSettleAbortWouldLose(t *testing.T) {
	j := stopped(t, testCases(t))
	_, err := j.settle(newProcess(), 0, false, false)
	wantRefused[*connectors.WouldLoseError](t, err, "a durable checkpoint covers it")
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatalf("a refused abort changed something: %v", err)
	}
}

func TestSettleAbortByForce(t *testing.T) {
	j := stopped(t, testCases(t))
	lost := decodeOne(t, j.dir.pending).Records
	o, err := j.settle(newProcess(), 0, false, true)
	if err != nil || o.Status != checkpoint.Lost {
		t.Fatal(o, err)
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("lost [4 5 6 7], duplicated [], %d different rows", j.records-int(lost))
	if err := j.checkWithin(100 * time.Millisecond); err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want %s", err, want)
	}
}

// TestSettleAborted: a transaction that the broker aborted cannot be
// committed; to abort it accepts the loss and needs no force.
func TestSettleAborted(t *testing.T) {
	c := testCases(t)
	j := stopped(t, c)
	fenceOutside(t, c.addr, decodeOne(t, j.dir.pending).ID)
	_, err := j.settle(newProcess(), 0, true, true)
	wantRefused[*connectors.WouldLoseError](t, err, "accepts the loss")
	if len(j.dir.pending) != 1 {
		t.Fatal("a refused commit settled the transaction")
	}
	o, err := j.settle(newProcess(), 0, false, false)
	if err != nil || o.Status != checkpoint.Lost {
		t.Fatal(o, err)
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
}

// TestSettleAbortTooLate: what is committed stays so, and is noted.
func TestSettleAbortTooLate(t *testing.T) {
	j := testCases(t).job(t)
	p := newProcess()
	j.answer = func(call, _ string, err error) error {
		if call == "EndTxn" && j.dir.last == 2 {
			p.kill()
		}
		return err
	}
	if err := j.run(p); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	j.answer = nil
	o, err := j.settle(newProcess(), 0, false, true)
	if err != nil || o.Status != checkpoint.Committed || len(o.Journal) == 0 {
		t.Fatal(o, err)
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestSettleWithoutProof: without markers only a person can tell.
func TestSettleWithoutProof(t *testing.T) {
	c := testCases(t)
	topic := c.topic(t)
	j := newJob(t, c.addr, topic)
	j.table = mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "topic", topic, "sink.semantic", "exactly-once", optTxnPrefix, topic, optMarker, "false"))
	j.killWhen("stored", 2)
	fenceOutside(t, c.addr, decodeOne(t, j.dir.pending).ID)
	for _, commit := range []bool{true, false} {
		_, err := j.settle(newProcess(), 0, commit, false)
		wantRefused[*connectors.UndecidedError](t, err, "look at the topic")
	}
	o, err := j.settle(newProcess(), 0, true, true)
	if err != nil || o.Status != checkpoint.Committed || !strings.Contains(o.Detail, "by hand") {
		t.Fatal(o, err)
	}
}

// TestSettleOutOfOrder: two pending transactions of one writer.
func TestSettleOutOfOrder(t *testing.T) {
	j := testCases(t).job(t)
	j.aborts = func(id checkpoint.ID) bool { return id == 1 }
	j.killWhen("stored", 2)
	if len(j.dir.pending) != 2 {
		t.Fatalf("%d pending", len(j.dir.pending))
	}
	_, err := j.settle(newProcess(), 1, true, false)
	wantRefused[*connectors.WouldLoseError](t, err, "settle it first")
	for range 2 {
		if _, err := j.settle(newProcess(), 0, true, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestSettleStaleCopy: on a copy of the directory that is not the latest one
// nothing is fenced.
func TestSettleStaleCopy(t *testing.T) {
	j := stopped(t, testCases(t))
	stale := j.dir.clone()
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	j.dir = stale
	p := newProcess()
	_, err := j.settle(p, 0, true, true)
	if err == nil || !strings.Contains(err.Error(), "not the latest one") {
		t.Fatal(err)
	}
	if slices.ContainsFunc(p.log, func(s string) bool { return strings.HasPrefix(s, "InitProducerID") }) {
		t.Fatalf("something was fenced: %v", p.log)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

// TestSettleLeftOpen: what a dead process wrote and no checkpoint covers is
// seen, with what it holds back, and can be aborted.
func TestSettleLeftOpen(t *testing.T) {
	j := testCases(t).job(t)
	p := newProcess()
	j.hook = func(name string) {
		if name == "precommitted" && j.dir.last == 1 {
			p.kill()
		}
	}
	if err := j.run(p); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	j.hook = nil
	ctx := context.Background()
	s := j.settler(newProcess())
	open := func() (list []connectors.ClusterTransaction) {
		all, err := s.Cluster(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.Open {
				list = append(list, c)
			}
		}
		return list
	}
	list := open()
	if len(list) != 1 || len(list[0].Holds) == 0 || list[0].Timeout != 15*time.Minute {
		t.Fatalf("open: %+v", list)
	}
	for _, h := range list[0].Holds {
		if h.From != h.LastStable || h.End <= h.From {
			t.Fatalf("it holds back nothing: %+v", h)
		}
	}
	if err := s.AbortOpen(ctx, list[0].ID, nil); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); len(open()) > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("still open: %+v", open())
		}
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

func TestSettlerDescribes(t *testing.T) {
	j := stopped(t, testCases(t))
	s := j.settler(newProcess())
	w, err := s.Describe(j.dir.pending[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := decodeOne(t, j.dir.pending); w.ID != want.ID || w.Rows != 4 || len(w.Partitions) == 0 || time.Since(w.Started) > time.Minute || w.Timeout != 15*time.Minute {
		t.Fatalf("%+v", w)
	}
	list, err := s.Cluster(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	found := slices.IndexFunc(list, func(c connectors.ClusterTransaction) bool { return c.ID == w.ID && c.Producer == w.Producer })
	if found < 0 || !list[found].Open {
		t.Fatalf("the cluster lists %+v", list)
	}
}

// TestSettleWithLog: what the broker aborted is the next start's to write
// anew; only force gives it up. A hand's commit leaves no log behind.
func TestSettleWithLog(t *testing.T) {
	c := testCases(t)
	t.Run("aborted", func(t *testing.T) {
		j := c.logged(t)
		j.killWhen("stored", 2)
		j.fencePending(c.addr, nil)
		_, err := j.settle(newProcess(), 0, true, false)
		wantRefused[*connectors.WouldLoseError](t, err, "writes them anew")
		_, err = j.settle(newProcess(), 0, false, false)
		wantRefused[*connectors.WouldLoseError](t, err, "pre-commit log")
		if err := j.untilDone(newProcess()); err != nil {
			t.Fatal(err)
		}
		if err := j.done(); err != nil {
			t.Fatal(err)
		}
		if j.anew == 0 {
			t.Fatal("nothing was written anew")
		}
	})
	t.Run("committed", func(t *testing.T) {
		j := c.logged(t)
		j.killWhen("stored", 2)
		if _, err := j.settle(newProcess(), 0, true, false); err != nil {
			t.Fatal(err)
		}
		if err := j.untilDone(newProcess()); err != nil {
			t.Fatal(err)
		}
		if err := j.done(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("given up", func(t *testing.T) {
		j := c.logged(t)
		j.killWhen("stored", 2)
		o, err := j.settle(newProcess(), 0, false, true)
		if err != nil || o.Status != checkpoint.Lost || o.Records != 4 {
			t.Fatal(o, err)
		}
		if err := j.untilDone(newProcess()); err != nil {
			t.Fatal(err)
		}
		if err := j.checkWithin(100 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "lost [4 5 6 7], duplicated []") {
			t.Fatal(err)
		}
		if err := j.noLogs(); err != nil {
			t.Fatal(err)
		}
	})
}

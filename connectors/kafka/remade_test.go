package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// An output topic that is deleted and made again: fault 17 at each step, and
// what the suite of faults does not come to.

// request sends a request to the job's cluster until f is content with its
// answer.
func (j *job) request(req kmsg.Request, f func(kmsg.Response) int16) {
	j.t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(j.table.Options.Text(optServers)))
	if err != nil {
		j.t.Fatal(err)
	}
	defer cl.Close()
	for deadline := time.Now().Add(20 * time.Second); ; {
		resp, err := cl.Request(context.Background(), req)
		code := int16(-1)
		if err == nil {
			code = f(resp)
		}
		switch {
		case code == 0:
			return
		case time.Now().After(deadline):
			j.t.Fatal(err, kerr.ErrorForCode(code))
		}
		<-time.After(20 * time.Millisecond) // the deletion before is under way
	}
}

func (j *job) deleteTopic() {
	j.t.Helper()
	topic := j.table.Options.Text(optTopic)
	req := kmsg.NewPtrDeleteTopicsRequest()
	rt := kmsg.NewDeleteTopicsRequestTopic()
	rt.Topic = &topic
	req.Topics, req.TopicNames = append(req.Topics, rt), append(req.TopicNames, topic)
	j.request(req, func(r kmsg.Response) int16 { return r.(*kmsg.DeleteTopicsResponse).Topics[0].ErrorCode })
}

func (j *job) makeTopic(partitions int32) {
	j.t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	rt := kmsg.NewCreateTopicsRequestTopic()
	rt.Topic, rt.NumPartitions, rt.ReplicationFactor = j.table.Options.Text(optTopic), partitions, 1
	req.Topics = append(req.Topics, rt)
	j.request(req, func(r kmsg.Response) int16 { return r.(*kmsg.CreateTopicsResponse).Topics[0].ErrorCode })
}

func (j *job) remake() {
	j.t.Helper()
	j.deleteTopic()
	j.makeTopic(2)
}

// misses demands that rows 0 … n−1 are missing in the topic of today, and
// that all others are there once.
func (j *job) misses(n int) error {
	ids := []int{}
	for i := range n {
		ids = append(ids, i)
	}
	deadline := time.Now().Add(5 * time.Second)
	want := fmt.Sprintf("lost %v, duplicated [], %d different rows", ids, j.records-n)
	for {
		err := j.checkWithin(0)
		if err != nil && strings.Contains(err.Error(), want) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestRemadeKillAtEveryStep: the recovery that finds the topic made again is
// killed at each step. With the log each pending row comes once; without it
// the loss is counted once.
func TestRemadeKillAtEveryStep(t *testing.T) {
	c := testCases(t)
	for _, log := range []bool{true, false} {
		for at := 1; ; at += c.stride {
			reached := false
			for _, after := range []bool{false, true} {
				j, lost := c.logged(t), 0
				if !log {
					j, lost = c.logged(t, optLog, "false", optLost, "continue"), 4
				}
				j.killWhen("stored", 2) // rows 4 to 7 are pending
				j.remake()
				p := killAt(at, after)
				err := j.untilDone(p)
				if err == nil {
					err = errors.Join(j.misses(4+lost), j.noLogs())
				}
				if err != nil || j.lost != int64(lost) {
					t.Fatalf("killed at step %d (after: %v): %v; %d records are given up\n%s", at, after, err, j.lost, strings.Join(p.log, "\n"))
				}
				reached = reached || p.killed()
			}
			if !reached {
				break
			}
		}
	}
}

// TestRemadeWhileOpen: the topic is made again before the first batch of an
// open transaction. Nobody can tell then which of its rows went where; the
// pre-commit asks for a restart inside the process, and nothing is lost.
func TestRemadeWhileOpen(t *testing.T) {
	c := testCases(t)
	j := remadeWhileOpen(c.job(t))
	if err := j.run(newProcess()); !errors.Is(err, checkpoint.ErrRestart) || isFatal(err) || !strings.Contains(err.Error(), "deleted and made again") {
		t.Fatalf("got %v, want a wish for a restart", err)
	}
	j = remadeWhileOpen(c.job(t))
	if err := j.runInside(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.misses(4); err != nil || j.lost > 0 {
		t.Fatal(err, j.lost)
	}
}

// TestRemadeBetweenBatches: the topic of today does not know the producer, and
// may refuse its later batches; whatever the answer is, the job restarts.
func TestRemadeBetweenBatches(t *testing.T) {
	j := testCases(t).job(t)
	p := newProcess()
	w := j.openWriter(p)
	defer w.Close()
	err := errors.Join(w.Write(p.ctx, rowsOf(0, 1, 2, 3)), w.Flush(p.ctx))
	if err != nil {
		t.Fatal(err)
	}
	j.remake()
	for i := 4; i < 7 && err == nil; i++ {
		err = errors.Join(w.Write(p.ctx, rowsOf(i)), w.Flush(p.ctx))
	}
	if err == nil {
		_, err = w.PreCommit(p.ctx, 1, false)
	}
	if !errors.Is(err, checkpoint.ErrRestart) || isFatal(err) || !strings.Contains(err.Error(), "deleted and made again") {
		t.Fatalf("got %v, want a wish for a restart", err)
	}
}

// openWriter starts the sink and opens its one writer.
func (j *job) openWriter(p *process) exec.PreCommitter {
	j.t.Helper()
	clusterFor = func(c *client.Control) txn.Cluster { return &cluster{Control: c, p: p} }
	adderFor = func(c *client.Control) adder { return c }
	table, err := openSink(j.table, false)
	if err != nil {
		j.t.Fatal(err)
	}
	s, err := table.Sink()
	if err != nil {
		j.t.Fatal(err)
	}
	c, err := s.(exec.TwoPhaseCommitSink).Committer(p.ctx, j.context(p, 0, false))
	if err == nil {
		j.t.Cleanup(func() { c.Close() })
		err = errors.Join(c.Start(p.ctx, nil), c.Recover(p.ctx, nil))
	}
	if err != nil {
		j.t.Fatal(err)
	}
	w, err := s.Writer(p.ctx, j.context(p, 0, false))
	if err != nil {
		j.t.Fatal(err)
	}
	return w.(exec.PreCommitter)
}

// remadeWhileOpen makes the topic again in the transaction of checkpoint 2.
func remadeWhileOpen(j *job) *job {
	j.before = func(call, _ string) error {
		if call == "AddPartitions" && j.dir.last == 1 {
			j.before = nil
			j.remake()
		}
		return nil
	}
	return j
}

// TestMarkerOfAnEarlierTopic: an id committed into the topic before it was made
// again; its next transaction is aborted by the broker. That no marker is
// there does not make that undecidable.
func TestMarkerOfAnEarlierTopic(t *testing.T) {
	c := testCases(t)
	j := remadeWhileOpen(c.logged(t))
	p := newProcess()
	j.hook = func(name string) {
		if name == "stored" && j.dir.last == 2 {
			p.kill()
		}
	}
	if err := j.runInside(p); !p.killed() {
		t.Fatal(err)
	}
	j.hook, j.before = nil, nil
	id := decodeOne(t, j.dir.pending).ID
	if m, err := j.dir.journal.Get("marker/" + id); err != nil || len(m) == 0 {
		t.Fatalf("no marker is expected of %s: %v", id, err)
	}
	fenceOutside(t, c.addr, id)
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.misses(4), j.noLogs()); err != nil || j.anew != 1 {
		t.Fatal(err, j.anew)
	}
}

// TestRemadeBeforeTheMarkerIsAsked: the topic is made again between the look
// at it and the question for the marker that is to prove what became of the
// transaction. The marker went with the topic, and so did the rows.
func TestRemadeBeforeTheMarkerIsAsked(t *testing.T) {
	c := testCases(t)
	j := c.logged(t)
	j.killWhen("stored", 3)
	id := decodeOne(t, j.dir.pending).ID
	if m, err := j.dir.journal.Get("marker/" + id); err != nil || len(m) == 0 {
		t.Fatalf("no marker is expected of %s: %v", id, err)
	}
	fenceOutside(t, c.addr, id)
	j.before = func(call, of string) error {
		if call == "InitProducerID" && of == id {
			j.before = nil
			j.remake()
		}
		return nil
	}
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.misses(8), j.noLogs()); err != nil || j.anew != 1 {
		t.Fatal(err, j.anew)
	}
}

// TestRemadeWithNothingPending: the job goes on, and says that markers went
// with the topic.
func TestRemadeWithNothingPending(t *testing.T) {
	c := testCases(t)
	j := c.job(t)
	j.killWhen("settled", 2)
	j.remake()
	var said bytes.Buffer
	j.log = slog.New(slog.NewTextHandler(&said, nil))
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.misses(8); err != nil || j.lost > 0 {
		t.Fatal(err, j.lost)
	}
	if !c.late && !strings.Contains(said.String(), "commit markers are gone") { // Kafka deletes them in its own time
		t.Fatalf("it said %s", said.String())
	}
}

// TestReplacementIsRemade: the topic is made again under the replacement, too.
func TestReplacementIsRemade(t *testing.T) {
	j := testCases(t).logged(t)
	j.killWhen("stored", 2)
	for range 2 {
		j.remake()
		j.anew = 0
		p := newProcess()
		j.before = func(call, _ string) error {
			if call == "EndTxn" && j.anew > 0 {
				p.kill() // the replacement is pending
				return errKilled
			}
			return nil
		}
		if err := j.run(p); !errors.Is(err, errKilled) || j.anew != 1 {
			t.Fatal(err, j.anew)
		}
	}
	j.before = nil
	if err := j.run(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.misses(4), j.noLogs()); err != nil {
		t.Fatal(err)
	}
}

// TestRemadeWithFewerPartitions: rows in the log go to the partitions that
// they had; if those are not there it is said what to do, and nothing is lost.
func TestRemadeWithFewerPartitions(t *testing.T) {
	j := testCases(t).logged(t, "sink.partitioner", "round-robin")
	j.killWhen("stored", 2)
	j.deleteTopic()
	j.makeTopic(1)
	for range 2 {
		err := j.run(newProcess())
		if !isFatal(err) || !strings.Contains(err.Error(), "has 1 partitions") || !strings.Contains(err.Error(), "at least 2 partitions") {
			t.Fatalf("one partition instead of two gave %v", err)
		}
	}
	req := kmsg.NewPtrCreatePartitionsRequest()
	rt := kmsg.NewCreatePartitionsRequestTopic()
	rt.Topic, rt.Count = j.table.Options.Text(optTopic), 2
	req.Topics = append(req.Topics, rt)
	j.request(req, func(r kmsg.Response) int16 { return r.(*kmsg.CreatePartitionsResponse).Topics[0].ErrorCode })
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.misses(4), j.noLogs()); err != nil {
		t.Fatal(err)
	}
}

// TestTopicDeleted: what was pending is lost with a topic that was not made
// again, too. With the log the job asks for the topic, and takes one that is
// made while it waits.
func TestTopicDeleted(t *testing.T) {
	c := testCases(t)
	t.Run("fail", func(t *testing.T) {
		j := c.job(t)
		j.killWhen("stored", 2)
		j.deleteTopic()
		for range 2 {
			err := j.run(newProcess())
			if !isFatal(err) || !strings.Contains(err.Error(), "was deleted (id ") || !strings.Contains(err.Error(), "4 records of checkpoint 2") {
				t.Fatalf("a deleted topic gave %v", err)
			}
		}
		if len(j.dir.pending) != 1 {
			t.Fatalf("%d transactions are pending", len(j.dir.pending))
		}
	})
	t.Run("log", func(t *testing.T) {
		j := c.logged(t)
		j.killWhen("stored", 2)
		j.deleteTopic()
		err := j.run(newProcess())
		if err == nil || !strings.Contains(err.Error(), "does not exist") || !strings.Contains(err.Error(), "partitions, and start again") {
			t.Fatalf("a deleted topic gave %v", err)
		}
		done := make(chan error)
		go func() { done <- j.untilDone(newProcess()) }()
		<-time.After(200 * time.Millisecond)
		j.makeTopic(2)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(j.misses(4), j.noLogs()); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSettleRemade: a hand's commit is refused, with the reason; to abort
// loses nothing that is not lost already, and needs no force.
func TestSettleRemade(t *testing.T) {
	c := testCases(t)
	j := stopped(t, c)
	j.remake()
	for _, force := range []bool{false, true} {
		_, err := j.settle(newProcess(), 0, true, force)
		wantRefused[*connectors.WouldLoseError](t, err, "deleted and made again")
	}
	if len(j.dir.pending) != 1 {
		t.Fatal("a refused commit settled the transaction")
	}
	o, err := j.settle(newProcess(), 0, false, false)
	if err != nil || o.Status != checkpoint.Lost || o.Records != 4 {
		t.Fatal(o, err)
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.misses(8); err != nil {
		t.Fatal(err)
	}
	j = c.logged(t)
	j.killWhen("stored", 2)
	j.remake()
	_, err = j.settle(newProcess(), 0, true, true)
	wantRefused[*connectors.WouldLoseError](t, err, "writes them anew")
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.misses(4); err != nil {
		t.Fatal(err)
	}
}

// TestBrokersWithoutTopicIDs: a job works as before there were ids.
func TestBrokersWithoutTopicIDs(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "t"), kfake.MaxVersions(kversion.V2_7_0()))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	j := newJob(t, cluster.ListenAddrs()[0], "t")
	j.killWhen("stored", 2)
	if tx := decodeOne(t, j.dir.pending); len(tx.Topics) != 0 || j.dir.pending[0].Version != 1 {
		t.Fatalf("version %d names topics %v", j.dir.pending[0].Version, tx.Topics)
	}
	if err := j.untilDone(newProcess()); err != nil {
		t.Fatal(err)
	}
	if err := j.check(); err != nil {
		t.Fatal(err)
	}
}

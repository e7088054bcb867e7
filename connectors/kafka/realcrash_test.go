//go:build kafka

package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/kafkatest"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// crashCases is a broker of its own, to be killed.
func crashCases(t *testing.T, settings map[string]string) (*cases, *kafkatest.Broker) {
	b := kafkatest.Require(t, kafkatest.Options{Settings: settings})
	return &cases{addr: b.Addr(), stride: 4, late: true, make: func(topic string) error {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		return kafkatest.CreateTopic(ctx, b.Addr(), topic, 2)
	}}, b
}

// TestBrokerKilled is fault 8: kill -9 of the broker while a transaction is
// open, pre-committed, stored, or just committed. The job goes on, by a
// restart inside the process where it must.
func TestBrokerKilled(t *testing.T) {
	c, b := crashCases(t, nil)
	for _, when := range []string{"open", "precommitted", "stored", "settled"} {
		t.Run(when, func(t *testing.T) {
			j := c.job(t)
			killed := false
			kill := func() {
				if !killed && j.dir.last == 1 {
					killed = true
					if when == "settled" {
						j.awaitVisible(j.each) // see DESIGN.md, "Known of Kafka"
					}
					b.Kill()
					if err := b.Restart(); err != nil {
						t.Fatal(err)
					}
				}
			}
			j.hook = func(name string) {
				if name == when {
					kill()
				}
			}
			if when == "open" {
				j.before = func(call, _ string) error {
					if call == "WriteMarker" {
						kill()
					}
					return nil
				}
			}
			if err := j.runInside(newProcess()); err != nil {
				t.Fatal(err)
			}
			if !killed {
				t.Fatal("the broker was not killed")
			}
			begin := time.Now()
			// A broker that was killed completes what it had promised some
			// seconds after it is back.
			if err := j.checkWithin(20 * time.Second); err != nil {
				t.Fatalf("%v\n%s", err, openTransactions(t, c.addr, j.table.Options.Text("topic")))
			}
			t.Logf("all visible after %v", time.Since(begin))
		})
	}
}

// TestBrokerTimesOut is fault 11 without the log: the broker aborts a
// pre-committed transaction while the job is down. The loss is reported.
func TestBrokerTimesOut(t *testing.T) {
	c, _ := crashCases(t, nil)
	j := c.job(t)
	table := mustTable(t, "kafka", idColumns, nil, jsonOptions(c.addr, "topic", j.table.Options.Text("topic"), "sink.semantic", "exactly-once",
		"sink.transactional-id-prefix", j.table.Options.Text("topic"), "properties.transaction.timeout.ms", "1500"))
	table.Env.CheckpointInterval = time.Second
	j.table, j.interval = table, time.Second
	j.killWhen("stored", 2)
	tx := decodeOne(t, j.dir.pending)
	deadline := time.Now().Add(20 * time.Second)
	for { // until the broker has aborted it: then its epoch is outdated
		err := abortedYet(t, c.addr, tx.ID)
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
	}
	err := j.run(newProcess())
	var fatal *exec.FatalError
	if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "lost") || !strings.Contains(err.Error(), "4 records") {
		t.Fatalf("got %v", err)
	}
}

// abortedYet asks DescribeTransactions whether nothing is open under the id.
func abortedYet(t *testing.T, addr, id string) error {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{id}
	resp, err := req.RequestWith(context.Background(), cl)
	if err != nil {
		return err
	}
	if state := resp.TransactionStates[0].State; state == "Ongoing" || strings.HasPrefix(state, "Prepare") {
		return fmt.Errorf("the transaction is still %s", state)
	}
	return nil
}

// openTransactions describes what holds the last stable offset back.
func openTransactions(t *testing.T, addr, topic string) string {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	var text strings.Builder
	list, err := kmsg.NewPtrListTransactionsRequest().RequestWith(context.Background(), cl)
	if err != nil {
		return err.Error()
	}
	for _, s := range list.TransactionStates {
		fmt.Fprintf(&text, "%s producer %d: %s\n", s.TransactionalID, s.ProducerID, s.TransactionState)
	}
	req := kmsg.NewPtrDescribeProducersRequest()
	rt := kmsg.NewDescribeProducersRequestTopic()
	rt.Topic, rt.Partitions = topic, []int32{0, 1}
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(context.Background(), cl)
	if err != nil {
		return text.String() + err.Error()
	}
	for _, p := range resp.Topics[0].Partitions {
		for _, a := range p.ActiveProducers {
			fmt.Fprintf(&text, "partition %d: producer %d/%d, last sequence %d, transaction from offset %d, coordinator epoch %d\n",
				p.Partition, a.ProducerID, a.ProducerEpoch, a.LastSequence, a.CurrentTxnStartOffset, a.CoordinatorEpoch)
		}
	}
	return text.String()
}

// awaitVisible waits until n rows are visible.
func (j *job) awaitVisible(n int) {
	j.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for len(readAll(j.t, "kafka", j.table)) < n {
		if time.Now().After(deadline) {
			j.t.Fatalf("%d committed rows are not visible", n)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

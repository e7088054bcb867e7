//go:build kafka

package kafkatest

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestPairLeads: the leader of a partition moves, and what was written stays.
func TestPairLeads(t *testing.T) {
	p := RequirePair(t, Options{}, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := CreateTopic(ctx, p.One.Addr(), "t", 2); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(p.One.Addr()), kgo.ConsumeTopics("t"), kgo.TransactionalID("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, node := range []int32{1, 2, 1, 2} {
		begin := time.Now()
		if err := cl.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := cl.ProduceSync(ctx, &kgo.Record{Topic: "t", Value: []byte("v")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := p.Lead(ctx, node, "t", TransactionState); err != nil {
			t.Fatal(err)
		}
		t.Log(node, time.Since(begin))
		req := kmsg.NewPtrFindCoordinatorRequest()
		req.CoordinatorType, req.CoordinatorKey = 1, "x"
		if resp, err := req.RequestWith(ctx, cl); err != nil || resp.NodeID != node {
			t.Fatalf("the coordinator is %v (%v), want node %d", resp, err, node)
		}
		if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
	}
	p.Two.Kill()
	n := 0
	for n < 4 && ctx.Err() == nil {
		n += len(cl.PollFetches(ctx).Records())
	}
	if n != 4 {
		t.Fatalf("%d records are there", n)
	}
	if err := p.Two.Restart(); err != nil {
		t.Fatal(err)
	}
	if err := p.Lead(ctx, 2, "t"); err != nil {
		t.Fatal(err)
	}
}

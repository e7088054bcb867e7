//go:build kafka

package torture

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

// kafka is a real broker with a wire in front of it.
type kafka struct {
	*kafkatest.Broker
	proxy *proxy
	n     int
}

func newKafka(t *testing.T) *kafka {
	t.Helper()
	p, err := newProxy(newWire())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	b := kafkatest.Require(t, kafkatest.Options{Settings: map[string]string{"advertised.listeners": "PLAINTEXT://" + p.Addr().String()}})
	p.setTarget(b.Addr())
	return &kafka{Broker: b, proxy: p}
}

func (k *kafka) world(t *testing.T, records int) *World {
	t.Helper()
	k.n++
	return worldBehind(t, k.proxy, fmt.Sprintf("job%d", k.n), records)
}

// worldBehind is a world of a real Kafka that is reached by a proxy.
func worldBehind(t *testing.T, p *proxy, name string, records int) *World {
	t.Helper()
	addr := p.Addr().String()
	w := &World{Addr: addr, wire: p.wire, create: func(topic string, partitions int) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return kafkatest.CreateTopic(ctx, addr, topic, int32(partitions))
	}}
	if err := w.make(name, records); err != nil {
		t.Fatal(err)
	}
	return w
}

// makeAgain deletes a topic and makes it again, as soon as Kafka lets it.
func (k *kafka) makeAgain(t *testing.T, topic string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	req := kmsg.NewPtrDeleteTopicsRequest()
	rt := kmsg.NewDeleteTopicsRequestTopic()
	rt.Topic = &topic
	req.Topics, req.TopicNames = append(req.Topics, rt), append(req.TopicNames, topic)
	if _, err := req.RequestWith(context.Background(), cl); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		err := kafkatest.CreateTopic(ctx, k.proxy.Addr().String(), topic, 2)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// slower leaves time for transactions of some 20 ms.
var slower = Job{Parallelism: 2, Interval: 20 * time.Millisecond}

// TestKafkaFaults runs the suite's faults on a real Kafka.
func TestKafkaFaults(t *testing.T) {
	k := newKafka(t)
	for _, p := range []point{{"write", true}, {"precommit", true}, {"metadata", false}, {"metadata", true}, {"commit", false}, {"commit", true}, {"outcomes", true},
		{"Produce", true}, {"TxnOffsetCommit", true}, {"EndTxn commit", false}, {"EndTxn commit", true}} {
		t.Run(fmt.Sprintf("01 to 06 %s after=%v", p.name, p.after), func(t *testing.T) {
			w := k.world(t, 60)
			killed(t, w, slower, At(p.name, 2, p.after, Kill))
			finish(t, w, slower)
			exact(t, w)
		})
	}
	t.Run("07 during recovery", func(t *testing.T) {
		for at := 1; at < 8; at++ {
			w := k.world(t, 40)
			killed(t, w, slower, At("commit", 2, false, Kill))
			if _, err := w.Finish(slower, inRecovery(at, at%2 == 0)); err != nil {
				t.Fatal(at, err)
			}
			exact(t, w)
		}
	})
	for _, name := range []string{"EndTxn commit", "EndTxn abort", "InitProducerId", "AddPartitionsToTxn", "TxnOffsetCommit", "Produce"} {
		t.Run("09 dropped and late: "+name, func(t *testing.T) {
			dropped(t, k.world(t, 60), slower, name, false, Drop)
			dropped(t, k.world(t, 60), slower, name, true, Drop)
			dropped(t, k.world(t, 60), slower, name, false, Late)
		})
	}
	t.Run("09 own request is late", func(t *testing.T) {
		for range 20 {
			if ownLate(t, k.world(t, 300), slower) {
				return
			}
		}
		t.Fatal("no late request for the owner id was noticed")
	})
	t.Run("11 timed out while down", func(t *testing.T) {
		j := shortLived("properties.transaction.timeout.ms", "1500")
		j.Interval = slower.Interval
		lostWhileDown(t, k.world(t, 60), j)
	})
	t.Run("11 timed out, with the log", func(t *testing.T) {
		w := k.world(t, 60)
		j := shortLived("properties.transaction.timeout.ms", "1500", "sink.pre-commit-log", "true")
		j.Interval = slower.Interval
		killed(t, w, j, At("commit", 2, false, Kill))
		awaitAborted(t, w)
		j.Sink["properties.transaction.timeout.ms"] = "60000"
		finish(t, w, j)
		exact(t, w)
	})
	t.Run("12 zombie", func(t *testing.T) {
		for _, at := range []point{{"precommit", true}, {"LATEST", true}, {"outcomes", true}} {
			zombie(t, k.world(t, 140), slower, at, 3)
		}
	})
	t.Run("13 prefixes", func(t *testing.T) {
		prefixesDoNotTouch(t, k.world(t, 60), k.world(t, 60), Job{Interval: slower.Interval})
	})
	t.Run("17 topic made again", func(t *testing.T) {
		topicMadeAgain(t, slower, remaker{func() *World { return k.world(t, 60) }, func(topic string) { k.makeAgain(t, topic) }}, 1)
	})
	t.Run("14 rescale", func(t *testing.T) {
		w := k.world(t, 90)
		for _, parallelism := range []int{1, 3} {
			killed(t, w, Job{Parallelism: parallelism, Interval: slower.Interval}, At("metadata", 2, true, Kill))
		}
		finish(t, w, slower)
		exact(t, w)
	})
	t.Run("15 aborted checkpoint", func(t *testing.T) {
		w := k.world(t, 100)
		j := Job{TwoSinks: true, Interval: slower.Interval, Timeout: 2 * stalledBy}
		p, err := w.Run(j, stall(2, 2))
		if err != nil || p.Killed() {
			t.Fatal(err)
		}
		exact(t, w, w.Out, w.Out2)
	})
	t.Run("21 end, stop, drain", func(t *testing.T) {
		for _, how := range []string{"end", "stop", "drain"} {
			for at := 1; at < 20; at += 6 {
				w := k.world(t, 20)
				endKilled(t, w, how, at, at%2 == 0)
				exact(t, w)
			}
		}
	})
	t.Run("22 stale copy, 23 lost directory", func(t *testing.T) {
		w := k.world(t, 60)
		var old Memory
		take := At("outcomes", 1, true, Wait)
		if _, err := w.Run(slower, func(s Step) Action {
			if take(s) == Wait {
				old = w.Dir.(Memory).Copy()
			}
			return Go
		}); err != nil {
			t.Fatal(err)
		}
		for dir, says := range map[Directory]string{old: "not the latest one", NewMemory(): "earlier run"} {
			w.Dir = dir
			if _, err := w.Run(slower, nil); err == nil || !strings.Contains(err.Error(), says) {
				t.Fatalf("got %v, expected %q", err, says)
			}
		}
		exact(t, w)
	})
	t.Run("24 fenced after commit", func(t *testing.T) {
		fencedAfterCommit(t, k.world(t, 60), slower)
		fencedAfterCommit(t, k.world(t, 60), Job{Parallelism: 2, Interval: slower.Interval, Sink: map[string]string{"sink.pre-commit-log": "true"}})
	})
}

// TestFault08KafkaKilled kills the broker at the steps of faults 1 to 6 and
// starts it again; the job goes on by itself. At the last step the job dies
// with it. The kill waits for earlier commits to be settled. (Right after EndTxn was answered a single Kafka may come back with
// a hanging transaction: connectors/kafka/DESIGN.md, "Known of Kafka".)
func TestFault08KafkaKilled(t *testing.T) {
	k := newKafka(t)
	for _, p := range []struct {
		point
		both bool
	}{{point{"write", true}, false}, {point{"precommit", true}, false}, {point{"metadata", false}, false}, {point{"commit", false}, false}, {point{"metadata", true}, true}} {
		t.Run(fmt.Sprintf("%s after=%v both=%v", p.name, p.after, p.both), func(t *testing.T) {
			w := k.world(t, 60)
			hook, hit := At(p.name, 3, p.after, Kill), false
			pr, err := w.Run(slower, func(s Step) Action {
				if hook(s) != Kill {
					return Go
				}
				hit = true
				settled(t, w.Addr)
				k.Kill()
				if err := k.Restart(); err != nil {
					t.Error(err)
				}
				if p.both {
					return Kill
				}
				return Go
			})
			if p.both && errors.Is(err, errKilled) {
				_, err = w.Finish(slower, nil)
			}
			if err != nil || !hit {
				t.Fatal(err, hit)
			}
			t.Log(pr.Count(exec.EventRestarting), "restarts inside")
			exact(t, w)
		})
	}
}

// settled waits until no commit that was answered still has to write its
// markers.
func settled(t *testing.T, addr string) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		t.Error(err)
		return
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	req := kmsg.NewPtrListTransactionsRequest()
	req.StateFilters = []string{"PrepareCommit", "PrepareAbort"}
	for {
		resp, err := req.RequestWith(ctx, cl)
		if err == nil && resp.ErrorCode == 0 && len(resp.TransactionStates) == 0 {
			return
		}
		if ctx.Err() != nil {
			t.Errorf("commits stay under way: %v", err)
			return
		}
	}
}

// TestKafkaTorture is the random schedule on a real Kafka, for a short time.
func TestKafkaTorture(t *testing.T) {
	k := newKafka(t)
	s := &Schedule{Seed: uint64(time.Now().UnixNano()), Log: t.Logf, Pause: 20 * time.Millisecond, World: func(name string, records int) (*World, error) {
		return k.world(t, records), nil
	}}
	err := s.Run(time.Now().Add(20 * time.Second))
	t.Logf("seed %d\n%v", s.Seed, s.Report)
	if err != nil || s.Report.Bad() {
		t.Fatal(err)
	}
}

package torture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestFault10CoordinatorMovesAndStorms: two of three requests are answered
// that it is too early, or that another broker is to be asked.
func TestFault10CoordinatorMovesAndStorms(t *testing.T) {
	t.Parallel()
	for _, code := range []*kerr.Error{kerr.ConcurrentTransactions, kerr.NotCoordinator, kerr.CoordinatorNotAvailable, kerr.CoordinatorLoadInProgress} {
		t.Run(code.Message, func(t *testing.T) {
			c := newCluster(t)
			w := c.world(t, 30)
			h := c.Broker.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID, kmsg.AddOffsetsToTxn, kmsg.EndTxn}, TopLevel: true, Count: -1, Err: code, When: twoOfThree()})
			refused := 0
			storm := twoOfThree()
			c.Broker.Cluster().ControlKey(int16(kmsg.AddPartitionsToTxn), func(req kmsg.Request) (kmsg.Response, error, bool) {
				c.Broker.Cluster().KeepControl()
				if !storm(req) {
					return nil, nil, false
				}
				refused++
				return refuse(req.(*kmsg.AddPartitionsToTxnRequest), code), nil, true
			})
			if _, err := w.Run(Job{}, nil); err != nil {
				t.Fatal(err)
			}
			if h.Hits() < 10 || refused == 0 {
				t.Fatalf("%d and %d requests were refused", h.Hits(), refused)
			}
			h.Remove()
			exact(t, w)
		})
	}
}

// twoOfThree is called on the broker's goroutine only.
func twoOfThree() func(kmsg.Request) bool {
	n := 0
	return func(kmsg.Request) bool { n++; return n%3 != 0 }
}

func refuse(req *kmsg.AddPartitionsToTxnRequest, code *kerr.Error) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.AddPartitionsToTxnResponse)
	for _, t := range req.Topics {
		rt := kmsg.NewAddPartitionsToTxnResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewAddPartitionsToTxnResponseTopicPartition()
			rp.Partition, rp.ErrorCode = p, code.Code
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	return resp
}

// shortLived is a job whose transactions the broker gives up soon.
func shortLived(more ...string) Job {
	j := Job{Sink: map[string]string{"properties.transaction.timeout.ms": "400"}}
	for i := 0; i < len(more); i += 2 {
		j.Sink[more[i]] = more[i+1]
	}
	return j
}

// TestFault11TimedOutWhileDown: the broker aborts a pre-committed
// transaction while the job is down. Every start says what is lost, and no
// more than that is.
func TestFault11TimedOutWhileDown(t *testing.T) {
	t.Parallel()
	lostWhileDown(t, newCluster(t).world(t, 60), shortLived())
}

// TestFault11TimedOutWithLog: with the pre-commit log nothing is lost, even
// if the next recovery is killed, too, at each of its steps.
func TestFault11TimedOutWithLog(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for at := 0; ; at += 3 {
		reached := at == 0
		for _, after := range []bool{false, true} {
			w := c.world(t, 60)
			j := shortLived("sink.pre-commit-log", "true")
			killed(t, w, j, At("commit", 2, false, Kill))
			awaitAborted(t, w)
			j.Sink["properties.transaction.timeout.ms"] = "60000" // a slow machine is not to lose more
			p, err := w.Finish(j, inRecovery(at, after))
			if err != nil {
				t.Fatalf("step %d, after=%v: %v", at, after, err)
			}
			exact(t, w)
			reached = reached || p.Killed()
		}
		if !reached {
			return
		}
	}
}

func lostWhileDown(t *testing.T, w *World, j Job) {
	killed(t, w, j, At("commit", 2, false, Kill))
	awaitAborted(t, w)
	var said string
	for range 2 {
		_, err := w.Run(j, nil)
		var fatal *exec.FatalError
		if !errors.As(err, &fatal) {
			t.Fatalf("a lost transaction gave %v", err)
		}
		for _, word := range []string{"lost", "checkpoint", w.Out, "sink.on-lost-transaction"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q does not say %q", err, word)
			}
		}
		said = err.Error()
	}
	j.Sink["sink.on-lost-transaction"] = "continue"
	finish(t, w, j)
	v, err := w.Check()
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Duplicated)+len(v.Strange) > 0 || !strings.Contains(said, fmt.Sprintf("%d records", len(v.Lost))) {
		t.Fatalf("it was said: %s; but %v", said, v.Err())
	}
}

// awaitAborted waits until the broker has given up what is open.
func awaitAborted(t *testing.T, w *World) {
	t.Helper()
	if _, err := w.Visible(w.Out); err != nil {
		t.Fatal(err)
	}
}

// TestFault12Zombie: a process lives on beside a copy of its directory that
// another one took over. What it begins, writes and commits is never
// visible; it stops, and names the reason.
func TestFault12Zombie(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, at := range []point{{"precommit", true}, {"LATEST", true}, {"commit", false}, {"outcomes", true}, {"InitProducerId", false}} {
		for nth := 3; nth <= 4; nth++ {
			t.Run(fmt.Sprintf("%s %d", at.name, nth), func(t *testing.T) { zombie(t, c.world(t, 140), twoWriters, at, nth) })
		}
	}
}

// zombie lets the old process go on from a step when the new one has
// finished.
func zombie(t *testing.T, w *World, j Job, at point, nth int) {
	t.Helper()
	zombieAnd(t, w, j, at, nth, nil)
}

// TestFault12ZombieOwesARequest: the old process got no answer when it took
// its sink over, so it asks who was the last to do so: not itself.
func TestFault12ZombieOwesARequest(t *testing.T) {
	c := newCluster(t)
	for _, after := range []bool{false, true} {
		zombieAnd(t, c.world(t, 140), twoWriters, point{"precommit", true}, 3, At("InitProducerId", 1, after, Drop))
	}
}

// zombieAnd is zombie, with a second hook for the old process.
func zombieAnd(t *testing.T, w *World, j Job, at point, nth int, more Hook) {
	t.Helper()
	old := w.Dir.(Memory)
	var took error
	hook := At(at.name, nth, at.after, Wait)
	p, err := w.Run(j, func(s Step) Action {
		if hook(s) == Wait {
			w.Dir = old.Copy()
			_, took = w.Run(j, nil)
		}
		if more != nil {
			return more(s)
		}
		return Go
	})
	if took != nil {
		t.Fatal(took)
	}
	var fatal *exec.FatalError
	if !errors.As(err, &fatal) || !strings.Contains(err.Error(), "another process") || p.Count(exec.EventFinished) > 0 {
		t.Fatalf("the old process ended with %v, expected a fatal error that names another process", err)
	}
	if more != nil && !slices.ContainsFunc(p.Steps(), func(s Step) bool { return s.Name == "DescribeTransactions" }) {
		t.Fatal("the old process did not ask whose request it was")
	}
	exact(t, w)
}

// TestFault13PrefixesDoNotTouch: while job a-b has a transaction open, job a
// starts, works and ends.
func TestFault13PrefixesDoNotTouch(t *testing.T) {
	c := newCluster(t)
	prefixesDoNotTouch(t, c.world(t, 60), c.world(t, 60), Job{})
}

func prefixesDoNotTouch(t *testing.T, a, ab *World, j Job) {
	t.Helper()
	hook := At("precommit", 3, true, Wait)
	var inner error
	ran := false
	ja, jab := j, j
	ja.Prefix, jab.Prefix = "a", "a-b"
	if _, err := ab.Run(jab, func(s Step) Action {
		if hook(s) == Wait {
			ran = true
			_, inner = a.Run(ja, nil)
		}
		return Go
	}); err != nil || inner != nil || !ran {
		t.Fatal(err, inner, ran)
	}
	exact(t, a)
	exact(t, ab)
}

// TestFault14Rescale: 1 → 3 → 2 with pending transactions.
func TestFault14Rescale(t *testing.T) {
	c := newCluster(t)
	for _, at := range []point{{"metadata", true}, {"commit", false}, {"EndTxn commit", true}, {"precommit", true}} {
		w := c.world(t, 90)
		for _, parallelism := range []int{1, 3} {
			killed(t, w, Job{Parallelism: parallelism}, At(at.name, 2, at.after, Kill))
		}
		finish(t, w, twoWriters)
		exact(t, w)
	}
}

// TestFault24FencedAfterCommit: EndTxn was answered OK, the id is fenced from
// outside, the process dies before the outcome is stored. The marker proves
// that the transaction was committed; nothing is written again.
func TestFault24FencedAfterCommit(t *testing.T) {
	fencedAfterCommit(t, newCluster(t).world(t, 60), twoWriters)
}

// TestFault24FencedAfterCommitWithLog: the log would allow to write it again.
func TestFault24FencedAfterCommitWithLog(t *testing.T) {
	fencedAfterCommit(t, newCluster(t).world(t, 60), Job{Parallelism: 2, Sink: map[string]string{"sink.pre-commit-log": "true"}})
}

func fencedAfterCommit(t *testing.T, w *World, j Job) {
	t.Helper()
	n := 0
	var id string
	killed(t, w, j, func(s Step) Action {
		if s.Name == "EndTxn commit" && s.After {
			if n++; n == 3 {
				id = s.ID
				return Kill
			}
		}
		return Go
	})
	if err := fence(w.Addr, id); err != nil {
		t.Fatal(err)
	}
	finish(t, w, j)
	exact(t, w)
}

// fence is what an operator's tool does to an id.
func fence(addr, id string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		return err
	}
	defer cl.Close()
	for {
		req := kmsg.NewPtrInitProducerIDRequest()
		req.TransactionalID, req.TransactionTimeoutMillis = &id, int32(time.Minute.Milliseconds())
		req.ProducerID, req.ProducerEpoch = -1, -1
		resp, err := req.RequestWith(context.Background(), cl)
		if err != nil || resp.ErrorCode != kerr.ConcurrentTransactions.Code {
			return err
		}
	}
}

// latest is the newest checkpoint in the directory.
func latest(t *testing.T, w *World) *checkpoint.Metadata {
	t.Helper()
	s, err := w.Dir.open(checkpoint.Job{Name: w.Name, Hash: "torture"}, func(e checkpoint.Engine) checkpoint.Engine { return e })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := s.Latest()
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	return m
}

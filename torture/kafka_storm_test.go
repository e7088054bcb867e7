//go:build kafka

package torture

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

// storm refuses two of three requests of each kind, by the codes in turn,
// before the broker sees them.
func storm(codes ...*kerr.Error) Hook {
	n, turn := map[string]int{}, 0
	return func(s Step) Action {
		if s.After {
			return Go
		}
		switch s.Name {
		case "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "EndTxn commit", "EndTxn abort":
		default:
			return Go
		}
		if n[s.Name]++; n[s.Name]%3 == 0 {
			return Go
		}
		turn++
		code := codes[turn%len(codes)]
		if code == kerr.ConcurrentTransactions && s.Name == "TxnOffsetCommit" { // which a group's coordinator does not say
			return Go
		}
		return Refuse(code.Code)
	}
}

// TestKafkaFaultsOfDirectoryAndStorms runs, on a real Kafka, the faults of
// the state directory and of acknowledgements, and storms of answers that ask
// for patience.
func TestKafkaFaultsOfDirectoryAndStorms(t *testing.T) {
	k := newKafka(t)
	t.Run("05 between two writers' commits", func(t *testing.T) { betweenTwoCommits(t, k.world, slower) })
	for name, codes := range map[string][]*kerr.Error{"51": {kerr.ConcurrentTransactions}, "14 15 16": {kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.NotCoordinator}} {
		t.Run("10 storm of "+name, func(t *testing.T) {
			w := k.world(t, 30)
			hook, refusals := storm(codes...), 0
			p, err := w.Run(slower, func(s Step) Action {
				a := hook(s)
				if a != Go {
					refusals++
				}
				return a
			})
			if err != nil || refusals < 20 {
				t.Fatalf("%d requests were refused: %v", refusals, err)
			}
			t.Log(refusals, "refused,", p.Answers(kerr.ConcurrentTransactions.Code), "answers of 51 by the broker itself")
			exact(t, w)
		})
	}
	t.Run("10 the broker's own 51", func(t *testing.T) { genuineStorm(t, k.world(t, 100)) })
	t.Run("10 storm and kill", func(t *testing.T) {
		for _, at := range []point{{"EndTxn commit", true}, {"precommit", true}} {
			w := k.world(t, 60)
			hook, die := storm(kerr.ConcurrentTransactions, kerr.NotCoordinator), At(at.name, 4, at.after, Kill)
			killed(t, w, slower, func(s Step) Action {
				if die(s) == Kill {
					return Kill
				}
				return hook(s)
			})
			if _, err := w.Finish(slower, storm(kerr.ConcurrentTransactions, kerr.NotCoordinator)); err != nil {
				t.Fatal(err)
			}
			exact(t, w)
		}
	})
	t.Run("16 disk full, damage", func(t *testing.T) { diskFullAndDamage(t, k.world, slower) })
	t.Run("18 newer metadata", func(t *testing.T) { newerMetadata(t, k.world(t, 60), slower) })
	t.Run("19 opened twice", func(t *testing.T) { openedTwice(t, k.world, slower) })
	t.Run("log too small", func(t *testing.T) { logTooSmall(t, k.world(t, 60), slower) })
	t.Run("20 late acknowledgements", func(t *testing.T) {
		j := slower
		j.TwoSinks, j.Parallelism, j.Timeout = true, 1, stalledBy
		lateAcknowledgements(t, k.world(t, 150), j)
	})
	t.Run("20 acknowledged before the outcome", func(t *testing.T) { ackedBeforeTheOutcome(t, k.world, slower) })
}

// genuineStorm makes a real broker answer 51 by itself: processes that die
// while they write leave transactions open, over which the next one takes the
// ids; and answers to commits are lost, so that they are repeated while the
// broker still writes the markers of the first.
func genuineStorm(t *testing.T, w *World) {
	n := 0
	for range 3 {
		p, err := w.Run(slower, At("write", 4, true, Kill))
		if !p.Killed() {
			t.Fatal(err)
		}
		n += p.Answers(kerr.ConcurrentTransactions.Code)
	}
	lost := map[string]bool{}
	p, err := w.Run(slower, func(s Step) Action {
		if s.Name != "EndTxn commit" || !s.After {
			return Go
		}
		if lost[s.ID] = !lost[s.ID]; lost[s.ID] {
			return Drop
		}
		return Go
	})
	if n += p.Answers(kerr.ConcurrentTransactions.Code); err != nil || n == 0 {
		t.Fatalf("the broker asked %d times for patience: %v", n, err)
	}
	t.Log(n, "answers of 51 by the broker itself")
	exact(t, w)
}

package txn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/exec"
)

// Rewriter writes the records of a lost transaction again.
type Rewriter interface {
	// Rewrite writes what the log t.Log holds into the transaction o, which
	// has just begun, and returns its partitions when every record is
	// acknowledged. An error leaves o to be aborted by whoever takes its id
	// over.
	Rewrite(ctx context.Context, o Open, t Transaction) ([]client.TP, error)
}

// byCheckpoint are the indices of ts, earlier checkpoints first.
func byCheckpoint(ts []Transaction) []int {
	order := make([]int, len(ts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ts[a].Checkpoint, ts[b].Checkpoint) })
	return order
}

// writersWithLog are the writers that have a transaction with a log in list.
func writersWithLog(list []Transaction) map[int]bool {
	logged := map[int]bool{}
	for _, t := range list {
		if t.Log != "" {
			logged[t.writer()] = true
		}
	}
	return logged
}

// laterOf are the transactions of t's writer and later checkpoints that could
// be written anew themselves.
func laterOf(list []Transaction, t Transaction) []Transaction {
	var later []Transaction
	for _, l := range list {
		if l.writer() == t.writer() && l.Checkpoint > t.Checkpoint && l.Log != "" {
			later = append(later, l)
		}
	}
	return later
}

// lostInRecovery asks CommitAll to write the transaction anew.
type lostInRecovery struct{ cause error }

func (e *lostInRecovery) Error() string { return e.cause.Error() }

// recovery is what a start, or a restart inside the process, knows of lost
// transactions that have a log.
type recovery struct {
	lost map[string]*lostInRecovery // by marker text: proven not to be committed, ever
	anew map[string]bool            // by marker text: a replacement of this recovery
}

// knownLost tells whether this recovery has proved the transaction lost.
func (s *Session) knownLost(t Transaction) *lostInRecovery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recovery.lost[t.MarkerText()]
}

// lostLogged: only recovery writes anew. A running job restarts inside the
// process; its writers are ahead of what is to be written.
func (s *Session) lostLogged(t Transaction, why error) (Verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recovers {
		lost := &lostInRecovery{why}
		s.recovery.lost[t.MarkerText()] = lost
		return Verdict{Detail: why.Error()}, lost
	}
	err := fmt.Errorf("%s: it is lost (%w) and written anew from the pre-commit log: %w", t.Describe(), why, checkpoint.ErrRestart)
	return Verdict{Detail: err.Error()}, err
}

// rewriteTries: a replacement is refused if a late InitProducerId of an older
// process hits its id, or if its topic is made again meanwhile.
const rewriteTries = 3

// writeAnew brings a lost transaction back. First the later pending ones of
// its writer are fenced, so that no late EndTxn makes them visible before it:
// they are found lost in their turn. Then its records go into a transaction
// of a free id of this start's pool, which is pre-committed but not durable:
// a crash before the Replaced outcome is stored leaves it to the next start,
// which takes over, and so aborts, every id that is not pending.
func (s *Session) writeAnew(ctx context.Context, t Transaction, cause error, later []Transaction) (Verdict, error) {
	for _, l := range later {
		if _, err := s.initID(ctx, l.ID); err != nil {
			return s.undecided(t, err)
		}
		if err := s.AskOwner(ctx); err != nil {
			return s.undecided(t, err)
		}
	}
	if age := s.ageAnew(t); age >= s.longest() {
		err := s.tooSlow(t, age)
		return Verdict{Detail: err.Error()}, err
	}
	var err error
	var took time.Duration
	for range rewriteTries {
		begun := s.c.Clock.Now()
		var again Transaction
		if again, err = s.rewrite(ctx, t); err == nil {
			s.c.Log.Warn("a transaction was lost before it could be committed; its rows are written anew from the pre-commit log",
				"checkpoint", t.Checkpoint, "records", t.Records, "transactional.id", t.ID, "now", again.ID, "cause", cause)
			return Verdict{Status: checkpoint.Replaced, Detail: fmt.Sprintf("%d records written anew to %s: %v", t.Records, again.ID, cause), Replacement: &again}, nil
		}
		if took = s.c.Clock.Now().Sub(begun); !fenced(err) && !isRemade(err) || took >= s.longest() {
			break
		}
	}
	if fenced(err) && took >= s.c.Timeout {
		err = s.tooSlow(t, took)
	}
	return Verdict{Detail: err.Error()}, err
}

// ageAnew is the age of what was itself written anew in this recovery.
func (s *Session) ageAnew(t Transaction) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.recovery.anew[t.MarkerText()] {
		return 0
	}
	return s.c.Clock.Now().Sub(time.UnixMilli(t.StartMillis))
}

// longest is the time-out of a replacement: the longest that the broker
// allows, for it must be written in one go, and nobody knows how long that
// takes. Its id has the configured one again from its next use on.
func (s *Session) longest() time.Duration { return max(s.limit, s.c.Timeout) }

// tooSlow: the broker gives up what is written anew before it is committed,
// so another start would do so again.
func (s *Session) tooSlow(t Transaction, took time.Duration) error {
	size := ""
	if s.c.LogBytes != nil {
		if n, err := s.c.LogBytes(t.Log); err == nil {
			size = fmt.Sprintf(" (%d bytes)", n)
		}
	}
	most := fmt.Sprintf("transactions may last %d ms ('properties.transaction.timeout.ms'; the broker's own limit is not known)", s.longest().Milliseconds())
	if s.limit > 0 {
		most = fmt.Sprintf("the broker allows a transaction %d ms (transaction.max.timeout.ms, which such a one is given whatever 'properties.transaction.timeout.ms' is)", s.limit.Milliseconds())
	}
	return exec.Fatal(fmt.Errorf("%s: it is lost, and what was written anew from its pre-commit log%s was aborted by the broker, too, after %s: %s; raise that limit at the brokers or make them faster, and start again; nothing is lost until `sqlstream txn abort --force` gives the rows up",
		t.Describe(), size, took.Round(time.Millisecond), most))
}

// rewrite makes one pre-committed replacement.
func (s *Session) rewrite(ctx context.Context, t Transaction) (Transaction, error) {
	o, err := s.begins(ctx, t.writer(), s.longest())
	if err != nil {
		return Transaction{}, err
	}
	again := t
	again.ID, again.Producer, again.StartMillis = o.ID, o.Producer, s.c.Clock.Now().UnixMilli()
	if again.Partitions, again.Topics, err = s.rewriteInto(ctx, o, t); err == nil {
		err = s.PreCommit(ctx, again)
	}
	if err != nil {
		s.release(o.ID)
		return Transaction{}, s.Refused(ctx, err)
	}
	s.mu.Lock()
	s.recovery.anew[again.MarkerText()] = true
	s.mu.Unlock()
	return again, nil
}

// rewriteInto has the records written, to topics that are the same before and
// after.
func (s *Session) rewriteInto(ctx context.Context, o Open, t Transaction) (parts []client.TP, topics []Topic, err error) {
	began := map[string]client.UUID{}
	for _, p := range t.Partitions {
		if _, ok := began[p.Topic]; ok {
			continue
		}
		if began[p.Topic], err = s.awaitTopic(ctx, p.Topic, t); err != nil {
			return nil, nil, err
		}
	}
	if parts, err = s.c.Rewriter.Rewrite(ctx, o, t); err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(began)) {
		wrote, err := s.Wrote(ctx, name, began[name])
		if err != nil {
			return nil, nil, err
		}
		topics = append(topics, wrote...)
	}
	return parts, topics, nil
}

// remakeTime is how long a topic may be missing between its deletion and its
// making: then the job goes on by itself.
const remakeTime = 5 * time.Second

// awaitTopic returns the id of a topic that the log of t is to be written to.
func (s *Session) awaitTopic(ctx context.Context, name string, t Transaction) (client.UUID, error) {
	var now client.TopicID
	errMissing := fmt.Errorf("topic %q does not exist, and rows in the pre-commit log are to be written to it (%s): make it, with at least %d partitions, and start again; or `sqlstream txn abort --force` gives them up", name, t.Describe(), t.Needs(name))
	err := retry(ctx, s.c.Clock, min(remakeTime, s.c.Patience), func(err error) bool { return err == errMissing }, func() (err error) {
		if now, err = s.Topic(ctx, name); err == nil && now.Missing {
			return errMissing
		}
		return err
	})
	return now.ID, err
}

// Needs is how many partitions the topic must have for the records to be
// written to the same ones again.
func (t Transaction) Needs(topic string) int32 {
	n := int32(1)
	for _, p := range t.Partitions {
		if p.Topic == topic {
			n = max(n, p.Partition+1)
		}
	}
	return n
}

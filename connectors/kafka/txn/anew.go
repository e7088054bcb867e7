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

// lostLogged: only recovery writes anew. A running job restarts inside the
// process; its writers are ahead of what is to be written.
func (s *Session) lostLogged(t Transaction, why error) (Verdict, error) {
	s.mu.Lock()
	recovers := s.recovers
	s.mu.Unlock()
	if recovers {
		return Verdict{Detail: why.Error()}, &lostInRecovery{why}
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
	var err error
	for range rewriteTries {
		var again Transaction
		if again, err = s.rewrite(ctx, t); err == nil {
			s.c.Log.Warn("a transaction was lost before it could be committed; its rows are written anew from the pre-commit log",
				"checkpoint", t.Checkpoint, "records", t.Records, "transactional.id", t.ID, "now", again.ID, "cause", cause)
			return Verdict{Status: checkpoint.Replaced, Detail: fmt.Sprintf("%d records written anew to %s: %v", t.Records, again.ID, cause), Replacement: &again}, nil
		}
		if !fenced(err) && !isRemade(err) {
			break
		}
	}
	return Verdict{Detail: err.Error()}, err
}

// rewrite makes one pre-committed replacement.
func (s *Session) rewrite(ctx context.Context, t Transaction) (Transaction, error) {
	o, err := s.Begin(ctx, t.writer())
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

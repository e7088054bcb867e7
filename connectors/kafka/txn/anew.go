package txn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

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

// CommitAll tries to commit transactions, per writer in checkpoint order. All
// are tried, and the first error is returned beside all verdicts. But where a
// pre-commit log is in use, a writer's next EndTxn is sent only when the
// earlier transaction is known to be committed: written anew, that one would
// come after it.
//
// During recovery a lost transaction that has a log is written anew, and its
// verdict is Replaced: CommitAll is to be called again when that is durable.
func (s *Session) CommitAll(ctx context.Context, list []Transaction) ([]Verdict, error) {
	verdicts := make([]Verdict, len(list))
	logged := writersWithLog(list)
	waits := map[int]checkpoint.ID{} // writer → its checkpoint without final outcome
	var first error
	for _, i := range byCheckpoint(list) {
		t, w := list[i], list[i].writer()
		if ctx.Err() != nil {
			return verdicts, errors.Join(first, ctx.Err())
		}
		if earlier, ok := waits[w]; ok {
			verdicts[i].Detail = fmt.Sprintf("waits until checkpoint %d of the same writer is committed", earlier)
			continue
		}
		v, err := s.Commit(ctx, t)
		var lost *lostInRecovery
		if errors.As(err, &lost) {
			v, err = s.writeAnew(ctx, t, lost.cause, laterOf(list, t))
		}
		if first == nil {
			first = err
		}
		if logged[w] && v.Status != checkpoint.Committed && v.Status != checkpoint.Lost {
			waits[w] = t.Checkpoint
		}
		verdicts[i] = v
	}
	return verdicts, first
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
	err := fmt.Errorf("%s: the broker aborted it before it could be committed (%w); it is written anew from the pre-commit log: %w", t.Describe(), why, checkpoint.ErrRestart)
	return Verdict{Detail: err.Error()}, err
}

// rewriteTries: a replacement is refused if a late InitProducerId of an older
// process hits its id.
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
			s.c.Log.Warn("the broker aborted a transaction before it could be committed; its rows are written anew from the pre-commit log",
				"checkpoint", t.Checkpoint, "records", t.Records, "transactional.id", t.ID, "now", again.ID, "answer", cause)
			return Verdict{Status: checkpoint.Replaced, Detail: fmt.Sprintf("%d records written anew to %s: %v", t.Records, again.ID, cause), Replacement: &again}, nil
		}
		if !fenced(err) {
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
	if again.Partitions, err = s.c.Rewriter.Rewrite(ctx, o, t); err == nil {
		err = s.PreCommit(ctx, again)
	}
	if err != nil {
		s.release(o.ID)
		return Transaction{}, s.Refused(ctx, err)
	}
	return again, nil
}

package txn

import (
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// CommitAll tries to commit transactions, per writer in checkpoint order. All
// are tried, and the first error is returned beside all verdicts. But where a
// pre-commit log is in use, a writer's next EndTxn is sent only when the
// earlier transaction is known to be committed: written anew, that one would
// come after it.
//
// The topics are compared with those that the transactions wrote, before the
// first EndTxn and after the last: committed is what was answered so while
// its topic was still there.
//
// During recovery a lost transaction that has a log is written anew, and its
// verdict is Replaced: CommitAll is to be called again when that is durable.
// One a round is, when all others have been tried: its replacement is then
// committed at once, and not when all have been written, after its time-out.
func (s *Session) CommitAll(ctx context.Context, list []Transaction) ([]Verdict, error) {
	r := &round{s: s, list: list, verdicts: make([]Verdict, len(list)), logged: writersWithLog(list), lost: map[int]error{}}
	r.commit(ctx)
	r.confirm(ctx)
	r.writeOne(ctx)
	r.sumUp()
	return r.verdicts, r.first
}

// round is one CommitAll.
type round struct {
	s        *Session
	list     []Transaction
	verdicts []Verdict
	logged   map[int]bool
	waits    map[int]checkpoint.ID // writer → its checkpoint without final outcome
	lost     map[int]error         // index → why; to be written anew
	first    error
}

// commit sends EndTxn to what lies in the topics of today.
func (r *round) commit(ctx context.Context) {
	remade, err := r.s.remadeTopics(ctx, r.list)
	if err != nil {
		r.undecided(err, checkpoint.Unknown)
		return
	}
	r.waits = map[int]checkpoint.ID{}
	for _, i := range byCheckpoint(r.list) {
		if ctx.Err() != nil {
			r.fail(ctx.Err())
			return
		}
		r.try(ctx, i, remadeOf(r.list[i], remade))
	}
}

// confirm looks at the topics again: they may have been made again between
// the first look and EndTxn.
func (r *round) confirm(ctx context.Context) {
	var committed []Transaction
	for i, v := range r.verdicts {
		if v.Status == checkpoint.Committed {
			committed = append(committed, r.list[i])
		}
	}
	remade, err := r.s.remadeTopics(ctx, committed)
	if err != nil {
		r.undecided(err, checkpoint.Committed)
		return
	}
	r.waits = map[int]checkpoint.ID{}
	for _, i := range byCheckpoint(r.list) {
		if why := remadeOf(r.list[i], remade); why != nil && r.verdicts[i].Status == checkpoint.Committed {
			r.try(ctx, i, why)
		}
	}
}

// try decides on one transaction. why says that its topic is gone.
func (r *round) try(ctx context.Context, i int, why *RemadeError) {
	t := r.list[i]
	w := t.writer()
	if earlier, ok := r.waits[w]; ok {
		r.verdicts[i] = Verdict{Detail: fmt.Sprintf("waits until checkpoint %d of the same writer is committed", earlier)}
		return
	}
	v, err := r.s.commitOrLose(ctx, t, why)
	var lost *lostInRecovery
	if errors.As(err, &lost) {
		r.lost[i], err = lost.cause, nil
		v.Detail = "waits to be written anew: " + v.Detail
	}
	r.fail(err)
	if r.logged[w] && v.Status != checkpoint.Committed && v.Status != checkpoint.Lost {
		r.waits[w] = t.Checkpoint
	}
	r.verdicts[i] = v
}

// writeOne writes the first lost transaction anew.
func (r *round) writeOne(ctx context.Context) {
	for _, i := range byCheckpoint(r.list) {
		cause := r.lost[i]
		if cause == nil {
			continue
		}
		marker := r.verdicts[i].Marker
		v, err := r.s.writeAnew(ctx, r.list[i], cause, laterOf(r.list, r.list[i]))
		v.Marker = marker
		r.verdicts[i] = v
		r.fail(err)
		return
	}
}

func (s *Session) commitOrLose(ctx context.Context, t Transaction, why *RemadeError) (Verdict, error) {
	if why != nil {
		return s.gone(ctx, t, why)
	}
	if lost := s.knownLost(t); lost != nil {
		return Verdict{Detail: lost.Error()}, lost
	}
	return s.commit(ctx, t)
}

// undecided: the topics could not be looked at, so those with this status are
// tried again.
func (r *round) undecided(err error, status checkpoint.Status) {
	for i, v := range r.verdicts {
		if v.Status == status {
			verdict, err := r.s.undecided(r.list[i], err)
			r.verdicts[i] = verdict
			r.fail(err)
		}
	}
}

// sumUp has the first loss that stops the job tell of the others: the job
// shows that one.
func (r *round) sumUp() {
	first, n, records, others := -1, 0, int64(0), ""
	for i, v := range r.verdicts {
		if !v.Fatal {
			continue
		}
		n++
		records += r.list[i].Records
		if first < 0 {
			first = i
			continue
		}
		others += "\nlost as well: " + r.list[i].Describe()
	}
	if n > 1 {
		r.verdicts[first].Detail = fmt.Sprintf("%s; in all %d transactions with %d records are lost%s", r.verdicts[first].Detail, n, records, others)
	}
}

// fail keeps the first error.
func (r *round) fail(err error) {
	if r.first == nil {
		r.first = err
	}
}

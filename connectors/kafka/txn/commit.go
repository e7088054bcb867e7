package txn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/mutant"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// Verdict is what became of a transaction, and what proves it.
type Verdict struct {
	Status checkpoint.Status
	Detail string
	Fatal  bool // of Lost: the job is to stop, and the transaction stays pending
	// Replacement, of Replaced, is pre-committed and pending from now on.
	Replacement *Transaction
	// Marker is what the directory is to expect from now on, stored in the
	// same write as a Committed outcome; "": nothing changes.
	Marker string
}

// commit tries to commit one pre-committed transaction, whose topic is the
// one that it wrote. It may be called any number of times, by any process that
// owns the sink. A Verdict of Unknown without an error is to be tried again
// later; with one, the job cannot go on.
func (s *Session) commit(ctx context.Context, t Transaction) (Verdict, error) {
	if mutant.Is(mutant.ReuseEarly) {
		s.Settled(t)
	}
	err := s.retry(ctx, func() error { return s.c.Cluster.EndTxn(ctx, t.ID, t.Producer, true) })
	switch {
	case err == nil, mutant.Is(mutant.AssumeCommitted) && fenced(err):
		return s.committed(t, "EndTxn was answered OK"), nil
	case ctx.Err() != nil:
		return Verdict{}, ctx.Err()
	case fenced(err):
		return s.doubt(ctx, t, err)
	case codes.Authorization(err):
		return Verdict{Detail: err.Error()}, exec.Fatal(err)
	}
	s.c.Log.Warn("a transaction could not be committed yet; it stays pending and is tried again", "transactional.id", t.ID, "checkpoint", t.Checkpoint, "error", err)
	return Verdict{Detail: err.Error()}, nil
}

func (s *Session) committed(t Transaction, proof string) Verdict {
	v := Verdict{Status: checkpoint.Committed, Detail: proof}
	if t.Marker.Topic != "" {
		v.Marker = t.MarkerText()
	}
	return v
}

// doubt finds out what became of a transaction whose commit was answered by a
// code that means neither "committed" nor "aborted": fence, so that no late
// EndTxn can still win; ask whether the sink is ours; ask the marker; decide.
func (s *Session) doubt(ctx context.Context, t Transaction, why error) (Verdict, error) {
	if t.Marker.Topic == "" {
		return Verdict{Detail: why.Error()}, exec.Fatal(fmt.Errorf("%s: its commit was answered %w; without commit markers ('sink.commit-marker' = 'false') nothing can tell whether it was committed: look at the topic, then decide by `sqlstream txn commit` or `txn abort`", t.Describe(), why))
	}
	if _, err := s.initID(ctx, t.ID); err != nil {
		return s.undecided(t, err)
	}
	s.mu.Lock()
	s.taken[t.ID] = true
	s.mu.Unlock()
	if err := s.AskOwner(ctx); err != nil {
		return s.undecided(t, err)
	}
	if mutant.Is(mutant.WriteAgain) {
		return s.lost(t, why)
	}
	found, err := s.readMarker(ctx, t.ID, t.Marker, true)
	if err != nil {
		return s.undecided(t, err)
	}
	want, err := s.wanted(t, found)
	if err != nil {
		return s.undecided(t, err)
	}
	switch {
	case found == t.MarkerText(), mutant.Is(mutant.ProveByID) && strings.Contains(found, fmt.Sprintf("/%d/", t.Checkpoint)):
		return s.committed(t, fmt.Sprintf("its marker is there (EndTxn: %v)", why)), nil
	case found == "" && (want != "" || !s.young(t)):
		return s.vanished(ctx, t, why)
	case found == want:
		return s.lost(t, why)
	}
	return Verdict{Detail: why.Error()}, s.strange(t.ID, found, want, true, true)
}

// vanished decides without a marker where there should be one. If it went with
// the topic, so did the rows.
func (s *Session) vanished(ctx context.Context, t Transaction, why error) (Verdict, error) {
	remade, err := s.remadeTopics(ctx, []Transaction{t})
	if err != nil {
		return s.undecided(t, err)
	}
	if e := remadeOf(t, remade); e != nil {
		return s.gone(ctx, t, e)
	}
	return Verdict{Detail: why.Error()}, exec.Fatal(fmt.Errorf("%s: its commit was answered %w, and the marker that would tell whether it was committed is gone (older than offsets.retention.minutes, or deleted): look at the topic, then decide by `sqlstream txn commit` or `txn abort`", t.Describe(), why))
}

// young tells whether a marker of the transaction could not have expired.
func (s *Session) young(t Transaction) bool {
	return s.c.Clock.Now().Sub(time.UnixMilli(t.StartMillis)) < s.retention
}

// undecided keeps the transaction pending. Only errors that no repeat can
// mend stop the job.
func (s *Session) undecided(t Transaction, err error) (Verdict, error) {
	v := Verdict{Detail: err.Error()}
	var fatal *exec.FatalError
	if errors.As(err, &fatal) || errors.Is(err, checkpoint.ErrRestart) || errors.Is(err, context.Canceled) {
		return v, err
	}
	s.c.Log.Warn("what became of a transaction is not known yet; it is asked again", "transactional.id", t.ID, "checkpoint", t.Checkpoint, "error", err)
	return v, nil
}

// LostError: the broker aborted a pre-committed transaction, or its topic is
// gone (Cause is a RemadeError then).
type LostError struct {
	Transaction Transaction
	Cause       error
}

func (e *LostError) Error() string {
	return e.Transaction.Describe() + " is lost: " + e.detail()
}

// Why says in few words what became of it.
func (e *LostError) Why() string {
	if isRemade(e.Cause) {
		return e.Cause.Error()
	}
	return "the broker aborted it"
}

func (e *LostError) detail() string {
	t := e.Transaction
	if isRemade(e.Cause) {
		return fmt.Sprintf("%v, and with it went %s (%d records of checkpoint %d in %s), which was to be committed; it began %s; it stays pending and every start says this again, until 'sink.on-lost-transaction' = 'continue' or `sqlstream txn abort` accepts the loss; with 'sink.pre-commit-log' = 'true' it would be written anew",
			e.Cause, t.ID, t.Records, t.Checkpoint, partitionsText(t.Partitions), time.UnixMilli(t.StartMillis).UTC().Format(time.DateTime))
	}
	return fmt.Sprintf("the broker aborted %s (%d records of checkpoint %d in %s) before it could be committed (%v); it began %s; it stays pending and every start says this again, until 'sink.on-lost-transaction' = 'continue' or `sqlstream txn abort` accepts the loss; a longer 'properties.transaction.timeout.ms' bridges longer outages, 'sink.pre-commit-log' = 'true' any",
		t.ID, t.Records, t.Checkpoint, partitionsText(t.Partitions), e.Cause, time.UnixMilli(t.StartMillis).UTC().Format(time.DateTime))
}

// lost has the records written anew if they are in the pre-commit log.
// Otherwise it stops the job, or counts the loss if the user said so.
func (s *Session) lost(t Transaction, why error) (Verdict, error) {
	if t.Log != "" {
		return s.lostLogged(t, why)
	}
	if !s.c.ContinueLost {
		e := &LostError{t, why}
		return Verdict{Status: checkpoint.Lost, Fatal: true, Detail: e.detail()}, exec.Fatal(e)
	}
	s.c.Log.Error("transaction lost; the job goes on ('sink.on-lost-transaction' = 'continue')", "transactional.id", t.ID, "checkpoint", t.Checkpoint, "records", t.Records, "partitions", partitionsText(t.Partitions), "cause", why)
	return Verdict{Status: checkpoint.Lost, Detail: fmt.Sprintf("%d records of checkpoint %d in %s lost: %v", t.Records, t.Checkpoint, partitionsText(t.Partitions), why)}, nil
}

// PreCommit writes the marker, when all records are acknowledged, and holds
// the id until Settled.
func (s *Session) PreCommit(ctx context.Context, t Transaction) error {
	if t.Marker.Topic != "" {
		err := s.retry(ctx, func() error {
			return s.c.Cluster.WriteMarker(ctx, t.ID, t.Producer, t.ID, t.Marker, int64(t.Checkpoint), t.MarkerText())
		})
		if err != nil {
			return s.Refused(ctx, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, t.ID)
	s.held[t.ID] = t.Producer
	s.mustHold()
	return nil
}

// Refused explains an answer that ended an open transaction. If the sink is
// still ours, a restart inside the process mends it: nothing of it was
// pre-committed.
func (s *Session) Refused(ctx context.Context, err error) error {
	if fenced(err) {
		return errors.Join(s.AskOwner(ctx), err)
	}
	return s.explain(err)
}

// Settled frees the id of a transaction whose outcome is durable.
func (s *Session) Settled(t Transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[t.ID] == t.Producer {
		delete(s.held, t.ID)
	}
}

// MarkerEntry are the journal entries that store v.Marker, and in which topic
// it lies.
func (v Verdict) MarkerEntry(t Transaction) []checkpoint.Entry {
	if v.Marker == "" {
		return nil
	}
	var topic []byte // nil, which deletes the entry: not known
	if at := t.markerTopic(); at != (client.UUID{}) {
		topic = []byte(at.String())
	}
	return []checkpoint.Entry{{Key: keyMarker + t.ID, Value: []byte(v.Marker)}, {Key: keyTopic + t.ID, Value: topic}}
}

package txn

import (
	"context"
	"fmt"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// A person settles a transaction of a job that does not run. It is a start
// of the sink (Session.Start) that resolves one transaction and stops there:
// as a process that was killed in the middle of its recovery, so the next
// start agrees with whatever was stored.

// Evidence is what fence and marker tell of a transaction.
type Evidence uint8

const (
	NoEvidence  Evidence = iota
	ItCommitted          // its rows are visible
	ItAborted            // they will never be
)

// Resolve ends a transaction for good and tells how: fence, so that what is
// open is aborted and no late EndTxn can win; ask the owner; ask the marker.
func (s *Session) Resolve(ctx context.Context, t Transaction) (Evidence, error) {
	if _, err := s.initID(ctx, t.ID); err != nil {
		return NoEvidence, err
	}
	if err := s.AskOwner(ctx); err != nil {
		return NoEvidence, err
	}
	if t.Marker.Topic == "" {
		return NoEvidence, nil
	}
	found, err := s.readMarker(ctx, t.ID, t.Marker, true)
	if err != nil {
		return NoEvidence, err
	}
	want, err := s.wanted(t, found)
	switch {
	case err != nil:
		return NoEvidence, err
	case found == t.MarkerText():
		return ItCommitted, nil
	case found == "" && (want != "" || !s.young(t)):
		return NoEvidence, nil
	case found == want:
		return ItAborted, nil
	}
	return NoEvidence, s.strange(t.ID, found, want, true, true)
}

// Undecided is an error of CommitByHand and AbortByHand: nothing tells what
// became of the transaction, which is no longer open; only a person can.
type Undecided struct{ Transaction Transaction }

func (e *Undecided) Error() string {
	return e.Transaction.Describe() + ": it is not open any more, and nothing proves whether it was committed or aborted"
}

// CommitByHand commits by a person's decision. decided says that the person
// has looked and vouches for it where nothing proves the outcome.
func (s *Session) CommitByHand(ctx context.Context, t Transaction, decided bool) (Verdict, error) {
	if err := s.goneByHand(ctx, t); err != nil {
		return Verdict{}, err
	}
	err := s.retry(ctx, func() error { return s.c.Cluster.EndTxn(ctx, t.ID, t.Producer, true) })
	if err == nil {
		if err := s.goneByHand(ctx, t); err != nil {
			return Verdict{}, err
		}
		return s.committed(t, "committed by hand"), nil
	}
	if !fenced(err) {
		return Verdict{Detail: err.Error()}, s.explain(err)
	}
	e, rerr := s.Resolve(ctx, t)
	switch {
	case rerr != nil:
		return Verdict{}, rerr
	case e == ItCommitted:
		return s.committed(t, "its marker is there"), nil
	case e == ItAborted:
		return Verdict{}, &LostError{t, err}
	case decided:
		return s.committed(t, "declared committed by hand"), nil
	}
	return Verdict{}, &Undecided{t}
}

// goneByHand is a LostError if the transaction's topic is gone.
func (s *Session) goneByHand(ctx context.Context, t Transaction) error {
	remade, err := s.remadeTopics(ctx, []Transaction{t})
	if err != nil {
		return err
	}
	if why := remadeOf(t, remade); why != nil {
		return &LostError{t, why}
	}
	return nil
}

// AbortByHand gives a transaction up. One that turns out to be committed
// stays so, and the verdict says it.
func (s *Session) AbortByHand(ctx context.Context, t Transaction, decided bool) (Verdict, error) {
	givenUp := Verdict{Status: checkpoint.Lost, Detail: fmt.Sprintf("%d records given up by hand", t.Records)}
	remade, err := s.remadeTopics(ctx, []Transaction{t})
	if err != nil {
		return Verdict{}, err
	}
	if remadeOf(t, remade) != nil {
		givenUp.Marker, err = s.endGone(ctx, t)
		return givenUp, err
	}
	e, err := s.Resolve(ctx, t)
	switch {
	case err != nil:
		return Verdict{}, err
	case e == ItCommitted:
		return s.committed(t, "its marker is there"), nil
	case e == NoEvidence && !decided:
		return Verdict{}, &Undecided{t}
	}
	return givenUp, nil
}

// Abandon ends what is open on an id of this sink that no checkpoint covers.
func (s *Session) Abandon(ctx context.Context, id string) error {
	if _, ok := s.names.Parse(id); !ok {
		return exec.Fatal(fmt.Errorf("transactional.id %s is not one of this sink", id))
	}
	if _, err := s.initID(ctx, id); err != nil {
		return err
	}
	return s.AskOwner(ctx)
}

// SeemsOpen tells whether the cluster has the transaction open, which is no
// proof; a cluster that cannot say counts as yes.
func SeemsOpen(t Transaction, found client.TxnState, err error) bool {
	if codes.Is(err, codes.TxnIDNotFound) {
		return false
	}
	return err != nil || found.Open() && found.Producer == t.Producer
}

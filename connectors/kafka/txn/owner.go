package txn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// ErrOwnerExpired: the broker has forgotten the owner id; the sink starts
// anew, as at a process start.
var ErrOwnerExpired = fmt.Errorf("the broker has forgotten the sink's owner id (transactional.id.expiration.ms): %w", checkpoint.ErrRestart)

// ErrOwnerLate: the owner id has another epoch, by a request of this very
// process that had got no answer and was carried out late. The sink starts
// anew, as at a process start.
var ErrOwnerLate = fmt.Errorf("a request of this process for the sink's owner id was carried out late: %w", checkpoint.ErrRestart)

// takeOwner makes this process the owner; its epoch is the start number. The
// id's time-out has no use, for it never opens a transaction: it holds a
// nonce by which the process knows its own requests.
func (s *Session) takeOwner(ctx context.Context) error {
	id, nonce := s.names.Owner(), s.ownNonce()
	return s.retry(ctx, func() error {
		p, err := s.c.Cluster.InitProducerID(ctx, id, nonce)
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case err == nil:
			s.owner, s.owned = p, true
		case underWay(err):
			s.owed++
		}
		return s.explain(err)
	})
}

// ownNonce draws the nonce once: milliseconds between a tenth of what the
// broker allows and all of it.
func (s *Session) ownNonce() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nonce == 0 {
		most := cmp.Or(s.limit, s.c.Timeout).Milliseconds()
		least := most / 10
		s.nonce = time.Duration(least+1+rand.N(max(most-least, 1))) * time.Millisecond
	}
	return s.nonce
}

// AskOwner asks whether this process still owns the sink. It is asked after
// each InitProducerId, before anything is written, asked or decided:
// InitProducerId itself cannot tell owners apart.
func (s *Session) AskOwner(ctx context.Context) error {
	s.mu.Lock()
	owner := s.owner
	s.mu.Unlock()
	err := s.retry(ctx, func() error { return s.c.Cluster.EndTxn(ctx, s.names.Owner(), owner, false) })
	switch {
	case err == nil || codes.Is(err, codes.InvalidTxnState): // the embedded broker, Kafka
		return nil
	case codes.Is(err, codes.ProducerFenced, codes.InvalidProducerEpoch):
		return s.takenOver(ctx, owner)
	case codes.Is(err, codes.InvalidProducerMapping):
		s.mu.Lock()
		s.owned = false
		s.mu.Unlock()
		return ErrOwnerExpired
	}
	return s.explain(err)
}

// takenOver finds out by whom: another process, unless a request of ours may
// be carried out late and the id shows our nonce. Each such request explains
// one take-over.
func (s *Session) takenOver(ctx context.Context, was client.Producer) error {
	s.mu.Lock()
	found, owed, nonce := !s.owned || s.owner != was, s.owed, s.nonce
	s.mu.Unlock()
	if found { // by another writer, meanwhile
		return ErrOwnerLate
	}
	if owed == 0 || !s.shows(ctx, nonce) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return exec.Fatal(fmt.Errorf("another process writes with 'sink.transactional-id-prefix' = '%s' and took this sink over: stop one of the two, or give each a prefix of its own", s.c.Prefix))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owned && s.owner == was {
		s.owned, s.owed = false, s.owed-1
	}
	return ErrOwnerLate
}

// shows tells whether the last InitProducerId of the owner id came with this
// nonce. A cluster that cannot say counts as no.
func (s *Session) shows(ctx context.Context, nonce time.Duration) bool {
	var t client.TxnState
	err := s.retry(ctx, func() (err error) {
		t, err = s.c.Cluster.DescribeTransaction(ctx, s.names.Owner())
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.c.Log.Warn("the sink's owner id cannot be described, so another process is taken for its owner", "error", err)
	}
	return err == nil && t.Timeout == nonce
}

// explain makes errors that no restart can mend fatal.
func (s *Session) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case codes.Authorization(err), codes.Is(err, codes.InvalidTxnTimeout, codes.SASLAuthentication, codes.UnsupportedVersion):
		return exec.Fatal(err)
	}
	return err
}

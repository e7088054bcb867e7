package txn

import (
	"context"
	"fmt"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// ErrOwnerExpired: the broker has forgotten the owner id; the sink starts
// anew, as at a process start.
var ErrOwnerExpired = fmt.Errorf("the broker has forgotten the sink's owner id (transactional.id.expiration.ms): %w", checkpoint.ErrRestart)

// takeOwner makes this process the owner; its epoch is the start number.
func (s *Session) takeOwner(ctx context.Context) error {
	id := s.names.Owner()
	return s.retry(ctx, func() error {
		p, err := s.c.Cluster.InitProducerID(ctx, id, s.c.Timeout)
		if err != nil {
			return s.explain(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.owner, s.owned = p, true
		return nil
	})
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
		return exec.Fatal(fmt.Errorf("another process writes with 'sink.transactional-id-prefix' = '%s' and took this sink over: stop one of the two, or give each a prefix of its own", s.c.Prefix))
	case codes.Is(err, codes.InvalidProducerMapping):
		s.mu.Lock()
		s.owned = false
		s.mu.Unlock()
		return ErrOwnerExpired
	}
	return s.explain(err)
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

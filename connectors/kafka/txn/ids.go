package txn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
)

// Keys of the journal.
const (
	keyStarted = "started" // a start on this directory went through
	keyID      = "id/"     // + transactional.id: it was, or is about to be, used
	keyMarker  = "marker/" // + transactional.id: the marker of its last committed transaction
	keyTopic   = "topic/"  // + transactional.id: the id of the topic that this marker lies in, if it is known
)

// loadIDs learns the ids in the journal and those that the cluster lists.
func (s *Session) loadIDs(ctx context.Context) error {
	err := s.c.Journal.Scan(keyID, func(key string, _ []byte) error {
		return s.know(strings.TrimPrefix(key, keyID))
	})
	if err != nil {
		return err
	}
	var listed []string
	err = s.retry(ctx, func() (err error) {
		listed, err = s.c.Cluster.TransactionalIDs(ctx)
		return err
	})
	if codes.Authorization(err) || codes.Is(err, codes.UnsupportedVersion) {
		s.c.Log.Warn("transactions cannot be listed: those of an older process are found by this state directory's record only", "error", err)
		return nil
	}
	for _, id := range listed {
		s.know(id)
	}
	return err
}

// know remembers an id of this sink; others are left alone.
func (s *Session) know(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if parsed, ok := s.names.Parse(id); ok {
		s.known[id] = parsed
	}
	return nil
}

// knownIDs are sorted: by writer, pool, slot.
func (s *Session) knownIDs(keep func(string, ID) bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for id, parsed := range s.known {
		if keep(id, parsed) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// takeOver fences ids: what an older process left open there is aborted, and
// what it still sends is refused. Ids whose request got no answer are parked.
func (s *Session) takeOver(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if _, err := s.initID(ctx, id); err != nil {
			return err
		}
		s.mu.Lock()
		s.taken[id] = true
		s.mu.Unlock()
	}
	return nil
}

// initID sends InitProducerId until it is answered. If one got no answer the
// id is parked: that request may arrive later, over a transaction of ours.
func (s *Session) initID(ctx context.Context, id string) (client.Producer, error) {
	var p client.Producer
	err := s.retry(ctx, func() (err error) {
		p, err = s.c.Cluster.InitProducerID(ctx, id, s.c.Timeout)
		if underWay(err) {
			s.park(id)
		}
		return err
	})
	return p, s.explain(err)
}

func (s *Session) park(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parked[id] = true
}

// errNoID: the pool is exhausted and may not grow.
var errNoID = errors.New("no transactional.id is free")

// reserve takes a free id of the writer for its next transaction, growing the
// pool if none is free. It is in the journal when reserve returns.
func (s *Session) reserve(writer int) (string, error) {
	s.mu.Lock()
	id := s.freeLocked(writer)
	_, known := s.known[id]
	if id != "" {
		s.open[id] = true
	}
	s.mustHold()
	s.mu.Unlock()
	if id == "" {
		return "", fmt.Errorf("%w: all %d of writer %d are held by unfinished checkpoints; allow fewer concurrent checkpoints, make them faster, pause longer between them, or raise 'sink.transaction-pool-max'",
			errNoID, s.c.PoolMax, writer)
	}
	if !known {
		if err := s.c.Journal.Put(keyID+id, []byte{1}); err != nil {
			s.release(id)
			return "", err
		}
		s.know(id)
	}
	return id, nil
}

// freeLocked returns "" if no id is free even with the pool at its greatest.
func (s *Session) freeLocked(writer int) string {
	for slot := range s.c.PoolMax {
		id := s.names.Of(ID{writer, s.pool(), slot})
		_, held := s.held[id]
		if held || s.open[id] || s.parked[id] {
			continue
		}
		if slot >= max(s.size[writer], s.c.PoolSize) {
			s.size[writer] = slot + 1
			s.c.Log.Info("the sink's pool of transactional.ids grows", "writer", writer, "ids", slot+1)
		}
		return id
	}
	return ""
}

// CanGoOn tells whether the writer could begin another transaction after the
// one it has open.
func (s *Session) CanGoOn(writer int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.freeLocked(writer) != ""
}

func (s *Session) release(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
}

// Open is a transaction that a writer may write in.
type Open struct {
	ID       string
	Producer client.Producer
}

// Begin gives the writer a transaction: a free id, InitProducerId, and the
// question whether the sink is still ours. Kafka knows of it at the first
// AddPartitions. An id whose InitProducerId got no answer stays parked, and
// another one is tried once the owner id answers, so that a broker that is
// away does not use up the ids.
func (s *Session) Begin(ctx context.Context, writer int) (Open, error) {
	return s.begins(ctx, writer, s.c.Timeout)
}

func (s *Session) begins(ctx context.Context, writer int, timeout time.Duration) (Open, error) {
	deadline := s.c.Clock.Now().Add(s.c.Patience)
	for {
		id, err := s.reserve(writer)
		if err != nil {
			return Open{}, err
		}
		p, initErr := s.initOnce(ctx, id, timeout)
		err = s.explain(initErr)
		if err == nil || underWay(initErr) {
			err = s.AskOwner(ctx)
		}
		if err == nil && initErr == nil {
			return Open{id, p}, nil
		}
		s.release(id)
		if err != nil || ctx.Err() != nil || s.c.Clock.Now().After(deadline) {
			return Open{}, errors.Join(err, initErr)
		}
	}
}

// initOnce sends InitProducerId again only where the one before was answered,
// or not sent.
func (s *Session) initOnce(ctx context.Context, id string, timeout time.Duration) (client.Producer, error) {
	var p client.Producer
	repeat := func(err error) bool { return again(err) || unsent(err) }
	err := retry(ctx, s.c.Clock, s.c.Patience, repeat, func() (err error) {
		p, err = s.c.Cluster.InitProducerID(ctx, id, timeout)
		return err
	})
	if underWay(err) {
		s.park(id)
	}
	return p, err
}

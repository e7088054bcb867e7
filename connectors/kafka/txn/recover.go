package txn

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
)

// Start is steps 0 to 2 of the recovery, at process start: read the markers
// and refuse early, before anything is fenced; become the owner; take over
// every id that is not pending; read their markers again, now stable. That
// comparison counts.
//
// After Restarted it does nothing: the sink is ours already, and only ids of
// our own pool are taken over, in Recover.
func (s *Session) Start(ctx context.Context, pending []Transaction) error {
	s.begin(pending)
	if s.isInside() {
		return nil
	}
	if err := s.checkTimeouts(ctx); err != nil {
		return err
	}
	if err := s.loadIDs(ctx); err != nil {
		return err
	}
	all := s.knownIDs(func(string, ID) bool { return true })
	if err := s.compare(ctx, all, pending, false); err != nil {
		return err
	}
	if err := s.takeOwner(ctx); err != nil {
		return err
	}
	// Once more: an older process may have used another id since.
	if err := s.loadIDs(ctx); err != nil {
		return err
	}
	rest := s.knownIDs(func(id string, _ ID) bool { return !isPending(pending, id) })
	if err := s.takeOver(ctx, rest); err != nil {
		return err
	}
	if err := s.compare(ctx, rest, nil, true); err != nil {
		return err
	}
	started, err := s.c.Journal.Get(keyStarted)
	if err != nil || started != nil {
		return err
	}
	return s.c.Journal.Put(keyStarted, []byte{1})
}

// Restarted says that the job restarts inside the process. If the sink is not
// ours any more (the owner id expired), or never was in full (the start
// failed), Start and Recover do as at a process start.
func (s *Session) Restarted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside = s.owned && s.recovered
}

// begin drops what the process knew of open transactions: the writers are
// gone.
func (s *Session) begin(pending []Transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recovers, s.recovery = true, recovery{map[string]*lostInRecovery{}, map[string]bool{}}
	s.open, s.held, s.taken = map[string]bool{}, map[string]client.Producer{}, map[string]bool{}
	for _, t := range pending {
		if id, ok := s.names.Parse(t.ID); ok {
			s.known[t.ID] = id
		}
		s.held[t.ID] = t.Producer
	}
}

func (s *Session) isInside() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inside && s.owned
}

func isPending(pending []Transaction, id string) bool {
	return slices.ContainsFunc(pending, func(t Transaction) bool { return t.ID == id })
}

// Recover is step 4, when the outcomes of the pending list are stored: take
// over and compare the ids that were resolved, and ask the owner id. Only
// then writers open. keep are the transactions that are still unknown; none
// that has a log may be: a running job could not write it anew, and the rows
// that follow would come before it.
func (s *Session) Recover(ctx context.Context, keep []Transaction) error {
	for _, t := range keep {
		if t.Log != "" {
			return fmt.Errorf("%s: it is not known yet whether it was committed, and with 'sink.pre-commit-log' nothing is written before it is; see the warnings above, and start again when the brokers answer", t.Describe())
		}
	}
	if s.lostOwner() {
		if err := s.Start(ctx, keep); err != nil {
			return err
		}
	}
	s.keepOnly(keep)
	rest := s.toTake(keep)
	if err := s.takeOver(ctx, rest); err != nil {
		return err
	}
	if err := s.compare(ctx, rest, nil, true); err != nil {
		return err
	}
	if err := s.AskOwner(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recovered, s.recovers = true, false
	return nil
}

func (s *Session) lostOwner() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.owned {
		s.inside = false
	}
	return !s.owned
}

func (s *Session) keepOnly(keep []Transaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open, s.held = map[string]bool{}, map[string]client.Producer{}
	for _, t := range keep {
		s.held[t.ID] = t.Producer
	}
}

// toTake lists what was not taken over yet. After a restart inside the
// process only our own pool is ours to take.
func (s *Session) toTake(keep []Transaction) []string {
	s.mu.Lock()
	taken, pool, inside := s.taken, s.pool(), s.inside
	if inside {
		taken = nil
	}
	s.taken = map[string]bool{}
	s.mu.Unlock()
	return s.knownIDs(func(id string, parsed ID) bool {
		return !taken[id] && !isPending(keep, id) && (!inside || parsed.Pool == pool)
	})
}

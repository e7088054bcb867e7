package checkpoint

import (
	"fmt"
	"slices"
)

// garbage is what nothing kept needs.
type garbage struct {
	metas    []keptMeta
	outcomes []string
	refs     []uint64
}

// Retain deletes metadata first, durably and together with its outcomes: a
// chunk must not go before the metadata that names it.
func (s *KVStore) Retain(keep int) error {
	if keep < 1 {
		return fmt.Errorf("cannot keep %d checkpoints, expected 1 or more", keep)
	}
	g, err := s.garbage(keep)
	if err != nil {
		return err
	}
	if err := s.deleteMetas(g); err != nil {
		return fmt.Errorf("old checkpoints: %w", err)
	}
	if err := s.deleteChunks(g); err != nil {
		return fmt.Errorf("old state chunks: %w", err)
	}
	if t, ok := s.eng.(Tidier); ok {
		return t.Tidy()
	}
	return nil
}

// garbage: the newest keep ones and all savepoints stay.
func (s *KVStore) garbage(keep int) (g garbage, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return g, s.broken
	}
	pending, refs := map[string]struct{}{}, map[uint64]struct{}{}
	newer := 0
	for _, k := range slices.Backward(s.kept) {
		if k.kind != Savepoint {
			newer++
			if newer > keep {
				g.metas = append(g.metas, k)
				continue
			}
		}
		for _, p := range k.pending {
			for _, key := range s.lineOf(p) {
				pending[key] = struct{}{}
			}
		}
		addRefs(refs, k)
	}
	s.told = [2]ID{s.newest(), s.told[0]}
	s.former = s.builtUpon(append(s.former, g.metas...))
	for _, k := range s.former {
		addRefs(refs, k)
	}
	for key := range s.settled {
		if _, ok := pending[key]; !ok {
			g.outcomes = append(g.outcomes, key)
		}
	}
	for ref := range s.chunks {
		if _, ok := refs[ref]; !ok && ref < s.floor {
			g.refs = append(g.refs, ref)
		}
	}
	return g, nil
}

func addRefs(refs map[uint64]struct{}, k keptMeta) {
	for _, r := range k.refs {
		refs[r] = struct{}{}
	}
}

// builtUpon selects what a checkpoint in flight, or one begun now, may build
// upon.
func (s *KVStore) builtUpon(metas []keptMeta) []keptMeta {
	oldest := s.told[1]
	for _, f := range s.flights {
		oldest = min(oldest, f.base)
	}
	return slices.DeleteFunc(metas, func(k keptMeta) bool { return k.id < oldest })
}

func (s *KVStore) deleteMetas(g garbage) error {
	var entries []Entry
	for _, k := range g.metas {
		entries = append(entries, Entry{metaKey(k.id), nil})
	}
	for _, key := range g.outcomes {
		entries = append(entries, Entry{preOutcome + key, nil})
	}
	if len(entries) == 0 {
		return nil
	}
	if err := s.eng.Apply(entries); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = slices.DeleteFunc(s.kept, func(k keptMeta) bool {
		return slices.ContainsFunc(g.metas, func(d keptMeta) bool { return d.id == k.id })
	})
	for _, key := range g.outcomes {
		delete(s.settled, key)
		delete(s.heirs, key)
	}
	return nil
}

func (s *KVStore) deleteChunks(g garbage) error {
	if len(g.refs) == 0 {
		return nil
	}
	keys := make([]string, len(g.refs))
	for i, ref := range g.refs {
		keys[i] = chunkKey(ref)
	}
	if err := s.eng.DeleteBulk(keys); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ref := range g.refs {
		delete(s.chunks, ref)
	}
	return nil
}

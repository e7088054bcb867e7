package checkpoint

import "fmt"

func (s *KVStore) SaveOutcomes(list []Outcome) error {
	var entries []Entry
	var keys []string
	for _, o := range list {
		if !o.Final() {
			continue
		}
		entries = append(entries, Entry{outcomeKey(o.Committable), EncodeOutcome(o)})
		keys = append(keys, o.Committable.Key())
		prefix := journalPrefix(o.Committable.Writer.UID)
		for _, j := range o.Journal {
			entries = append(entries, Entry{prefix + j.Key, j.Value})
		}
	}
	if len(entries) == 0 {
		return nil
	}
	if err := s.eng.Apply(entries); err != nil {
		return fmt.Errorf("outcomes of transactions: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		s.settled[k] = struct{}{}
	}
	return nil
}

func (s *KVStore) Outcomes() ([]Outcome, error) {
	var list []Outcome
	err := s.eng.Scan(preOutcome, false, func(key string, rec []byte) error {
		o, err := DecodeOutcome(rec)
		if err != nil {
			return s.refuse(fmt.Errorf("%s: %w", key, err))
		}
		list = append(list, o)
		return nil
	})
	return list, err
}

func (s *KVStore) Journal(uid string) Journal { return kvJournal{s.eng, journalPrefix(uid)} }

// kvJournal is one operator's part of the map.
type kvJournal struct {
	eng    Engine
	prefix string
}

func (j kvJournal) Put(key string, value []byte) error {
	if value == nil {
		value = []byte{} // nil would delete
	}
	if err := j.eng.Room(int64(len(value))); err != nil {
		return err
	}
	return j.eng.Apply([]Entry{{j.prefix + key, value}})
}

func (j kvJournal) Get(key string) ([]byte, error) { return j.eng.Get(j.prefix + key) }

func (j kvJournal) Scan(prefix string, f func(key string, value []byte) error) error {
	return j.eng.Scan(j.prefix+prefix, false, func(key string, value []byte) error {
		return f(key[len(j.prefix):], value)
	})
}

func (j kvJournal) Delete(key string) error { return j.eng.Apply([]Entry{{j.prefix + key, nil}}) }

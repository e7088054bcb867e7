package checkpoint

import "fmt"

func (s *KVStore) SaveOutcomes(list []Outcome) error {
	var entries []Entry
	var final []Outcome
	for _, o := range list {
		if !o.Final() {
			continue
		}
		entries = append(entries, Entry{outcomeKey(o.Committable), EncodeOutcome(o)})
		final = append(final, o)
		prefix := journalPrefix(o.Committable.Writer.UID)
		for _, j := range o.Journal {
			entries = append(entries, Entry{prefix + j.Key, j.Value})
		}
	}
	if len(entries) == 0 {
		return nil
	}
	losses := s.lossesWith(final)
	if losses != s.Losses() {
		entries = append(entries, Entry{keyLosses, losses.encode()})
	}
	if err := s.eng.Apply(entries); err != nil {
		return fmt.Errorf("outcomes of transactions: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.losses = losses
	for _, o := range final {
		s.noteOutcome(o)
	}
	return nil
}

func (s *KVStore) noteOutcome(o Outcome) {
	key := o.Committable.Key()
	s.settled[key] = struct{}{}
	if o.Status == Replaced {
		s.heirs[key] = *o.Replacement
	}
}

// lineOf is the committable's key and those of its successive replacements.
func (s *KVStore) lineOf(key string) []string {
	line := []string{key}
	for heir, ok := s.heirs[key]; ok; heir, ok = s.heirs[key] {
		key = heir.Key()
		line = append(line, key)
	}
	return line
}

// lossesWith counts what is lost by outcomes that are not stored yet.
func (s *KVStore) lossesWith(list []Outcome) Losses {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.losses
	for _, o := range list {
		if _, known := s.settled[o.Committable.Key()]; o.Status == Lost && !known {
			sum.Committables++
			sum.Records += o.Records
		}
	}
	return sum
}

func (s *KVStore) Losses() Losses {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.losses
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

func (j kvJournal) Apply(entries []Entry) error {
	list := make([]Entry, len(entries))
	values := 0
	for i, e := range entries {
		list[i] = Entry{j.prefix + e.Key, e.Value}
		values += len(e.Value)
	}
	if values > 0 {
		if err := j.eng.Room(int64(values)); err != nil {
			return err
		}
	}
	return j.eng.Apply(list)
}

func (j kvJournal) Delete(key string) error { return j.eng.Apply([]Entry{{j.prefix + key, nil}}) }

package checkpoint

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint/mutant"
)

// KVStore is a Store over an Engine. It holds all that makes a directory
// trustworthy, so that Badger and memory behave the same.
//
// Invariants:
//   - LATEST never names a checkpoint that is not durable;
//   - every chunk that a kept metadata names is in chunks;
//   - a chunk is deleted only if no kept metadata names it, it was put before
//     the newest stored checkpoint was begun (later ones may belong to one in
//     flight), and no checkpoint in flight may build upon a metadata that
//     names it.
type KVStore struct {
	eng   Engine
	where string // for messages
	rec   jobRecord
	start uint64

	mu      sync.Mutex
	begun   ID
	flights map[ID]begin // begun and not below the newest stored
	floor   uint64       // that of the newest stored: chunks below it are in no checkpoint in flight
	nextRef uint64
	chunks  map[uint64]struct{}
	kept    []keptMeta // by ID
	former  []keptMeta // no longer kept, but one in flight may build upon it
	told    [2]ID      // newest stored at the last Retain, and at the one before it
	settled map[string]struct{}
	heirs   map[string]Committable // of those settled as Replaced, by key
	losses  Losses
	broken  error // a metadata may or may not be durable: nothing can be stored or deleted any more
}

var _ Store = (*KVStore)(nil)

// begin is how things stood when a checkpoint was begun.
type begin struct {
	ref  uint64 // nextRef: its own chunks are not below
	base ID     // its subtasks build upon this stored checkpoint, or a later one
}

// keptMeta is what retention and listing need to know of a metadata.
type keptMeta struct {
	id       ID
	kind     Kind
	finished bool
	time     time.Time
	refs     []uint64
	pending  []string // keys
}

func digest(m *Metadata) keptMeta {
	k := keptMeta{id: m.ID, kind: m.Kind, finished: m.Finished, time: time.UnixMilli(m.TimeMillis).UTC(), refs: m.Chunks()}
	for _, p := range m.Pending {
		k.pending = append(k.pending, p.Key())
	}
	return k
}

func (s *KVStore) RunID() string { return s.rec.runID }
func (s *KVStore) Start() uint64 { return s.start }

// Job returns what the directory was made for.
func (s *KVStore) Job() Job { return s.rec.job }

func (s *KVStore) NextID() ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.begun, s.newest()) + 1
}

// newest is the ID of the newest kept metadata, 0 if there is none.
func (s *KVStore) newest() ID {
	if len(s.kept) == 0 {
		return 0
	}
	return s.kept[len(s.kept)-1].id
}

func (s *KVStore) Begin(id ID) error {
	if last := s.NextID() - 1; id <= last {
		return fmt.Errorf("checkpoint %d cannot begin: %d has begun already", id, last)
	}
	if err := s.eng.Room(0); err != nil {
		return err
	}
	if err := s.eng.Apply([]Entry{{keyBegun, decimal(uint64(id))}}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = id
	// Subtasks build upon the newest checkpoint whose completion they were
	// told; they are told before Retain. One Retain more, for they may be slow.
	s.flights[id] = begin{s.nextRef, s.told[1]}
	return nil
}

func (s *KVStore) PutChunk(data []byte) (uint64, error) {
	rec := encodeChunk(data)
	if err := s.eng.Room(int64(len(rec))); err != nil {
		return 0, err
	}
	s.mu.Lock()
	ref := s.nextRef
	s.nextRef++
	s.mu.Unlock()
	if err := s.eng.Put(chunkKey(ref), rec); err != nil {
		return 0, err
	}
	s.mu.Lock()
	s.chunks[ref] = struct{}{}
	s.mu.Unlock()
	return ref, nil
}

func (s *KVStore) GetChunk(ref uint64) ([]byte, error) {
	rec, err := s.eng.Get(chunkKey(ref))
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, fmt.Errorf("%w: state chunk %x in %s", ErrNotFound, ref, s.where)
	}
	data, err := decodeChunk(ref, rec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %s", s.where, err, remedy)
	}
	return data, nil
}

func (s *KVStore) Save(m *Metadata) error {
	k := digest(m)
	if err := s.savable(k); err != nil {
		return err
	}
	rec := m.Encode()
	if err := s.eng.Room(int64(len(rec))); err != nil {
		return err
	}
	if err := s.eng.Flush(); err != nil {
		return fmt.Errorf("state chunks of checkpoint %d: %w", m.ID, err)
	}
	if mutant.Is(mutant.SkipSync) {
		s.noteSaved(k, nil)
		return s.eng.Put(metaKey(m.ID), rec)
	}
	err := s.eng.Apply([]Entry{{metaKey(m.ID), rec}})
	if err = s.noteSaved(k, err); err != nil {
		return fmt.Errorf("metadata of checkpoint %d: %w", m.ID, err)
	}
	if err := s.eng.WriteLatest(latestRecord{m.ID, s.rec.runID}.encode()); err != nil {
		return fmt.Errorf("file LATEST for checkpoint %d: %w", m.ID, err)
	}
	s.raiseFloor(m.ID)
	return nil
}

// noteSaved: after an error other than that of the check before writing, the
// metadata may be there. Then its chunks must stay until the next open, and
// the error is ErrUnusable: a restart inside the process would begin at the
// checkpoint before, and abort transactions that this one may cover.
func (s *KVStore) noteSaved(k keptMeta, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.kept = append(s.kept, k)
	case !errors.Is(err, ErrNoSpace):
		s.broken = fmt.Errorf("%s: %w: %w", s.where, ErrUnusable, err)
		return s.broken
	}
	return err
}

func (s *KVStore) savable(k keptMeta) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if k.id <= s.newest() {
		return fmt.Errorf("checkpoint %d cannot be stored after %d", k.id, s.newest())
	}
	for _, ref := range k.refs {
		if _, ok := s.chunks[ref]; !ok {
			return fmt.Errorf("checkpoint %d names state chunk %x, which was never stored", k.id, ref)
		}
	}
	return nil
}

// raiseFloor: everything put before id was begun belongs to it or to an
// older checkpoint, and those are no longer in flight.
func (s *KVStore) raiseFloor(id ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.flights[id]; ok {
		s.floor = f.ref
	}
	for old := range s.flights {
		if old <= id {
			delete(s.flights, old)
		}
	}
}

// Latest brings the file LATEST up first: what it returns is going to be
// committed, and a Save may have failed between metadata and LATEST.
func (s *KVStore) Latest() (*Metadata, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest() == 0 {
		return nil, nil
	}
	if err := s.alignLatest(); err != nil {
		return nil, fmt.Errorf("file LATEST: %w", err)
	}
	m, err := s.load(s.newest())
	if err != nil {
		return nil, err
	}
	var open []Committable
	for _, p := range m.Pending {
		for heir, ok := s.heirs[p.Key()]; ok; heir, ok = s.heirs[p.Key()] {
			p = heir
		}
		if _, ok := s.settled[p.Key()]; !ok {
			open = append(open, p)
		}
	}
	m.Pending = open
	return m, nil
}

func (s *KVStore) Load(id ID) (*Metadata, error) { return s.load(id) }

func (s *KVStore) load(id ID) (*Metadata, error) {
	rec, err := s.eng.Get(metaKey(id))
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, fmt.Errorf("%w: checkpoint %d in %s", ErrNotFound, id, s.where)
	}
	m, err := DecodeMetadata(rec)
	if err != nil {
		return nil, fmt.Errorf("%s, checkpoint %d: %w", s.where, id, err)
	}
	return m, nil
}

func (s *KVStore) List() ([]Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Info, 0, len(s.kept))
	for _, k := range s.kept {
		i := Info{ID: k.id, Kind: k.kind, Finished: k.finished, Time: k.time, Chunks: len(k.refs), Pending: len(k.pending)}
		for _, p := range k.pending {
			line := s.lineOf(p)
			if _, ok := s.settled[line[len(line)-1]]; !ok {
				i.Unsettled++
			}
		}
		i.Latest = k.id == s.newest()
		list = append(list, i)
	}
	return list, nil
}

func (s *KVStore) Close() error { return s.eng.Close() }

func decimal(n uint64) []byte { return strconv.AppendUint(nil, n, 10) }

const remedy = "put back a copy of the directory, or start anew with --fresh"

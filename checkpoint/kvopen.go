package checkpoint

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

// OpenKVStore opens or makes the state of a job on an engine. where names
// the directory in messages. The caller closes the engine if this fails.
func OpenKVStore(eng Engine, where string, job Job) (*KVStore, error) {
	s, err := readKVStore(eng, where)
	if errors.Is(err, errEmpty) {
		return makeKVStore(eng, where, job)
	}
	if err != nil {
		return nil, err
	}
	if s.rec.job.Hash != job.Hash {
		return nil, fmt.Errorf("%w: %s: %s; use another --state-dir or pipeline.name, or set it aside with --fresh",
			ErrOtherJob, where, s.rec.job.differs(job))
	}
	return s, s.countStart()
}

// InspectKVStore opens an existing state for commands that only look at it or
// settle transactions: any job, and no start is counted.
func InspectKVStore(eng Engine, where string) (*KVStore, error) {
	s, err := readKVStore(eng, where)
	if errors.Is(err, errEmpty) {
		return nil, fmt.Errorf("%w: %s holds no job", ErrNotFound, where)
	}
	return s, err
}

var errEmpty = errors.New("empty state directory")

func makeKVStore(eng Engine, where string, job Job) (*KVStore, error) {
	var id [8]byte
	rand.Read(id[:]) // never fails (crypto/rand)
	s := newKVStore(eng, where)
	s.rec = jobRecord{runID: hex.EncodeToString(id[:]), job: job}
	if err := eng.Room(0); err != nil {
		return nil, err
	}
	if err := eng.Apply([]Entry{{keyJob, s.rec.encode()}}); err != nil {
		return nil, err
	}
	return s, s.countStart()
}

func newKVStore(eng Engine, where string) *KVStore {
	return &KVStore{
		eng: eng, where: where, flights: map[ID]begin{},
		chunks: map[uint64]struct{}{}, settled: map[string]struct{}{}, heirs: map[string]Committable{},
	}
}

// countStart numbers this process start; chunk references begin with it.
func (s *KVStore) countStart() error {
	s.start++
	s.nextRef = firstRef(s.start)
	s.floor = s.nextRef // chunks of earlier starts are in no checkpoint in flight
	s.told = [2]ID{s.newest(), s.newest()}
	return s.eng.Apply([]Entry{{keyStart, decimal(s.start)}})
}

// readKVStore reads and checks all but the chunks' bytes.
func readKVStore(eng Engine, where string) (*KVStore, error) {
	s := newKVStore(eng, where)
	rec, err := eng.Get(keyJob)
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, s.checkEmpty()
	}
	if s.rec, err = decodeJob(rec); err != nil {
		return nil, s.refuse(err)
	}
	for _, read := range []func() error{s.readCounters, s.readChunks, s.readMetas, s.readOutcomes, s.checkLatest, s.checkChunks} {
		if err := read(); err != nil {
			return nil, s.refuse(err)
		}
	}
	return s, nil
}

// refuse adds the folder, and the remedy if there is one.
func (s *KVStore) refuse(err error) error {
	if errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%s: %w; %s", s.where, err, remedy)
	}
	return fmt.Errorf("%s: %w", s.where, err)
}

// checkEmpty: without a job record there may be nothing else either. (The
// loss of a flipped byte takes every later key with it, the first included.)
func (s *KVStore) checkEmpty() error {
	latest, err := s.eng.ReadLatest()
	if err != nil {
		return err
	}
	if latest != nil {
		return s.refuse(fmt.Errorf("%w: there is a file LATEST but no job in the database", ErrCorrupt))
	}
	err = s.eng.Scan("", true, func(key string, _ []byte) error {
		return fmt.Errorf("%w: there is key %q but no job in the database", ErrCorrupt, key)
	})
	if err != nil {
		return s.refuse(err)
	}
	return errEmpty
}

func (s *KVStore) readCounters() error {
	start, err := s.number(keyStart)
	if err != nil {
		return err
	}
	begun, err := s.number(keyBegun)
	s.start, s.begun = start, ID(begun)
	return err
}

func (s *KVStore) number(key string) (uint64, error) {
	v, err := s.eng.Get(key)
	if err != nil || v == nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(v), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%w: key %s is %q, expected a number", ErrCorrupt, key, v)
	}
	return n, nil
}

func (s *KVStore) readChunks() error {
	return s.eng.Scan(preChunk, true, func(key string, _ []byte) error {
		ref, err := chunkRef(key)
		s.chunks[ref] = struct{}{}
		return err
	})
}

func (s *KVStore) readMetas() error {
	return s.eng.Scan(preMeta, false, func(key string, rec []byte) error {
		id, err := metaID(key)
		if err != nil {
			return err
		}
		m, err := DecodeMetadata(rec)
		if err != nil {
			return fmt.Errorf("checkpoint %d: %w", id, err)
		}
		if m.ID != id || m.RunID != "" && m.RunID != s.rec.runID {
			return fmt.Errorf("%w: checkpoint %d holds metadata of checkpoint %d, run %s", ErrCorrupt, id, m.ID, m.RunID)
		}
		s.kept = append(s.kept, digest(m))
		return nil
	})
}

func (s *KVStore) readOutcomes() error {
	err := s.eng.Scan(preOutcome, false, func(key string, rec []byte) error {
		o, err := DecodeOutcome(rec)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		s.noteOutcome(o)
		return nil
	})
	if err != nil {
		return err
	}
	rec, err := s.eng.Get(keyLosses)
	if err != nil || rec == nil {
		return err
	}
	s.losses, err = decodeLosses(rec)
	return err
}

// checkLatest: the database must hold what LATEST promises; commits may have
// been made on the strength of it.
func (s *KVStore) checkLatest() error {
	rec, err := s.eng.ReadLatest()
	if err != nil || rec == nil {
		return err
	}
	l, err := decodeLatest(rec)
	if err != nil {
		return err
	}
	if l.runID != s.rec.runID {
		return fmt.Errorf("%w: file LATEST is of run %s, the database of run %s", ErrCorrupt, l.runID, s.rec.runID)
	}
	if l.id > s.newest() {
		return fmt.Errorf("%w: file LATEST names checkpoint %d, the newest in the database is %d", ErrCorrupt, l.id, s.newest())
	}
	return nil
}

func (s *KVStore) checkChunks() error {
	for _, k := range s.kept {
		for _, ref := range k.refs {
			if _, ok := s.chunks[ref]; !ok {
				return fmt.Errorf("%w: checkpoint %d needs state chunk %x, which is gone", ErrCorrupt, k.id, ref)
			}
		}
	}
	return nil
}

// alignLatest brings LATEST up to the newest metadata: a crash, or an error,
// may have come between the two.
func (s *KVStore) alignLatest() error {
	if s.newest() == 0 {
		return nil
	}
	rec := latestRecord{s.newest(), s.rec.runID}.encode()
	old, err := s.eng.ReadLatest()
	if err != nil || string(old) == string(rec) {
		return err
	}
	return s.eng.WriteLatest(rec)
}

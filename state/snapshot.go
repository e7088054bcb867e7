package state

import (
	"errors"
	"slices"
	"sync"
)

// Snapshot is the state of a backend at a barrier.
//
// The subtask's goroutine makes it (Backend.Freeze) and tells its end (Completed, if its checkpoint is complete). Between,
// one goroutine calls Write once, while the subtask goes on. Release ends copy-on-write: it is called in any case, from any
// goroutine; more than once does no harm. A Write that is still running then returns ErrAbandoned.
type Snapshot struct {
	backend *Backend
	epoch   uint64
	base    *base // what it builds upon
	tables  []*tableImage
	values  []namedBytes

	mu       sync.Mutex
	writing  bool
	released bool
	written  *base // nil until Write has succeeded
}

// ErrAbandoned is the error of a Write whose snapshot was released meanwhile: its checkpoint was aborted.
var ErrAbandoned = errors.New("state snapshot was abandoned")

type namedBytes struct {
	name string
	data []byte
}

// Written is the outcome of Snapshot.Write.
type Written struct {
	Manifest []byte   // goes into the checkpoint's metadata
	Refs     []uint64 // all chunks that the manifest needs, ascending
	New      []uint64 // those of Refs that this Write stored
	Dropped  []uint64 // chunks of the snapshot that this one builds upon which it does not need: garbage once no kept checkpoint has them
	Bytes    int64    // stored by this Write, manifest included
}

// Freeze keeps the present state for a snapshot. Its cost is that of copying the page tables; pages are copied when they are
// next written.
func (b *Backend) Freeze() (*Snapshot, error) {
	if err := b.CheckClaimed(); err != nil {
		return nil, err
	}
	if invariants {
		b.mustHold()
	}
	s := &Snapshot{backend: b, base: b.base}
	for _, t := range b.tables {
		s.tables = append(s.tables, t.freeze(b.base.epoch))
	}
	for _, v := range b.values {
		if v.set {
			s.values = append(s.values, namedBytes{v.name, v.data})
		}
	}
	s.epoch = b.clk.freeze()
	return s, nil
}

// Write stores what changed since the last completed snapshot, and rewrites what lives in chunks that are mostly garbage, so
// that chunks take at most about twice what lives. If it fails, or the checkpoint is aborted after it, the chunks in New are
// garbage, and the next snapshot is complete without them.
func (s *Snapshot) Write(w ChunkWriter) (Written, error) {
	s.mu.Lock()
	if s.released || s.writing || s.written != nil {
		s.mu.Unlock()
		return Written{}, ErrAbandoned
	}
	s.writing = true
	s.mu.Unlock()
	next, out, err := s.store(w)
	if err == nil {
		out.Manifest = appendManifest(s, next)
		out.Bytes += int64(len(out.Manifest))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing = false
	if s.released {
		s.forget()
	}
	if err != nil {
		return Written{}, err
	}
	s.written = next
	return out, nil
}

// Release ends copy-on-write for this snapshot.
func (s *Snapshot) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return
	}
	s.released = true
	if !s.writing {
		s.forget()
	}
}

// forget lets go of the pages. Called with mu held, when no Write is running.
func (s *Snapshot) forget() {
	s.backend.clk.release(s.epoch)
	s.tables = nil
}

func (s *Snapshot) abandoned() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.released
}

// Completed says that the checkpoint with this snapshot is durable: the next one builds upon it. Called from the subtask's
// goroutine, at most once; not for an aborted checkpoint. Completions may be skipped or come late, but after that of a later
// snapshot this one's is without effect.
func (s *Snapshot) Completed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written != nil && s.written.epoch > s.backend.base.epoch {
		s.backend.base = s.written
	}
}

// store writes pages and returns where everything lies now.
func (s *Snapshot) store(w ChunkWriter) (*base, Written, error) {
	plan := s.plan()
	next := &base{epoch: s.epoch, sets: map[string]*setLocs{}}
	p := &packer{w: w}
	var page []byte
	for _, t := range s.tables {
		for _, set := range t.sets {
			locs, err := plan.write(set, p, &page, s.abandoned)
			if err != nil {
				return nil, Written{}, err
			}
			next.sets[set.name] = locs
		}
	}
	if err := p.flush(); err != nil {
		return nil, Written{}, err
	}
	var out Written
	next.chunks = slices.Concat(plan.keptChunks(), p.chunks)
	plan.remap(next)
	for _, c := range p.chunks {
		out.New = append(out.New, c.ref)
	}
	for _, c := range next.chunks {
		out.Refs = append(out.Refs, c.ref)
	}
	out.Dropped = plan.droppedRefs()
	out.Bytes = p.bytes
	slices.Sort(out.Refs)
	return next, out, nil
}

package state

import "errors"

type base struct{ epoch uint64 }

type restored struct{}

func openRestored(o Options) (*restored, error)      { return &restored{}, nil }
func (r *restored) fill(b *Backend, t **Table) error { return nil }
func (r *restored) value(name string) [][]byte       { return nil }
func (r *restored) unclaimed(b *Backend) []string    { return nil }

type pageImage interface{}
type reader struct{}

func (c *column[T]) pageBytes() int                   { return 0 }
func (c *column[T]) frozen() pageImage                { return nil }
func (c *column[T]) adopt(p int, r *reader, rows int) {}

// Snapshot is the state of a backend at a barrier.
//
// The subtask's goroutine makes it (Backend.Freeze) and tells its end (Completed, if its checkpoint is complete). Between,
// one goroutine calls Write once, while the subtask goes on. Release ends copy-on-write: it is called in any case, once Write
// has returned or will not be called, from any goroutine; more than once does no harm.
type Snapshot struct{}

// Written is the outcome of Snapshot.Write.
type Written struct {
	Manifest []byte   // goes into the checkpoint's metadata
	Refs     []uint64 // all chunks that the manifest needs, ascending
	New      []uint64 // those of Refs that this Write stored
	Bytes    int64    // stored by this Write, manifest included
}

// Freeze keeps the present state for a snapshot. Its cost is that of copying the page tables.
func (b *Backend) Freeze() (*Snapshot, error) {
	return nil, errors.New("state snapshots are not supported yet")
}

// Write stores what changed since the last completed snapshot. If it fails, or the checkpoint is aborted after it, the
// chunks in New are garbage, and the next snapshot is complete without them.
func (s *Snapshot) Write(w ChunkWriter) (Written, error) { return Written{}, nil }

// Release ends copy-on-write for this snapshot.
func (s *Snapshot) Release() {}

// Completed says that the checkpoint with this snapshot is durable: the next one builds upon it. Called from the subtask's
// goroutine. Not called for an aborted checkpoint.
func (s *Snapshot) Completed() {}

// Unused returns the chunks of dropped checkpoints that no kept one needs: Refs of each. The result is ascending.
func Unused(dropped, kept [][]uint64) []uint64 { return nil }

package state

// ChunkWriter stores chunks of a snapshot. Called by Snapshot.Write, from its goroutine.
type ChunkWriter interface {
	// Put stores data (at most about 256 KB) and returns the number by which a ChunkReader of this job finds it: unique
	// among all subtasks' chunks, and not used again while a kept manifest names it. data is the writer's to keep.
	// An error ends the Write.
	Put(data []byte) (ref uint64, err error)
}

// ChunkReader reads chunks back. Called by Open, from the subtask's goroutine.
type ChunkReader interface {
	// Get returns the chunk; the caller does not write to it. A chunk that is not there is an error.
	Get(ref uint64) ([]byte, error)
}

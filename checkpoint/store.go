package checkpoint

import "time"

// Store keeps one job's checkpoints. There is one per running job; a second
// open of the same directory is refused. Implementations: checkpoint/badger
// (durable) and memory (MemDir), both a KVStore over an Engine. All methods
// are safe for concurrent use, but there is one Save, one SaveOutcomes, one
// Retain and one Begin at a time.
//
// Durable means: survives a crash of the machine, not just of the process.
type Store interface {
	// RunID names the state directory's history; it is made when the
	// directory is made and goes into every marker.
	RunID() string
	// Start is the number of this process start on this directory, from 1.
	// A restart inside the process keeps it.
	Start() uint64
	// NextID is the first checkpoint ID that was never begun here.
	NextID() ID

	// Latest returns the newest stored checkpoint, nil if there is none.
	// Committables whose outcome is durable are already taken out of its
	// Pending, and the file LATEST names it. Called at start and at a restart
	// inside the process.
	Latest() (*Metadata, error)
	// Load returns one checkpoint as it was saved (nothing subtracted).
	Load(ID) (*Metadata, error)
	// List returns what is kept, oldest first.
	List() ([]Info, error)

	// Begin uses up an ID, durably, before its barrier is injected. IDs must
	// rise. It refuses (ErrNoSpace) if the disk cannot take a checkpoint.
	Begin(ID) error
	// PutChunk keeps a piece of state (meant: 64–256 KB) and returns its
	// reference, which is never used again, not even after a crash. The data
	// is copied. It is durable once a Save that came after it has returned.
	// A chunk that neither a kept checkpoint nor one still in flight names
	// is deleted by Retain. Called from many goroutines.
	PutChunk(data []byte) (ref uint64, err error)
	// GetChunk returns a chunk, which is the caller's to keep; a wrong
	// checksum is an ErrCorrupt. Only for chunks that a Save has covered.
	GetChunk(ref uint64) ([]byte, error)
	// Save makes a checkpoint, all chunks it names, and then LATEST durable,
	// in this order. On error nothing may be committed; a later start may
	// still find the checkpoint, which is sound (its committables are in
	// every later one as well). ErrNoSpace is found before anything is
	// written.
	Save(*Metadata) error

	// SaveOutcomes stores what is known for ever (Committed, and Lost unless
	// Fatal), each with its Journal entries under its writer's UID, in one
	// atomic durable write. Unknown and fatal outcomes are skipped whole. A
	// Replaced one makes Latest name its Replacement instead.
	SaveOutcomes([]Outcome) error
	// Outcomes returns the stored outcomes whose committables a kept
	// checkpoint still names, without their Journal entries.
	Outcomes() ([]Outcome, error)
	// Losses counts all Lost outcomes ever stored here.
	Losses() Losses
	// Journal returns the durable map of an operator. It is a BatchJournal.
	Journal(uid string) Journal

	// Retain deletes all but the newest keep checkpoints (savepoints are
	// kept and not counted), and the chunks and outcomes that nothing kept
	// needs.
	Retain(keep int) error
	// Close releases the directory. Nothing may be called after it.
	Close() error
}

// Losses is what a job has lost for good, by the decision of its user.
type Losses struct {
	Committables int64
	Records      int64 // as far as the sinks know
}

// Info is a line of `checkpoint list`.
type Info struct {
	ID        ID
	Kind      Kind
	Finished  bool
	Time      time.Time
	Chunks    int
	Pending   int // committables it named when it was saved
	Unsettled int // of these, without a durable outcome
	Latest    bool
}

// Job identifies what a state directory belongs to.
type Job struct {
	Name string
	// Hash covers the normalised physical plan, without parallelism,
	// intervals, credentials and addresses.
	Hash string
	// Operators explain a different hash to people: in plan order.
	Operators []JobOperator
}

// JobOperator is one operator of the plan, for messages.
type JobOperator struct {
	UID  string
	Name string // as in EXPLAIN, with what the hash covers
}

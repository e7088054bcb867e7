// Package checkpoint decides when a job's state becomes durable and when its
// sinks may commit. It holds the coordinator (a pure state machine), the
// metadata of a checkpoint and its encoding, and the interfaces of the store
// that keeps both; checkpoint/badger implements them.
//
// It knows no operator, connector or SQL type: state, source positions and
// committables are opaque bytes with a version.
package checkpoint

import "fmt"

// ID numbers the checkpoints of a job, from 1, in the order in which they
// were triggered. Aborted checkpoints use up their ID; IDs never repeat in
// one state directory.
type ID int64

// Subtask names one parallel instance. For control (acknowledgements,
// barriers) UID is that of the chain's head; for state and committables it
// is the operator's own.
type Subtask struct {
	UID   string // operator UID: stable over restarts of the same job
	Index int    // 0 ≤ Index < parallelism
}

func (s Subtask) String() string { return fmt.Sprintf("%s[%d]", s.UID, s.Index) }

// Split is one independently readable part of a source (a Kafka partition, a
// file) and the position of the next record to read. Position is the
// source's own encoding; nil means "where a new split begins".
type Split struct {
	ID       string
	Position []byte
}

// Committable is what a two-phase-commit writer hands over on a barrier: all
// that any later process needs in order to commit it. Payload is the sink's
// own encoding in format Version.
type Committable struct {
	Writer     Subtask
	Checkpoint ID // the checkpoint whose barrier closed it
	Version    uint16
	Payload    []byte
}

// Key identifies the committable within the state directory. A writer makes
// at most one committable per checkpoint and Seq is 0; a sink that makes
// several numbers them in the payload and returns them in order.
func (c Committable) Key() string {
	return fmt.Sprintf("%s/%d/%d/%x", c.Writer.UID, c.Writer.Index, c.Checkpoint, fingerprint(c.Payload))
}

// fingerprint is FNV-1a, 64 bits: it tells two committables of one writer
// and checkpoint apart.
func fingerprint(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// Status is what is known of a committable after a commit was tried.
type Status uint8

const (
	// Unknown: no proof either way; the committable stays pending and is
	// tried again.
	Unknown Status = iota
	// Committed: its rows are, or are about to become, visible; never again
	// to be committed.
	Committed
	// Lost: its rows will never be visible (the broker aborted it).
	Lost
	// Replaced: it was lost, and another committable holds the same rows in
	// its place. Only Committer.Commit during recovery says so.
	Replaced
)

func (s Status) String() string {
	switch s {
	case Committed:
		return "committed"
	case Lost:
		return "lost"
	case Replaced:
		return "replaced"
	default:
		return "unknown"
	}
}

// Outcome is the result of trying to commit one committable.
type Outcome struct {
	Committable Committable
	Status      Status
	Detail      string  // for people: what answer or marker proved it
	Journal     []Entry // written to the sink's journal in the same synced write as the outcome
	// Records is how many rows the committable holds, 0 if the sink does not
	// know; those of Lost ones are counted for good.
	Records int64
	// Replacement, of Replaced only, is pending from now on in the place of
	// Committable: one synced write removes the one and adds the other.
	Replacement *Committable
	// Fatal: the sink's policy for a Lost one is to stop the job. Such an
	// outcome is not stored: the committable stays pending, the job fails
	// without restart, and every later start finds and says the same.
	Fatal bool
}

// Final tells whether the outcome is one to store: known, and not one that
// the sink's policy keeps pending.
func (o Outcome) Final() bool {
	return o.Status == Committed || o.Status == Lost && !o.Fatal || o.Status == Replaced
}

// Entry is a key and its value in a Journal. A nil Value deletes the key.
type Entry struct {
	Key   string
	Value []byte
}

// Journal is a small durable map of one operator, kept in the job's state
// directory apart from checkpoints. Every write is durable on return. Safe
// for concurrent use.
type Journal interface {
	Put(key string, value []byte) error
	// Get returns nil, nil for a key that is not there.
	Get(key string) ([]byte, error)
	// Scan calls f for each key with the prefix, in byte order, until f
	// returns an error, which Scan returns. The value is f's to keep.
	Scan(prefix string, f func(key string, value []byte) error) error
	Delete(key string) error
}

// BatchJournal is a Journal that can change several keys at once.
type BatchJournal interface {
	Journal
	// Apply writes all entries (nil value: delete) or none, durably: at most
	// some hundreds, and 512 KB of values below that size.
	Apply([]Entry) error
}

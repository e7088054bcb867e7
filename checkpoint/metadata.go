package checkpoint

// Kind says why a checkpoint was taken.
type Kind uint8

const (
	// Periodic: by the interval, or asked for by a test.
	Periodic Kind = iota
	// Savepoint: asked for by a person; Retain never deletes it, and no later
	// checkpoint overtakes it.
	Savepoint
	// Final: the last one, after the end of all sources or on stop. The job
	// is over when its outcomes are durable.
	Final
)

func (k Kind) String() string {
	switch k {
	case Periodic:
		return "periodic"
	case Savepoint:
		return "savepoint"
	case Final:
		return "final"
	}
	return "unknown"
}

// Header is the part of the metadata that is the same for all checkpoints of
// one run of a job.
type Header struct {
	RunID          string // of the state directory, from Store.RunID
	JobHash        string // of the normalised plan
	KeyHashVersion uint16 // version of the key hash that dealt keys to key groups
	MaxParallelism int    // number of key groups
}

// Metadata is all that a checkpoint consists of, apart from the bytes of its
// chunks. It is immutable once it was handed to Store.Save.
//
// Invariants: Operators, Sources and Pending are sorted (UID, index; Pending
// by checkpoint first), no (UID, index) occurs twice, and no committable in
// Pending had a durable outcome when the metadata was made.
type Metadata struct {
	Header
	ID   ID
	Kind Kind
	// Finished: all event time is over (end of input, or drain): nothing can
	// be resumed from here. A stopped job's Final is not Finished.
	Finished   bool
	TimeMillis int64 // processing time at which it was injected, Unix ms

	Operators []OperatorState
	Sources   []SourceState
	Pending   []Committable
}

// OperatorState is the state of one operator instance. UID and Index are the
// operator's own, not the chain head's.
type OperatorState struct {
	UID         string
	Index       int
	Parallelism int     // of the operator when it was taken: gives the key-group range
	Watermarks  []int64 // per input, ms; math.MinInt64: none yet
	Manifest    []byte  // the state backend's own encoding
	Chunks      []uint64
	Layouts     []Layout
}

// Layout tells how the rows of one state table are stored.
type Layout struct {
	Name    string
	Version uint32
	Classes []byte // one storage class a column, the state package's numbers
}

// SourceState is what a source subtask must resume from.
type SourceState struct {
	Subtask Subtask // the source operator's UID
	Splits  []SplitState
}

// SplitState is a split with its event-time progress.
type SplitState struct {
	Split
	Watermark int64 // ms; math.MinInt64: none yet
	Idle      bool
	Ended     bool
}

// Chunks returns the references of all chunks that the checkpoint uses,
// unsorted; a reference may occur more than once.
func (m *Metadata) Chunks() []uint64 {
	var refs []uint64
	for i := range m.Operators {
		refs = append(refs, m.Operators[i].Chunks...)
	}
	return refs
}

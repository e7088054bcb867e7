package exec

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Graph is a job ready to run: live factories, made by planner/build from a
// physical plan. Nodes are in topological order, inputs before consumers.
type Graph struct {
	Name  string
	Nodes []*Node
}

// Node is one operator of a graph. Exactly one of Source, New and Sink is
// set.
type Node struct {
	UID         string // stable over restarts: maps state on restore
	Name        string // for people: "GroupAggregate(origin)"
	Parallelism int
	Inputs      []Edge // empty for sources; the operator sees them as inputs 0, 1 …
	Output      []types.Field
	// Folds says that the operator folds several rows of a key into one change;
	// in row mode the runtime hands it one selected row at a time.
	Folds bool
	// EachRow asks for that in every mode: a consumer tells the changes apart.
	EachRow bool

	Source *SourceNode
	New    func() (Operator, error) // one instance a subtask
	Sink   *SinkNode
}

// Edge is one input of a node.
type Edge struct {
	From     int // index in Graph.Nodes, below the consumer's
	Exchange Exchange
	Key      []int // columns hashed, for Hash
	// Port is the operator's input number that this edge feeds. Several edges
	// may feed one port (UNION ALL).
	Port int
}

// Exchange says how rows find the subtask of the consumer.
type Exchange uint8

const (
	// Forward: subtask i to subtask i; chained where possible.
	Forward Exchange = iota
	// Hash: by key group of the hash of Key. Sets Batch.Hash, at parallelism 1
	// too.
	Hash
	// Gather: all to subtask 0.
	Gather
	// Rebalance: batches round robin.
	Rebalance
)

// SourceNode is a scan.
type SourceNode struct {
	Source Source
	// Watermark makes the generator of a split; nil: the source has no event
	// time and emits no watermark but the final one.
	Watermark func() (WatermarkGenerator, error)
	// IdleTimeout takes a silent split out of the minimum; 0: never.
	IdleTimeout time.Duration
	// OnEvent emits a watermark with each raised one
	// (scan.watermark.emit.strategy = on-event) instead of periodically.
	OnEvent bool
	Bounded bool
}

// WatermarkGenerator computes the watermark column of a batch: one value in
// µs for each of the N physical rows, selected or not; a null makes none. It
// refuses a selected row whose time attribute is NULL (with a fatal error
// that names the column).
type WatermarkGenerator interface {
	Eval(b *vec.Batch) (*vec.Vector, error)
}

// Guarantee is what a sink promises.
type Guarantee uint8

const (
	None Guarantee = iota
	AtLeastOnce
	ExactlyOnce
)

func (g Guarantee) String() string {
	return [...]string{"none", "at-least-once", "exactly-once"}[g]
}

// SinkNode is the end of a stream. With ExactlyOnce Sink is a
// TwoPhaseCommitSink.
type SinkNode struct {
	Sink      Sink
	Guarantee Guarantee
	// Promise is the guarantee in words, for the start line and EXPLAIN.
	Promise string
}

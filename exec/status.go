package exec

import (
	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Status is a job at one moment. All of it is a copy.
type Status struct {
	Name     string
	State    JobState
	Attempt  int   // 1 for the first
	Err      error // why it failed or restarted last
	Nodes    []NodeStatus
	Splits   []SplitStatus
	Progress checkpoint.Stats
	// Checkpoints of this process, oldest first; older ones are in the Store.
	Checkpoints []CheckpointStatus
	// Transactions, and rows of them, that the job went on without
	// ('sink.on-lost-transaction' = 'continue', `txn abort`), ever.
	Lost, LostRecords int64
}

// NodeStatus is one operator with its subtasks.
type NodeStatus struct {
	UID, Name string
	Kind      string // "source", "operator", "sink"
	Chain     string // name of the head of its chain
	Subtasks  []SubtaskStatus
}

// SubtaskStatus holds the counters of one subtask; see Metrics.
type SubtaskStatus struct {
	RowsIn, RowsOut       int64
	BytesIn, BytesOut     int64
	Late, Skipped         int64
	Watermark             types.Time
	BusyNanos             int64 // of the operator itself; in row mode of the whole chain, at its head
	BlockedNanos          int64 // of the whole chain, at its head
	StateRows, StateBytes int64
	Lag                   int64
	PendingTransactions   int64
}

// SplitStatus is one split of a source.
type SplitStatus struct {
	UID, Source string
	Subtask     int
	ID          string
	Watermark   types.Time // MinTime: none yet
	Idle, Ended bool
	Rows        int64 // read by this attempt
}

// Status returns the present state of the job.
func (j *Job) Status() Status {
	j.mu.Lock()
	w, a := j.watch, j.attempt
	checkpoints := append([]CheckpointStatus(nil), w.checkpoints...)
	var tasks []*task
	if a != nil && a.ready.Load() {
		tasks = a.tasks
	}
	j.mu.Unlock()
	s := Status{
		Name: j.cfg.JobName, State: w.state, Attempt: w.attempts, Err: w.lastError, Progress: w.stats,
		Checkpoints: checkpoints, Lost: w.losses.Committables, LostRecords: w.losses.Records,
	}
	for _, n := range j.graph.Nodes {
		s.Nodes = append(s.Nodes, NodeStatus{UID: n.UID, Name: n.Name, Kind: nodeKind(n), Subtasks: make([]SubtaskStatus, n.Parallelism)})
	}
	for _, t := range tasks {
		s.addTask(j.graph, t)
	}
	return s
}

func nodeKind(n *Node) string {
	switch {
	case n.Source != nil:
		return "source"
	case n.Sink != nil:
		return "sink"
	}
	return "operator"
}

func (s *Status) addTask(g *Graph, t *task) {
	head := g.Nodes[t.chain.head].Name
	stages := t.stages
	for _, i := range t.chain.nodes {
		n := &s.Nodes[i]
		n.Chain = head
		if t.source != nil && i == t.chain.head {
			n.Subtasks[t.subtask.Index] = t.metrics.status()
			s.addSplits(n, t)
			continue
		}
		n.Subtasks[t.subtask.Index] = stages[0].ctx.Metrics.status()
		stages = stages[1:]
	}
}

func (s *Status) addSplits(n *NodeStatus, t *task) {
	for _, sp := range t.source.splits {
		s.Splits = append(s.Splits, SplitStatus{
			UID: n.UID, Source: n.Name, Subtask: t.subtask.Index, ID: sp.id, Watermark: types.Time(sp.mark.Load()),
			Idle: sp.idle.Load(), Ended: sp.ended.Load(), Rows: sp.rows.Load(),
		})
	}
}

func (m *Metrics) status() SubtaskStatus {
	return SubtaskStatus{
		RowsIn: m.RowsIn.Load(), RowsOut: m.RowsOut.Load(), BytesIn: m.BytesIn.Load(), BytesOut: m.BytesOut.Load(),
		Late: m.Late.Load(), Skipped: m.Skipped.Load(), Watermark: types.Time(m.Watermark.Load()),
		BusyNanos: m.BusyNanos.Load(), BlockedNanos: m.BlockedNanos.Load(),
		StateRows: m.StateRows.Load(), StateBytes: m.StateBytes.Load(), Lag: m.Lag.Load(),
		PendingTransactions: m.PendingTransactions.Load(),
	}
}

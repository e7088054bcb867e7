package exec

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// restored is a checkpoint's metadata by operator. The zero value is a job
// that begins anew.
type restored struct {
	meta    *checkpoint.Metadata
	ops     map[string][]checkpoint.OperatorState // by UID, sorted by index
	sources map[string][]checkpoint.SourceState
}

// newRestored checks that the metadata fits this program and graph.
func newRestored(m *checkpoint.Metadata, g *Graph) (*restored, error) {
	r := &restored{meta: m, ops: map[string][]checkpoint.OperatorState{}, sources: map[string][]checkpoint.SourceState{}}
	if m == nil {
		return r, nil
	}
	if m.MaxParallelism != state.MaxParallelism || m.KeyHashVersion != vec.HashVersion {
		return nil, fmt.Errorf("checkpoint %d has %d key groups by hash version %d, this program %d by version %d",
			m.ID, m.MaxParallelism, m.KeyHashVersion, state.MaxParallelism, vec.HashVersion)
	}
	for _, o := range m.Operators {
		r.ops[o.UID] = append(r.ops[o.UID], o)
	}
	for _, s := range m.Sources {
		r.sources[s.Subtask.UID] = append(r.sources[s.Subtask.UID], s)
	}
	return r, r.checkClaimed(g)
}

// checkClaimed refuses state of operators that the graph does not have.
func (r *restored) checkClaimed(g *Graph) error {
	has := func(uid string) bool {
		return slices.ContainsFunc(g.Nodes, func(n *Node) bool { return n.UID == uid })
	}
	for uid, states := range r.ops {
		if !has(uid) && slices.ContainsFunc(states, func(o checkpoint.OperatorState) bool { return len(o.Chunks) > 0 }) {
			return fmt.Errorf("checkpoint %d has state of operator %s, which the job does not have", r.meta.ID, uid)
		}
	}
	for uid := range r.sources {
		if !has(uid) {
			return fmt.Errorf("checkpoint %d has positions of source %s, which the job does not have", r.meta.ID, uid)
		}
	}
	for _, p := range r.meta.Pending {
		if !has(p.Writer.UID) {
			return fmt.Errorf("checkpoint %d has transactions of sink %s, which the job does not have", r.meta.ID, p.Writer.UID)
		}
	}
	return nil
}

// manifests are those of all subtasks of an operator, by index.
func (r *restored) manifests(uid string) [][]byte {
	var all [][]byte
	for _, o := range r.ops[uid] {
		if len(o.Manifest) > 0 {
			all = append(all, o.Manifest)
		}
	}
	return all
}

// marks are the watermarks of an operator's inputs, and last that of its
// output: its own, or after a rescale the least of all.
func (r *restored) marks(uid string, index, parallelism, ports int) []types.Time {
	marks := make([]types.Time, ports+1)
	states := r.ops[uid]
	for p := range marks {
		marks[p] = types.MinTime
		if len(states) == 0 {
			continue
		}
		if len(states) == parallelism {
			marks[p] = markOf(states[index], p)
			continue
		}
		marks[p] = types.MaxTime
		for _, o := range states {
			marks[p] = min(marks[p], markOf(o, p))
		}
	}
	return marks
}

func markOf(o checkpoint.OperatorState, port int) types.Time {
	if port >= len(o.Watermarks) {
		return types.MinTime
	}
	return types.Time(o.Watermarks[port])
}

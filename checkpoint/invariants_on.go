//go:build invariants

package checkpoint

import "fmt"

// check panics if an invariant of Coordinator does not hold.
func (c *Coordinator) check() {
	if c.storing != nil && c.committing {
		panic("checkpoint: a Store and a Commit are unanswered together")
	}
	last := c.stored
	for _, f := range c.flights {
		if f.id <= last {
			panic(fmt.Sprintf("checkpoint: %d is in flight after %d", f.id, last))
		}
		last = f.id
	}
	seen := map[string]bool{}
	for _, p := range c.pending {
		k := p.Key()
		if _, ok := c.settled[k]; ok || seen[k] {
			panic("checkpoint: pending twice or settled: " + k)
		}
		seen[k] = true
	}
	if m := c.out.Store; m != nil {
		checkMetadata(m)
	}
}

func checkMetadata(m *Metadata) {
	for i := 1; i < len(m.Operators); i++ {
		if a, b := m.Operators[i-1], m.Operators[i]; a.UID == b.UID && a.Index == b.Index {
			panic(fmt.Sprintf("checkpoint: two states of %s[%d]", a.UID, a.Index))
		}
	}
	for i := 1; i < len(m.Sources); i++ {
		if m.Sources[i-1].Subtask == m.Sources[i].Subtask {
			panic(fmt.Sprintf("checkpoint: two positions of %v", m.Sources[i].Subtask))
		}
	}
}

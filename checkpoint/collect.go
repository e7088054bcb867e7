package checkpoint

import (
	"cmp"
	"slices"

	"github.com/sqlstream/sqlstream/checkpoint/mutant"
)

// storable is the checkpoint to store next: the oldest that is full. A
// savepoint that still collects acks is not overtaken.
func (c *Coordinator) storable() *flight {
	for _, f := range c.flights {
		if f.full() {
			return f
		}
		if f.kind == Savepoint {
			return nil
		}
	}
	return nil
}

// metadata puts the acks together. It is made when the Store is asked for,
// not when the last ack comes: outcomes may have become durable in between.
func (c *Coordinator) metadata(f *flight) *Metadata {
	m := &Metadata{
		Header: c.cfg.Header, ID: f.id, Kind: f.kind, Finished: f.finished,
		TimeMillis: f.injected.UnixMilli(),
	}
	for _, s := range c.cfg.Subtasks {
		a := f.acks[s]
		m.Operators = append(m.Operators, a.Operators...)
		m.Sources = append(m.Sources, a.Sources...)
	}
	slices.SortFunc(m.Operators, func(a, b OperatorState) int {
		return cmp.Or(cmp.Compare(a.UID, b.UID), cmp.Compare(a.Index, b.Index))
	})
	slices.SortFunc(m.Sources, func(a, b SourceState) int { return compareSubtasks(a.Subtask, b.Subtask) })
	m.Pending = c.union(f)
	return m
}

// union: what is still pending of earlier metadata, and what the acks carry,
// without that whose outcome is durable (an ack may have been taken before
// its subtask was told; committing it again would end in a fence that aborts
// the id's next transaction).
func (c *Coordinator) union(f *flight) []Committable {
	list := slices.Clone(c.pending)
	seen := make(map[string]struct{}, len(list))
	for _, p := range list {
		seen[p.Key()] = struct{}{}
	}
	for _, s := range c.cfg.Subtasks {
		for _, p := range f.acks[s].Committables {
			k := p.Key()
			_, twice := seen[k]
			_, known := c.settled[k]
			known = known && !mutant.Is(mutant.KeepSettled)
			if twice || known || p.Checkpoint > f.id {
				continue // one of a later checkpoint: f's positions do not cover its rows
			}
			seen[k] = struct{}{}
			list = append(list, p)
		}
	}
	sortCommittables(list)
	return list
}

// forget drops the settled keys that no later ack can carry: f is stored, so
// later ones only count if taken after f's, and those of f no longer have it.
func (c *Coordinator) forget(f *flight) {
	kept := map[string]struct{}{}
	for _, a := range f.acks {
		for _, p := range a.Committables {
			k := p.Key()
			if _, ok := c.settled[k]; ok {
				kept[k] = struct{}{}
			}
		}
	}
	c.settled = kept
}

func compareSubtasks(a, b Subtask) int {
	return cmp.Or(cmp.Compare(a.UID, b.UID), cmp.Compare(a.Index, b.Index))
}

// sortCommittables: by checkpoint, then writer; those of one writer and
// checkpoint keep the writer's order.
func sortCommittables(l []Committable) {
	slices.SortStableFunc(l, func(a, b Committable) int {
		return cmp.Or(cmp.Compare(a.Checkpoint, b.Checkpoint), compareSubtasks(a.Writer, b.Writer))
	})
}

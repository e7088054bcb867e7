package exec

import (
	"errors"
	"slices"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/state"
)

// chunks is the checkpoint store as package state sees it.
type chunkStore struct{ store checkpoint.Store }

func (c chunkStore) Put(data []byte) (uint64, error) { return c.store.PutChunk(data) }
func (c chunkStore) Get(ref uint64) ([]byte, error)  { return c.store.GetChunk(ref) }

// frozen is the state of a chain's operators at a barrier.
type frozen struct {
	id     checkpoint.ID
	states []*state.Snapshot // of stages with state; nil entries for sinks
}

// checkpoint takes the subtask's part of a checkpoint: held-back rows out,
// the barrier on, sinks pre-committed, state frozen. What is slow, the
// writing of state, goes on beside the rows that follow.
func (t *task) checkpoint(b barrier) error {
	for _, s := range t.stages {
		if err := s.flush(); err != nil {
			return err
		}
	}
	for _, x := range t.exchanges {
		if err := x.control(element{kind: barrierElement, barrier: b}); err != nil {
			return err
		}
	}
	ack := checkpoint.Ack{Subtask: t.subtask, Checkpoint: b.id}
	if t.source != nil {
		ack.Sources = []checkpoint.SourceState{t.source.state()}
	}
	reason, err := t.preCommit(b, &ack)
	if err != nil {
		return err
	}
	if reason != "" {
		t.run.input(checkpoint.Decline{Subtask: t.subtask, Checkpoint: b.id, Reason: reason, NoFreeID: true})
		return nil
	}
	f, err := t.freeze(b.id, &ack)
	if err != nil {
		return err
	}
	t.write(f, ack)
	return nil
}

// preCommit asks all sinks of the chain; one that declines makes the reason,
// but the others still take part: what they close here comes with a later
// ack.
func (t *task) preCommit(b barrier, ack *checkpoint.Ack) (reason string, err error) {
	for _, s := range t.stages {
		if s.sink == nil {
			continue
		}
		err := s.sink.barrier(b)
		if errors.Is(err, ErrDecline) {
			reason = err.Error()
		} else if err != nil {
			return "", s.errorf(err)
		}
		s.ctx.Metrics.PendingTransactions.Store(int64(len(s.sink.untold)))
		ack.Committables = append(ack.Committables, s.sink.untold...)
	}
	return reason, nil
}

func (t *task) freeze(id checkpoint.ID, ack *checkpoint.Ack) (frozen, error) {
	f := frozen{id: id, states: make([]*state.Snapshot, len(t.stages))}
	for i, s := range t.stages {
		ack.Operators = append(ack.Operators, checkpoint.OperatorState{
			UID: s.subtask.UID, Index: s.subtask.Index, Parallelism: s.node.Parallelism, Watermarks: s.watermarks(),
		})
		if s.sink != nil {
			continue
		}
		snap, err := s.ctx.State.Freeze()
		if err != nil {
			return f, s.errorf(err)
		}
		f.states[i] = snap
	}
	t.frozen = append(t.frozen, f)
	return f, nil
}

// watermarks are those of the inputs, and last that of the output.
func (s *stage) watermarks() []int64 {
	ms := make([]int64, 0, len(s.marks)+1)
	for _, m := range s.marks {
		ms = append(ms, int64(m))
	}
	return append(ms, int64(s.out.last))
}

// write stores the state on another goroutine, one checkpoint after the
// other, and acknowledges.
func (t *task) write(f frozen, ack checkpoint.Ack) {
	before, done := t.writing, make(chan struct{})
	t.writing = done
	t.run.background.Add(1)
	go func() {
		defer t.run.background.Done()
		defer close(done)
		if before != nil {
			<-before
		}
		if err := t.writeStates(f, &ack); err != nil {
			t.run.input(checkpoint.Decline{Subtask: t.subtask, Checkpoint: f.id, Reason: err.Error()})
			return
		}
		t.run.input(ack)
	}()
}

func (t *task) writeStates(f frozen, ack *checkpoint.Ack) error {
	var first error
	for i, snap := range f.states {
		if snap == nil {
			continue
		}
		if first == nil && t.ctx.Err() == nil {
			w, err := snap.Write(chunkStore{t.run.store})
			ack.Operators[i].Manifest, ack.Operators[i].Chunks = w.Manifest, w.Refs
			first = err
		}
		snap.Release()
	}
	return first
}

// abandon ends the writing of an aborted checkpoint's state.
func (t *task) abandon(id checkpoint.ID) {
	t.frozen = slices.DeleteFunc(t.frozen, func(f frozen) bool {
		if f.id != id {
			return false
		}
		for _, snap := range f.states {
			if snap != nil {
				snap.Release()
			}
		}
		return true
	})
}

// completed says that a checkpoint is durable: the next snapshot builds upon
// its states, and older ones will never complete.
func (t *task) completed(m *checkpoint.Metadata) error {
	kept := t.frozen[:0]
	for _, f := range t.frozen {
		if f.id > m.ID {
			kept = append(kept, f)
			continue
		}
		if f.id < m.ID {
			continue
		}
		for _, snap := range f.states {
			if snap != nil {
				snap.Completed()
			}
		}
	}
	t.frozen = kept
	if t.source != nil {
		return t.source.completed(m)
	}
	return nil
}

package checkpoint

// Input is what the driver tells the coordinator, one event at a time.
type Input interface{ input() }

// Ack: a subtask has aligned, flushed and snapshotted for a checkpoint, and
// its chunks are written. Late, repeated and reordered acks do no harm.
type Ack struct {
	Subtask    Subtask // chain head
	Checkpoint ID
	Operators  []OperatorState
	Sources    []SourceState
	// Committables: ALL of the subtask's committables whose outcome it has
	// not been told, of this and every earlier checkpoint, aborted or not.
	Committables []Committable
}

// Decline: a subtask cannot take part in a checkpoint and goes on. The
// checkpoint is aborted.
type Decline struct {
	Subtask    Subtask
	Checkpoint ID
	Reason     string
	// NoFreeID: a sink has no free transactional id for its next transaction,
	// or no room in its pre-commit log (exec.ErrDecline). It does not count as
	// a failure; but if nothing in flight can free any, the job restarts from
	// the last checkpoint.
	NoFreeID bool
}

// Stored: Store.Save of the checkpoint returned nil.
type Stored struct{ Checkpoint ID }

// StoreFailed: Store.Save returned an error; a failed checkpoint.
type StoreFailed struct {
	Checkpoint ID
	Err        error
}

// Settled answers Ready.Commit: the committers have tried everything, and
// Store.SaveOutcomes has returned nil for what they found. An outcome that is
// missing counts as Unknown.
type Settled struct {
	Outcomes []Outcome
	// Err is the first error of the committers that trying again cannot
	// mend, nil otherwise: the job fails with it after the Notify. If it
	// wraps ErrRestart the failure asks for a restart.
	Err error
}

// Ended: all splits of a source subtask have ended; it has sent
// Watermark(max) and End, and answers barriers until Final.
type Ended struct{ Source Subtask }

// StopAsked: take a Final checkpoint and finish. Drain: the sources send
// Watermark(max) before the barrier, and the job cannot be resumed.
type StopAsked struct{ Drain bool }

// Trigger asks for a checkpoint now, whatever interval and pause say; it
// waits for a free place among the concurrent ones. Kind is Periodic or
// Savepoint. Tag comes back in Inject. Ignored once Final is due.
type Trigger struct {
	Kind Kind
	Tag  uint64
}

func (Ack) input()         {}
func (Decline) input()     {}
func (Stored) input()      {}
func (StoreFailed) input() {}
func (Settled) input()     {}
func (Ended) input()       {}
func (StopAsked) input()   {}
func (Trigger) input()     {}

package checkpoint

// Ready is what the driver is to do now, in the order of the fields. Nothing
// in it is repeated by a later Ready. It does not wait for one field's answer
// before going on to the next: Store and Commit may run on a goroutine of
// their own and are answered with Stored, StoreFailed and Settled.
type Ready struct {
	// Abort: end the alignment for these checkpoints in all subtasks. Never
	// reaches a connector: what was pre-committed stays pre-committed.
	Abort []Aborted
	// Store: Save this, answer Stored or StoreFailed. Nil: nothing.
	Store *Metadata
	// Commit: hand these to their sinks' committers, in this order; store
	// the outcomes; answer Settled. Empty: nothing.
	Commit []Committable
	// Notify the subtasks, on their own goroutines.
	Notify []Notify
	// Discard: call Store.Retain with this number. 0: nothing.
	Discard int
	// Inject these barriers into all source subtasks, in order, after
	// Store.Begin has returned nil for the id. If Begin fails, answer
	// Decline with any source subtask and the error as its reason.
	Inject []Inject
	// Fail: the job cannot go on. Nil: it can. Nothing follows a Fail.
	Fail *Failure
	// Done: Final is settled, the job is over. Nothing follows.
	Done bool
}

// Aborted tells which checkpoint ended without being stored, and why.
type Aborted struct {
	Checkpoint ID
	Kind       Kind
	Reason     string
}

// Notify carries what has become durable.
type Notify struct {
	// Completed is the checkpoint that has been stored and whose commits
	// were tried (Reader.Completed with its positions); nil if only outcomes
	// of an earlier one became known.
	Completed *Metadata
	// Settled are the durable outcomes (Committed, Lost), to be handed to
	// PreCommitter.Settled of their writers and dropped from their lists.
	Settled []Outcome
}

// Inject asks for a barrier.
type Inject struct {
	Checkpoint ID
	Kind       Kind
	// Drain: sources that have not ended send Watermark(max) before it.
	Drain bool
	Tag   uint64 // of the Trigger, else 0
}

// Failure is why the job cannot go on.
type Failure struct {
	Message string
	// Restart: starting again from the last completed checkpoint may help
	// (the restart strategy decides). False: stop, the user must act.
	Restart bool
	// Err is the cause if the driver delivered one.
	Err error
}

func (r *Ready) empty() bool {
	return len(r.Abort) == 0 && r.Store == nil && len(r.Commit) == 0 && len(r.Notify) == 0 &&
		r.Discard == 0 && len(r.Inject) == 0 && r.Fail == nil && !r.Done
}

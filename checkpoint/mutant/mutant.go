// Package mutant breaks the exactly-once protocol on purpose, one rule at a
// time, so that the fault suite can show that it sees each break. Without the
// build tag `mutants` Is is the constant false, and the compiler drops what
// stands behind it.
package mutant

// Mutant is a broken rule.
type Mutant string

// The mutants of EXACTLY_ONCE.
const (
	AssumeCommitted Mutant = "assume-committed-on-fenced"
	WriteAgain      Mutant = "write-again-without-asking-the-marker"
	ReuseEarly      Mutant = "reuse-the-id-early"
	CommitEarly     Mutant = "commit-before-metadata-is-stored"
	SkipSync        Mutant = "skip-sync"
	DropAborted     Mutant = "drop-an-aborted-checkpoints-committables"
	ProveByID       Mutant = "prove-by-checkpoint-id-alone"
	IgnoreTopicIDs  Mutant = "commit-without-comparing-topic-ids"
	KeepSettled     Mutant = "keep-settled-committables-in-the-next-metadata"
)

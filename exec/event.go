package exec

import (
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// EventKind tells what an Event is about.
type EventKind uint8

const (
	EventStarted             EventKind = iota // all subtasks run
	EventRestored                             // Checkpoint is where the job resumes
	EventRestarting                           // Err is why, Delay when
	EventCheckpointCompleted                  // Checkpoint, Duration
	EventCheckpointAborted                    // Checkpoint, Text is why
	EventCommitted                            // Outcomes are known
	EventFinished                             // the job is over, by its end or a stop
	EventFailed                               // Err
	EventCancelled
)

func (k EventKind) String() string {
	return [...]string{"started", "restored", "restarting", "checkpoint completed", "checkpoint aborted",
		"committed", "finished", "failed", "cancelled"}[k]
}

// Event is one thing that happened to a job, for people.
type Event struct {
	Time       time.Time
	Kind       EventKind
	Text       string // a sentence without full stop
	Checkpoint checkpoint.ID
	Savepoint  bool
	Duration   time.Duration // of a checkpoint
	Delay      time.Duration // before a restart
	Outcomes   []Outcome
	Err        error
}

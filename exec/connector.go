package exec

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// The vocabulary of checkpoints, under the names that connectors use.
type (
	Committable = checkpoint.Committable
	Outcome     = checkpoint.Outcome
	Split       = checkpoint.Split
	Journal     = checkpoint.Journal
)

// Clock is the runtime's time; tests inject a fake one.
type Clock interface {
	Now() time.Time
	// After is time.After.
	After(d time.Duration) <-chan time.Time
}

// SourceContext is what a reader knows of its surroundings.
type SourceContext struct {
	Subtask     checkpoint.Subtask
	Parallelism int
	UID         string // operator UID
	JobName     string
	Clock       Clock
	Metrics     *Metrics
	Log         *slog.Logger
	Journal     Journal
	// Wake fires when the runtime wants Next to return at once (a barrier, a
	// stop); Next selects on it while it waits for rows.
	Wake <-chan struct{}
}

// Source makes splits and readers. Splits is called by the driver once per
// process start, from one goroutine; restored positions replace those of
// splits with the same ID, and restored splits that Splits no longer lists
// are an error of Reader. Reader is called once a subtask (and again after a
// restart inside the process).
type Source interface {
	Splits(ctx context.Context) ([]Split, error)
	Reader(SourceContext, []Split) (Reader, error)
}

// Reader reads the splits of one subtask. All methods are called on the
// subtask's goroutine.
type Reader interface {
	// Next resets b and fills it with rows of one split: its index in the
	// slice given to Source.Reader. ended says that the split has no more rows
	// (b may still hold its last). It returns when there are rows, when
	// SourceContext.Wake fires, or after 50 ms; then with an empty batch and
	// the index of any split. A split restored behind its end is reported as
	// ended again.
	//
	// The batch holds every row read (N); a pushed-down predicate only sets
	// Sel: a row that the predicate drops still moves the watermark. Columns
	// that the watermark needs are decoded for all N rows, others only for
	// Sel. The vectors belong to the reader and are valid until the next call.
	Next(ctx context.Context, b *vec.Batch) (split int, ended bool, err error)
	// Positions are those of exactly the rows returned so far, never of
	// prefetched ones; in the order of the splits given.
	Positions() []Split
	// Completed says that the checkpoint holding these positions is complete
	// (group offsets are committed for lag tools). An error is logged only.
	Completed(ctx context.Context, positions []Split) error
	Close() error
}

// Idler is an optional ability of a Reader: splits that hold no rows up to
// where they ended when first read (an empty partition) count as idle from
// the start. Asked after each Next.
type Idler interface{ Idle(split int) bool }

// SinkContext is what a writer or committer knows of its surroundings. For a
// Committer Subtask.Index is 0.
type SinkContext struct {
	Subtask     checkpoint.Subtask
	Parallelism int
	UID         string // operator UID
	JobName     string
	RunID       string // of this state directory; in every committable and marker
	Clock       Clock
	Metrics     *Metrics
	Log         *slog.Logger
	Journal     Journal
	// Interval is the checkpoint interval, 0 if there is none, and
	// MaxConcurrent the number of checkpoints in flight.
	Interval      time.Duration
	MaxConcurrent int
	// Fresh accepts what earlier runs with another directory left (--fresh).
	Fresh bool
	// Restart is true when the process had started this sink before (a restart
	// inside the process).
	Restart bool
	// Checkpoint asks for a checkpoint before the interval is over, and returns
	// when that is noted. Writers call it; nil: nobody takes any.
	Checkpoint func()
}

// Sink makes writers: one a subtask. Guarantees none and at-least-once.
type Sink interface {
	Writer(context.Context, SinkContext) (Writer, error)
}

// Writer is called on the subtask's goroutine only.
type Writer interface {
	// Write takes borrowed rows; those it keeps it copies.
	Write(ctx context.Context, b *vec.Batch) error
	// Flush returns when all rows written so far are acknowledged (on a
	// barrier, for at-least-once; a sink with guarantee none does nothing).
	Flush(ctx context.Context) error
	// Close frees resources and never commits.
	Close() error
}

// TwoPhaseCommitSink is a sink with guarantee exactly-once; its writers are
// PreCommitters.
type TwoPhaseCommitSink interface {
	Sink
	Committer(context.Context, SinkContext) (Committer, error)
}

// ErrDecline is returned by PreCommit: no checkpoint this time; the writer
// goes on writing in its open transaction.
var ErrDecline = errors.New("checkpoint declined")

// PreCommitter is a writer that takes part in two-phase commits.
type PreCommitter interface {
	Writer
	// PreCommit closes the open transaction so that it survives any crash, and
	// returns the new committables only (none for an empty transaction). final
	// says that no row will follow.
	PreCommit(ctx context.Context, id checkpoint.ID, final bool) ([]Committable, error)
	// Settled says that the outcomes of these committables are durable: their
	// ids are free again.
	Settled([]Committable) error
}

// Committer commits for a whole sink. At process start the runtime calls
// Start, Commit with the restored list, stores the outcomes, and Recover,
// for each sink, before any writer of any sink opens; while the job runs it
// calls Commit on the checkpoint driver's goroutine.
type Committer interface {
	// Start compares markers and takes over every id not in pending.
	Start(ctx context.Context, pending []Committable) error
	// Commit is idempotent; every committable is tried, per writer in
	// checkpoint order; there is an outcome for each, and the first error is
	// returned beside them (the driver stores the outcomes, then fails).
	// Between Start and Recover an outcome may be Replaced: the runtime stores
	// it and calls Commit again with the replacement among the rest. While the
	// job runs, an error that wraps checkpoint.ErrRestart asks for a restart
	// inside the process.
	Commit(context.Context, []Committable) ([]Outcome, error)
	// Recover rolls back every leftover not in keep (the still Unknown ones)
	// and takes over the remaining ids.
	Recover(ctx context.Context, keep []Committable) error
	Close() error
}

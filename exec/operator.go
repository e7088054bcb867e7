// Package exec is the runtime: it runs a graph of columnar operators,
// carries rows, watermarks and barriers between them, and takes checkpoints.
// It owns the vocabulary of the engine (types, vectors, functions,
// expressions) and declares the interfaces that it calls. It knows no SQL
// text, no connector and no plan.
package exec

import (
	"log/slog"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// Operator transforms one or more streams into one. All methods are called
// by the runtime on the subtask's goroutine, Open first and Close last.
// Operators never see barriers: one that keeps all its state, timers
// included, in Context.State is exactly-once without a line of its own. An
// error fails the job (fatal ones, see Fatal, without restart).
type Operator interface {
	// Open restores state from ctx.State. ctx stays valid until Close; its
	// Now and Watermark are kept up to date.
	Open(ctx *Context) error
	// Process takes rows of input in (0-based). b is borrowed; see vec.Batch.
	Process(in int, b *vec.Batch, out Output) error
	// Advance says that no later row is at or below t (the minimum over the
	// inputs; strictly rising; MaxTime at the end of input). A window fires
	// when t ≥ its end − 1 ms; a row is late when its window has fired. Every
	// Advance ends with out.Watermark of its own value.
	Advance(t types.Time, out Output) error
	// Close frees resources; no output.
	Close() error
}

// Flusher is optional: Flush emits held-back rows before a barrier
// (mini-batch). Called from the chain's head to its tail.
type Flusher interface{ Flush(out Output) error }

// Waker is optional: processing-time windows, mini-batch latency, TTL.
// Called after Open, after every batch, and when the next it returned is due
// (MaxTime: nothing to do).
type Waker interface {
	Wake(now types.Time, out Output) (next types.Time, err error)
}

// Output is where an operator's rows go. The batch is borrowed by the
// receiver until Emit returns.
type Output interface {
	Emit(b *vec.Batch) error
	Watermark(t types.Time) error
}

// Context is what one operator instance knows of its surroundings. Single
// goroutine. State is the namespace of the operator's UID.
type Context struct {
	Subtask     checkpoint.Subtask
	Parallelism int
	State       *state.Backend
	Metrics     *Metrics
	Log         *slog.Logger
	Now         types.Time // processing time, set once a batch: PROCTIME(), CURRENT_TIMESTAMP, TTL
	Watermark   types.Time // CURRENT_WATERMARK; MinTime before the first
}

// FatalError is an error that no restart can mend: a bad value with on-error
// fail, a fenced sink, a lost transaction. Unwrap gives the cause.
type FatalError struct{ Err error }

func (e *FatalError) Error() string { return e.Err.Error() }
func (e *FatalError) Unwrap() error { return e.Err }

// Fatal marks err as one that no restart can mend.
func Fatal(err error) error {
	if err == nil {
		return nil
	}
	return &FatalError{err}
}

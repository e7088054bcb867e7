package exectest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Ledger is a sink with transactions, kept in memory: it outlives jobs, as a
// broker does. With Guarantee ExactlyOnce rows become visible when their
// checkpoint is committed; else at once. Safe for concurrent use.
type Ledger struct {
	Fields    []types.Field
	Guarantee exec.Guarantee

	mu      sync.Mutex
	visible []string
	taken   int                     // lines that Take has returned
	open    map[string]*transaction // prepared, by the committable's payload
	next    int
	decline int             // PreCommits to decline
	unknown int             // Commits to leave unknown
	lost    map[string]bool // aborted by the ledger
	calls   []string
	fatal   bool
}

type transaction struct {
	lines     []string
	committed bool
}

// NewLedger returns an empty exactly-once ledger.
func NewLedger(fields []types.Field) *Ledger {
	return &Ledger{Fields: fields, Guarantee: exec.ExactlyOnce, open: map[string]*transaction{}, lost: map[string]bool{}}
}

// Node is a graph node that writes to the ledger.
func (l *Ledger) Node(uid string, parallelism int, inputs ...exec.Edge) *exec.Node {
	return &exec.Node{UID: uid, Name: "Ledger", Parallelism: parallelism, Inputs: inputs,
		Sink: &exec.SinkNode{Sink: l, Guarantee: l.Guarantee}}
}

// Visible returns all visible lines, in order.
func (l *Ledger) Visible() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.visible)
}

// Take returns the lines that have become visible since the last Take.
func (l *Ledger) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := slices.Clone(l.visible[l.taken:])
	l.taken = len(l.visible)
	return lines
}

// Calls returns what the runtime asked of committers and pre-committers.
func (l *Ledger) Calls() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// DeclineNext makes the next n PreCommits decline.
func (l *Ledger) DeclineNext(n int) { l.mu.Lock(); l.decline = n; l.mu.Unlock() }

// UnknownNext makes the next n Commits end without a known outcome.
func (l *Ledger) UnknownNext(n int) { l.mu.Lock(); l.unknown = n; l.mu.Unlock() }

// LoseAll aborts every prepared transaction, as a broker does after the
// time-out; fatal makes the outcomes so.
func (l *Ledger) LoseAll(fatal bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fatal = fatal
	for id, t := range l.open {
		if !t.committed {
			l.lost[id] = true
		}
	}
}

func (l *Ledger) note(format string, args ...any) {
	l.calls = append(l.calls, fmt.Sprintf(format, args...))
}

// Writer makes a writer.
func (l *Ledger) Writer(_ context.Context, ctx exec.SinkContext) (exec.Writer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note("open %v restart=%v", ctx.Subtask, ctx.Restart)
	return &ledgerWriter{l: l, ctx: ctx}, nil
}

type ledgerWriter struct {
	l     *Ledger
	ctx   exec.SinkContext
	lines []string
}

func (w *ledgerWriter) Write(_ context.Context, b *vec.Batch) error {
	lines := Format(w.l.Fields, b)
	if w.l.Guarantee == exec.ExactlyOnce {
		w.lines = append(w.lines, lines...)
		return nil
	}
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	w.l.visible = append(w.l.visible, lines...)
	return nil
}

func (w *ledgerWriter) Flush(context.Context) error { return nil }
func (w *ledgerWriter) Close() error                { return nil }

func (w *ledgerWriter) PreCommit(_ context.Context, id checkpoint.ID, _ bool) ([]exec.Committable, error) {
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	if w.l.decline > 0 {
		w.l.decline--
		return nil, fmt.Errorf("%w: no free id", exec.ErrDecline)
	}
	if len(w.lines) == 0 {
		return nil, nil
	}
	w.l.next++
	key := fmt.Sprintf("t%d", w.l.next)
	w.l.open[key] = &transaction{lines: w.lines}
	w.lines = nil
	w.l.note("prepare %s %v %d", key, w.ctx.Subtask, id)
	return []exec.Committable{{Writer: w.ctx.Subtask, Checkpoint: id, Version: 1, Payload: []byte(key)}}, nil
}

func (w *ledgerWriter) Settled(all []exec.Committable) error {
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	for _, c := range all {
		w.l.note("settled %s", c.Payload)
	}
	return nil
}

// Committer makes the committer.
func (l *Ledger) Committer(context.Context, exec.SinkContext) (exec.Committer, error) {
	return &ledgerCommitter{l}, nil
}

type ledgerCommitter struct{ l *Ledger }

func (c *ledgerCommitter) Start(_ context.Context, pending []exec.Committable) error {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	c.l.note("start %d", len(pending))
	return nil
}

var errLedgerDown = errors.New("the ledger does not answer")

// Commit makes the transactions visible, once each.
func (c *ledgerCommitter) Commit(_ context.Context, all []exec.Committable) ([]exec.Outcome, error) {
	l := c.l
	l.mu.Lock()
	defer l.mu.Unlock()
	var outcomes []exec.Outcome
	for _, p := range all {
		o := exec.Outcome{Committable: p, Status: checkpoint.Committed}
		id := string(p.Payload)
		t := l.open[id]
		switch {
		case l.unknown > 0:
			l.unknown--
			o.Status, o.Detail = checkpoint.Unknown, errLedgerDown.Error()
		case t == nil || l.lost[id]:
			o.Status, o.Detail, o.Fatal = checkpoint.Lost, "aborted by the ledger", l.fatal
		case !t.committed:
			t.committed = true
			l.visible = append(l.visible, t.lines...)
		}
		l.note("commit %s %v", id, o.Status)
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// Recover drops what is prepared but not to be kept: rows of a checkpoint
// that was never stored, which the source reads again.
func (c *ledgerCommitter) Recover(_ context.Context, keep []exec.Committable) error {
	l := c.l
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := map[string]bool{}
	for _, k := range keep {
		kept[string(k.Payload)] = true
	}
	for id, t := range l.open {
		if !t.committed && !kept[id] {
			delete(l.open, id)
		}
	}
	l.note("recover %d", len(keep))
	return nil
}

func (c *ledgerCommitter) Close() error { return nil }

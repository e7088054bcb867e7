package txnlog

import (
	"fmt"
	"sync"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// Usage is what the logs of all writers of a sink hold. It outlives restarts
// inside the process. Safe for concurrent use.
type Usage struct {
	limit int64

	mu       sync.Mutex
	open     int64                   // of transactions that are written
	kept     map[checkpoint.ID]int64 // of those that are pre-committed and not settled
	ask      int64                   // size of open at which the next checkpoint is asked for
	declined bool                    // since the last start
	restarts int                     // in a row after a decline, with nothing committed in between
}

// slack: beyond the limit an open transaction goes on while its checkpoints
// are declined, so that logs of earlier ones, which are deleted meanwhile,
// make room for it; if there are none, it may be pre-committed as it is.
// Beyond limit × slack nothing is logged any more.
const slack = 2

// A checkpoint is asked for when open transactions fill 1/askAt of the limit,
// and again after each 1/askAgain more.
const (
	askAt    = 2
	askAgain = 4
)

// maxRestarts in a row, of jobs whose log is full again each time, are made;
// then the job stops.
const maxRestarts = 2

// NewUsage takes sink.pre-commit-log.max-bytes.
func NewUsage(limit int64) *Usage {
	return &Usage{limit: limit, ask: limit / askAt, kept: map[checkpoint.ID]int64{}}
}

// Started says that no log is left, at a start or a restart inside the
// process. progress: it committed something.
func (u *Usage) Started(progress bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case progress:
		u.restarts = 0
	case u.declined:
		u.restarts++
	}
	u.open, u.ask, u.declined = 0, u.limit/askAt, false
	clear(u.kept)
}

// add counts a chunk of an open transaction. It returns the size of all logs
// if there is no room for more.
func (u *Usage) add(n int64) (over int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.open += n
	if total := u.total(); total > slack*u.limit {
		return total
	}
	return 0
}

func (u *Usage) total() int64 {
	total := u.open
	for _, n := range u.kept {
		total += n
	}
	return total
}

// keep: so many bytes of an open transaction are pre-committed.
func (u *Usage) keep(id checkpoint.ID, n int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.open -= n
	u.kept[id] += n
	if u.open < u.limit/askAt {
		u.ask = u.limit / askAt
	}
}

// drop: a log is about to be deleted, as its transaction is settled.
func (u *Usage) drop(id checkpoint.ID, n int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.kept[id] -= n; u.kept[id] <= 0 {
		delete(u.kept, id)
	}
	if u.declined { // for want of this room
		u.ask = 0
	}
	u.restarts, u.declined = 0, false
}

// Presses tells whether the limit is passed: writers should slow down, so that
// the checkpoint that was asked for comes before there is no room at all.
func (u *Usage) Presses() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.total() > u.limit
}

// WantsCheckpoint tells, once each time, that a checkpoint should be taken
// before its interval is over: the log fills.
func (u *Usage) WantsCheckpoint() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open <= u.ask {
		return false
	}
	u.ask = u.open + u.limit/askAgain
	return true
}

// FullError: the checkpoint is to be declined.
type FullError struct {
	Bytes, Limit int64
	// Restarts that did not help. Stop: the job is to stop, as another would
	// not help either.
	Restarts int
	Stop     bool
}

func (e *FullError) Error() string {
	text := fmt.Sprintf("the pre-commit log would hold %d bytes, 'sink.pre-commit-log.max-bytes' is %d: raise it, or take checkpoints more often ('execution.checkpointing.interval')", e.Bytes, e.Limit)
	if !e.Stop {
		return text
	}
	return fmt.Sprintf("the rows between two checkpoints do not fit into the pre-commit log, also after %d restarts from the same checkpoint: %s; nothing is lost: the next start goes on at the last checkpoint", e.Restarts, text)
}

// room returns a FullError unless what is logged may be pre-committed by a
// checkpoint. over: see add. Beyond the limit it may be if no earlier log can
// make room, or if no later checkpoint would find more.
func (u *Usage) room(id checkpoint.ID, over int64, final bool) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	total, earlier := u.total(), len(u.kept)
	if _, ours := u.kept[id]; ours { // of another writer
		earlier--
	}
	if over == 0 && (final || total <= u.limit || earlier == 0) {
		return nil
	}
	u.declined = true
	return &FullError{Bytes: max(total, over), Limit: u.limit, Restarts: u.restarts, Stop: u.restarts >= maxRestarts}
}

package exec

import "github.com/sqlstream/sqlstream/checkpoint"

// aligner decides when a subtask has a barrier from all of its channels. A
// channel that has delivered it is blocked until the others have. An ended
// channel still delivers barriers, for its source stays alive. Pure.
//
// Invariants: at most one barrier is being aligned; IDs only rise; blocked is
// all false if none is.
type aligner struct {
	blocked []bool
	missing int     // channels that have not delivered cur
	cur     barrier // zero id: none is being aligned
	last    checkpoint.ID
	aborted map[checkpoint.ID]bool // above last
}

func newAligner(channels int) *aligner {
	return &aligner{blocked: make([]bool, channels), aborted: map[checkpoint.ID]bool{}}
}

// arrive notes a barrier of a channel and tells whether the alignment is
// complete.
func (a *aligner) arrive(channel int, b barrier) bool {
	if b.id <= a.last || b.id < a.cur.id || a.aborted[b.id] {
		return false
	}
	if b.id > a.cur.id {
		// An older one never comes on this channel any more: it was aborted.
		a.release()
		a.cur, a.missing = b, len(a.blocked)
	}
	a.blocked[channel] = true
	a.missing--
	if a.missing > 0 {
		return false
	}
	a.finish(b.id)
	return true
}

// abort ends the alignment of a checkpoint, now or when its barrier comes.
func (a *aligner) abort(id checkpoint.ID) {
	if id <= a.last {
		return
	}
	a.aborted[id] = true
	if a.cur.id == id {
		a.release()
	}
}

func (a *aligner) finish(id checkpoint.ID) {
	a.release()
	a.last = id
	for old := range a.aborted {
		if old <= id {
			delete(a.aborted, old)
		}
	}
}

func (a *aligner) release() {
	clear(a.blocked)
	a.cur, a.missing = barrier{}, 0
}

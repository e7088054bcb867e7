package txnlog

import "sync"

// Usage is what the logs of all writers of a sink hold. Safe for concurrent
// use.
type Usage struct {
	limit int64
	mu    sync.Mutex
	bytes int64
}

// NewUsage takes sink.pre-commit-log.max-bytes.
func NewUsage(limit int64) *Usage { return &Usage{limit: limit} }

// Reset says that no log is left.
func (u *Usage) Reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bytes = 0
}

func (u *Usage) add(n int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bytes += n
}

func (u *Usage) total() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bytes
}

// slack: an open transaction goes on while its checkpoints are declined, so
// that logs that are deleted meanwhile make room for it. Beyond limit × slack
// nothing is logged any more.
const slack = 2

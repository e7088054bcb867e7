package state

import (
	"sync"
	"sync/atomic"
)

// clock counts the freezes of a backend and knows which of them are still being read.
//
// Every page carries the epoch in which it was last made writable. Two questions are answered with it:
//   - must the page be copied before a write? Yes if a snapshot that is not released was frozen at or after that epoch;
//   - must a snapshot write the page? Yes if the epoch is above that of the last completed snapshot.
//
// cur is only touched by the subtask's goroutine. newest may be lowered by the goroutine that writes a snapshot.
type clock struct {
	cur    uint64
	newest atomic.Uint64 // epoch of the newest snapshot that is not released; 0: none

	mu     sync.Mutex
	frozen []uint64
}

// freeze ends the current epoch and returns it. Until release(epoch), pages of it and of earlier ones are copied on write.
func (c *clock) freeze() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.cur
	c.frozen = append(c.frozen, e)
	c.newest.Store(e)
	c.cur++
	return e
}

func (c *clock) release(epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var newest uint64
	kept := c.frozen[:0]
	for _, e := range c.frozen {
		if e != epoch {
			kept = append(kept, e)
			newest = max(newest, e)
		}
	}
	c.frozen = kept
	c.newest.Store(newest)
}

// shared says whether a snapshot may still read a page last made writable in the given epoch.
func (c *clock) shared(epoch uint64) bool {
	n := c.newest.Load()
	return n != 0 && n >= epoch
}

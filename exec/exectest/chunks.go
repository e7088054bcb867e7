package exectest

import (
	"fmt"
	"sync"
)

// Chunks keeps chunks of state in memory: a state.ChunkWriter and ChunkReader.
type Chunks struct {
	mu   sync.Mutex
	next uint64
	data map[uint64][]byte
}

// Put keeps a chunk.
func (c *Chunks) Put(data []byte) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.data == nil {
		c.data = map[uint64][]byte{}
	}
	c.next++
	c.data[c.next] = append([]byte(nil), data...)
	return c.next, nil
}

// Get returns a chunk.
func (c *Chunks) Get(ref uint64) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.data[ref]
	if !ok {
		return nil, fmt.Errorf("no chunk %d", ref)
	}
	return d, nil
}

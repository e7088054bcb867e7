package fetch

import "sync"

// buffer is the memory of one answer, shared by its chunks.
type buffer struct {
	pool *pool
	data []byte

	mu   sync.Mutex
	refs int
}

// pool keeps the memory of answers that nobody refers to any more.
type pool struct {
	mu   sync.Mutex
	free [][]byte
}

// keep is how many answers' memory a pool keeps.
const keep = 4

// get returns a buffer with one reference.
func (p *pool) get() *buffer { return &buffer{pool: p, refs: 1} }

// alloc gives the buffer n bytes.
func (b *buffer) alloc(n int) []byte {
	b.pool.mu.Lock()
	defer b.pool.mu.Unlock()
	for i, d := range b.pool.free {
		if cap(d) >= n {
			last := len(b.pool.free) - 1
			b.pool.free[i] = b.pool.free[last]
			b.pool.free = b.pool.free[:last]
			b.data = d[:n]
			return b.data
		}
	}
	b.data = make([]byte, n, n+n/4)
	return b.data
}

func (b *buffer) retain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refs++
}

func (b *buffer) release() {
	b.mu.Lock()
	b.refs--
	last := b.refs == 0
	b.mu.Unlock()
	if !last || cap(b.data) < 64<<10 {
		return
	}
	b.pool.mu.Lock()
	defer b.pool.mu.Unlock()
	if len(b.pool.free) >= keep {
		b.pool.free = b.pool.free[1:]
	}
	b.pool.free = append(b.pool.free, b.data)
}

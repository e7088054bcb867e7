package exec

import (
	"context"
	"sync"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// queueCapacity is the number of elements a queue holds. Small: what waits in
// queues is what a barrier has to pass.
const queueCapacity = 4

// gate is where the queues into one subtask end. One consumer, one producer a
// queue; a full queue blocks its producer, which is the back-pressure.
type gate struct {
	mu     sync.Mutex
	queues []*queue
	turn   int           // where the next poll begins, so that no queue starves
	ready  chan struct{} // capacity 1; shared with the subtask's mailbox
}

// queue is a bounded ring of one producer. Its batches are recycled: the
// producer copies rows into one, the consumer gives it back.
type queue struct {
	gate  *gate
	ring  [queueCapacity]element // guarded by gate.mu
	head  int
	n     int
	free  []*vec.Batch
	space chan struct{} // capacity 1
}

func newGate(ready chan struct{}) *gate { return &gate{ready: ready} }

func (g *gate) add() *queue {
	q := &queue{gate: g, space: make(chan struct{}, 1)}
	g.queues = append(g.queues, q)
	return q
}

// signal wakes whoever waits on a channel of capacity 1.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// put blocks while the queue is full.
func (q *queue) put(ctx context.Context, e element) error {
	for {
		q.gate.mu.Lock()
		if q.n < queueCapacity {
			q.ring[(q.head+q.n)%queueCapacity] = e
			q.n++
			q.gate.mu.Unlock()
			signal(q.gate.ready)
			return nil
		}
		q.gate.mu.Unlock()
		select {
		case <-q.space:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// spare returns a batch to fill, or nil if all are under way.
func (q *queue) spare() *vec.Batch {
	q.gate.mu.Lock()
	defer q.gate.mu.Unlock()
	n := len(q.free)
	if n == 0 {
		return nil
	}
	b := q.free[n-1]
	q.free = q.free[:n-1]
	return b
}

// poll takes an element from a queue that is not blocked; ok is false if
// there is none.
func (g *gate) poll(blocked []bool) (e element, from int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.queues)
	for k := range n {
		i := (g.turn + k) % n
		q := g.queues[i]
		if q.n == 0 || blocked[i] {
			continue
		}
		e = q.ring[q.head]
		q.ring[q.head] = element{}
		q.head = (q.head + 1) % queueCapacity
		q.n--
		g.turn = (i + 1) % n
		signal(q.space)
		return e, i, true
	}
	return e, 0, false
}

// recycle gives a batch back to its queue.
func (g *gate) recycle(from int, b *vec.Batch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := g.queues[from]
	q.free = append(q.free, b)
}

// Package produce writes records to partitions: batches as bytes, sequence
// numbers, at most five requests in flight a partition, and repeats that
// neither duplicate nor reorder within one producer epoch.
package produce

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/sqlstream/sqlstream/exec"
)

// Limits.
const (
	maxInFlight   = 5        // batches a partition: more, and the broker cannot tell repeats
	maxBuffered   = 32 << 20 // bytes that wait or are in flight; beyond it Begin blocks
	defaultBatch  = 192 << 10
	requestMillis = 30_000
)

// Config of a Producer.
type Config struct {
	Client     client.Config
	Topic      string
	Partitions int
	Codec      recordbatch.Codec
	BatchBytes int // 0: 192 KB; a batch is closed when it reaches it
	// Linger is how long a batch that is not full waits for more records; 0:
	// it leaves as soon as nothing of its partition is in flight.
	Linger time.Duration
	Clock  exec.Clock
	// Patience bounds how long a batch is repeated. 0: 2 minutes.
	Patience time.Duration
	// Waiting, if set, is told of each failed attempt: for how long the
	// partition has failed, and why. It must not block.
	Waiting func(time.Duration, error)
}

// Identity is in whose name batches are written.
type Identity struct {
	TransactionalID string // "": idempotent, no transaction
	Producer        client.Producer
}

// Producer writes to one topic. Begin, Append, End, Flush and SetIdentity
// belong to one goroutine; a sending goroutine and those of the connections
// do the rest.
//
// Invariants, under mu:
//   - a partition's flight is in the order of its sequence numbers, without
//     gaps, and only its head may be acknowledged;
//   - until the first batch of an identity is acknowledged it is alone: a
//     broker takes any sequence number from a producer that it does not know,
//     so a second batch could get in before a first one that failed;
//   - while one of a partition's requests is unanswered after another of them
//     failed, nothing more is sent for it; then all of flight is sent again.
type Producer struct {
	c       Config
	control *client.Control

	mu       sync.Mutex
	cond     *sync.Cond // state changed: for the sender, Begin and Flush
	parts    []partition
	identity Identity
	buffered int // bytes of batches closed and not acknowledged
	err      error
	closing  bool
	free     [][]byte // memory of acknowledged batches

	kick    chan struct{}           // ends the sender's pause
	conns   map[string]*client.Conn // the sender's
	leaders []string                // by partition; the sender's
	done    chan struct{}
	cancel  context.CancelFunc
}

type partition struct {
	open    recordbatch.Builder // what Append fills
	opened  time.Time           // when its first record came, with Linger
	ready   []*sealed           // closed, not sent
	flight  []*sealed           // sent, not acknowledged
	next    int32               // sequence number of the next batch
	known   bool                // the broker has acknowledged a batch of this identity
	waiting int                 // requests unanswered
	failed  bool                // one of flight failed: see the invariants
	written int64

	failingSince time.Time // zero while it goes well
	notBefore    time.Time // nothing is sent earlier
}

// sealed is a closed batch.
type sealed struct {
	builder recordbatch.Builder
	bytes   []byte
	first   int32 // sequence number
	sized   int
}

// New starts the sending goroutine; nothing is dialled yet. control belongs
// to the caller.
func New(c Config, control *client.Control) *Producer {
	if c.BatchBytes == 0 {
		c.BatchBytes = defaultBatch
	}
	if c.Patience == 0 {
		c.Patience = 2 * time.Minute
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Producer{c: c, control: control, parts: make([]partition, c.Partitions), conns: map[string]*client.Conn{},
		leaders: make([]string, c.Partitions), done: make(chan struct{}), cancel: cancel, kick: make(chan struct{}, 1)}
	p.cond = sync.NewCond(&p.mu)
	go p.send(ctx)
	return p
}

// SetIdentity begins a new producer epoch: sequence numbers start at 0. All
// batches before must be acknowledged.
func (p *Producer) SetIdentity(id Identity) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.parts {
		q := &p.parts[i]
		if len(q.flight)+len(q.ready) > 0 {
			panic("produce: new identity while batches are in flight")
		}
		q.next, q.written, q.known = 0, 0, false
	}
	p.identity = id
}

// Begin locks the open batches for Append and waits while too much is
// buffered. End must follow, also after an error.
func (p *Producer) Begin(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.wakeAll)
	defer stop()
	p.mu.Lock()
	for p.err == nil && ctx.Err() == nil && p.buffered > maxBuffered {
		p.cond.Wait()
	}
	if p.err != nil {
		return p.err
	}
	return ctx.Err()
}

// Append adds a record to the partition's open batch, between Begin and End.
// Key and value are copied; nil is null.
func (p *Producer) Append(part int32, timestamp int64, key, value []byte, headers []recordbatch.Header) {
	q := &p.parts[part]
	if q.open.Len() == 0 {
		q.open.Reset(p.memory())
		if p.c.Linger > 0 {
			q.opened = p.c.Clock.Now()
		}
	}
	q.open.Append(timestamp, key, value, headers)
	q.written++
	if q.open.Bytes() >= p.c.BatchBytes {
		p.closeBatch(q)
	}
}

// memory for a batch: that of an acknowledged one, if there is one.
func (p *Producer) memory() []byte {
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b
	}
	return make([]byte, 0, p.c.BatchBytes+p.c.BatchBytes/8)
}

func (p *Producer) closeBatch(q *partition) {
	s := &sealed{builder: q.open, sized: q.open.Bytes()}
	q.open = recordbatch.Builder{}
	q.ready = append(q.ready, s)
	p.buffered += s.sized
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// End lets the sender go on: closed batches, and open ones of partitions
// where nothing is in flight.
func (p *Producer) End() {
	p.cond.Broadcast()
	p.mu.Unlock()
}

func (p *Producer) wakeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cond.Broadcast()
}

// Flush returns when every record appended so far is acknowledged.
func (p *Producer) Flush(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.wakeAll)
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.parts {
		if q := &p.parts[i]; q.open.Len() > 0 {
			p.closeBatch(q)
		}
	}
	p.cond.Broadcast()
	for p.err == nil && ctx.Err() == nil && p.busyLocked() {
		p.cond.Wait()
	}
	if p.err != nil {
		return p.err
	}
	return ctx.Err()
}

func (p *Producer) busyLocked() bool {
	for i := range p.parts {
		if q := &p.parts[i]; len(q.ready)+len(q.flight) > 0 {
			return true
		}
	}
	return false
}

// Written is the number of records appended in this identity's name.
func (p *Producer) Written() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	var n int64
	for i := range p.parts {
		n += p.parts[i].written
	}
	return n
}

// Err is the error that ended the producer, nil while it works.
func (p *Producer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// errClosed ends whatever waits when the producer is closed.
var errClosed = errors.New("producer is closed")

// Close gives up what is not acknowledged and waits for the goroutines.
func (p *Producer) Close() error {
	p.mu.Lock()
	p.closing = true
	if p.err == nil {
		p.err = errClosed
	}
	p.cond.Broadcast()
	p.mu.Unlock()
	p.cancel()
	<-p.done
	for _, c := range p.conns {
		c.Close()
	}
	return nil
}

func (p *Producer) fail(err error) {
	if p.err == nil {
		p.err = fmt.Errorf("write to topic %q: %w", p.c.Topic, err)
	}
	p.cond.Broadcast()
}

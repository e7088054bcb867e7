// Package fetch reads partitions ahead: one goroutine a broker keeps one
// fetch under way and hands over what came as chunks of bytes, which nobody
// copies until a format decodes them.
package fetch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/sqlstream/sqlstream/exec"
)

// ahead is how many chunks a partition may be ahead of its reader.
const ahead = 2

// Config of a Fetcher.
type Config struct {
	Client         client.Config
	ReadCommitted  bool
	MaxWait        time.Duration // 0: 500 ms; how long a broker may wait for records
	MinBytes       int32         // 0: 1
	MaxBytes       int32         // 0: 8 MB; of one answer
	PartitionBytes int32         // 0: 1 MB; of one partition in an answer
	Clock          exec.Clock
	// Patience bounds how long a partition without a leader, or a broker that
	// is away, is waited for. 0: 2 minutes.
	Patience time.Duration
	// Waiting, if set, is told of each failed attempt: for how long the
	// partition has failed, and why. It must not block.
	Waiting func(time.Duration, error)
}

// Start is where the reading of a partition begins.
type Start struct {
	client.TP
	Offset int64
}

// Chunk is what one answer held of one partition: at least one batch or
// marker. Release gives its memory back.
type Chunk struct {
	Index   int    // of the partition in the starts
	Data    []byte // record batches; the last may be cut off
	Aborted []recordbatch.Aborted
	Next    int64 // offset after the last complete batch
	End     int64 // of the partition: last stable offset, or high watermark
	buffer  *buffer
}

// Release says that nothing refers to Data any more.
func (c *Chunk) Release() {
	if c.buffer != nil {
		c.buffer.release()
		c.buffer = nil
	}
}

// Fetcher reads a fixed set of partitions, from given offsets on.
type Fetcher struct {
	c       Config
	control *client.Control
	chunks  chan *Chunk
	failed  chan error // one element: the first error that ends it

	mu     sync.Mutex
	cond   *sync.Cond
	parts  []partition
	closed bool

	wg     sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
	pool   pool
}

type partition struct {
	client.TP
	offset   int64 // to fetch next
	end      int64 // as last heard; −1: not heard yet
	leader   string
	busy     bool // in a request under way
	queued   int  // chunks not taken yet
	done     bool // Stop was called
	badSince time.Time
}

// New looks up the leaders and begins to fetch. control belongs to the
// caller.
func New(c Config, control *client.Control, starts []Start) *Fetcher {
	c.MaxWait = orDefault(c.MaxWait, 500*time.Millisecond)
	c.MinBytes = orDefault(c.MinBytes, 1)
	c.MaxBytes = orDefault(c.MaxBytes, 8<<20)
	c.PartitionBytes = orDefault(c.PartitionBytes, 1<<20)
	c.Patience = orDefault(c.Patience, 2*time.Minute)
	f := &Fetcher{c: c, control: control, failed: make(chan error, 1),
		chunks: make(chan *Chunk, ahead*len(starts)+1), parts: make([]partition, len(starts))}
	f.cond = sync.NewCond(&f.mu)
	f.ctx, f.cancel = context.WithCancel(context.Background())
	for i, s := range starts {
		f.parts[i] = partition{TP: s.TP, offset: s.Offset, end: -1}
	}
	f.wg.Add(1)
	go f.supervise()
	return f
}

func orDefault[T int32 | time.Duration](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}

// Chunks are in offset order a partition. Taken must be called for each.
func (f *Fetcher) Chunks() <-chan *Chunk { return f.chunks }

// Failed gives the error that ended the fetcher.
func (f *Fetcher) Failed() <-chan error { return f.failed }

// Taken makes room for the partition's next chunk.
func (f *Fetcher) Taken(index int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.parts[index].queued--
	f.cond.Broadcast()
}

// Stop ends the fetching of one partition.
func (f *Fetcher) Stop(index int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.parts[index].done = true
}

// End is the partition's end as last heard; −1 before the first answer.
func (f *Fetcher) End(index int) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.parts[index].end
}

// Close ends all goroutines and waits for them.
func (f *Fetcher) Close() error {
	f.mu.Lock()
	f.closed = true
	f.cond.Broadcast()
	f.mu.Unlock()
	f.cancel()
	f.wg.Wait()
	return nil
}

func (f *Fetcher) fail(err error) {
	select {
	case f.failed <- err:
	default:
	}
}

// supervise finds a leader for each partition that has none, and runs a
// goroutine for each leader.
func (f *Fetcher) supervise() {
	defer f.wg.Done()
	running := map[string]bool{}
	for f.awaitOrphans() {
		if err := f.findLeaders(); err != nil {
			f.fail(err)
			return
		}
		for _, addr := range f.leaders() {
			if !running[addr] {
				running[addr] = true
				f.wg.Add(1)
				go f.serve(addr)
			}
		}
	}
}

// awaitOrphans returns when a partition has no leader; false when closed.
func (f *Fetcher) awaitOrphans() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.closed {
		for i := range f.parts {
			if p := &f.parts[i]; p.leader == "" && !p.done {
				return true
			}
		}
		f.cond.Wait()
	}
	return false
}

// findLeaders asks for the leaders of orphans. What may pass is waited out
// up to the patience; the error is final.
func (f *Fetcher) findLeaders() error {
	topics := map[string]client.Topic{}
	var first error
	for _, name := range f.orphanTopics() {
		t, err := f.control.Topic(f.ctx, name)
		if err != nil && !passing(err) {
			return err
		}
		if first == nil {
			first = err
		}
		topics[name] = t
	}
	if err := f.adopt(topics, first); err != nil {
		return err
	}
	return nil
}

func (f *Fetcher) orphanTopics() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	seen := map[string]bool{}
	for i := range f.parts {
		if p := &f.parts[i]; p.leader == "" && !p.done && !seen[p.Topic] {
			seen[p.Topic] = true
			names = append(names, p.Topic)
		}
	}
	return names
}

// adopt sets the leaders found. If some are still missing it pauses.
func (f *Fetcher) adopt(topics map[string]client.Topic, why error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	missing := false
	now := f.c.Clock.Now()
	for i := range f.parts {
		p := &f.parts[i]
		if p.leader != "" || p.done {
			continue
		}
		if ps := topics[p.Topic].Partitions; int(p.Partition) < len(ps) {
			p.leader = ps[p.Partition].Leader
		}
		if p.leader != "" {
			continue
		}
		missing = true
		if p.badSince.IsZero() {
			p.badSince = now
		}
		if now.Sub(p.badSince) > f.c.Patience {
			return fmt.Errorf("partition %s has had no reachable leader for %s: %w", p.TP, f.c.Patience, noLeader(why))
		}
		f.waiting(p, noLeader(why))
	}
	f.cond.Broadcast()
	if missing {
		f.pauseLocked(200 * time.Millisecond)
	}
	return nil
}

// waiting tells of a partition that cannot be read for now.
func (f *Fetcher) waiting(p *partition, why error) {
	if f.c.Waiting != nil {
		f.c.Waiting(f.c.Clock.Now().Sub(p.badSince), fmt.Errorf("partition %s: %w", p.TP, why))
	}
}

// pauseLocked waits without the lock.
func (f *Fetcher) pauseLocked(d time.Duration) {
	f.mu.Unlock()
	select {
	case <-f.c.Clock.After(d):
	case <-f.ctx.Done():
	}
	f.mu.Lock()
}

func (f *Fetcher) leaders() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var addrs []string
	for i := range f.parts {
		if f.parts[i].leader != "" {
			addrs = append(addrs, f.parts[i].leader)
		}
	}
	return addrs
}

package txnlog

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
)

// chunkBytes of records close a chunk: large enough that its synced write
// costs little a record, small enough for the state directory, which is made
// for values of up to 256 KB.
const chunkBytes = 256 << 10

// queued chunks, at most, wait for the disk. Those that wait together, up to
// groupBytes, are one synced write; the state directory takes no larger one.
const (
	queued     = 8
	groupBytes = 512 << 10
)

// Log is the log of one writer: of its open transaction, and of those that it
// pre-committed and that are not settled. Its methods belong to the writer's
// goroutine; a goroutine of its own writes and deletes, one after the other.
//
// Invariants:
//   - a chunk is durable before the next one of its log is written;
//   - what Sync has answered nil for is durable as a whole.
type Log struct {
	journal checkpoint.Journal
	usage   *Usage

	name   string   // "": no transaction is open
	chunk  []byte   // records of the chunk being filled
	closed [][]byte // not yet handed over
	chunks int      // closed ones of the open transaction
	bytes  int64
	over   int64 // size of all logs when the open transaction was given up: it is not logged any more; 0: it is
	kept   map[string]size

	jobs chan job
	done chan struct{}
	mu   sync.Mutex
	err  error // of the goroutine's writes for the open transaction
	quit bool
}

type size struct {
	by     checkpoint.ID // that pre-committed it
	chunks int
	bytes  int64
}

// job is one thing for the goroutine to do, in order.
type job struct {
	name    string
	n       int    // number of the chunk
	chunk   []byte // to write
	remove  int    // so many chunks to delete
	barrier chan<- struct{}
}

// New starts the log's goroutine.
func New(j checkpoint.Journal, u *Usage) *Log {
	l := &Log{journal: j, usage: u, kept: map[string]size{}, jobs: make(chan job, queued), done: make(chan struct{})}
	go l.work()
	return l
}

// Begin opens the log of a transaction. The one before must have been kept.
func (l *Log) Begin(name string) {
	l.name, l.chunks, l.bytes, l.over = name, 0, 0, 0
	l.chunk = l.chunk[:0]
	l.setErr(nil)
}

// Name is that of the open transaction's log.
func (l *Log) Name() string { return l.name }

// Append logs a record; Push must follow. It never blocks.
func (l *Log) Append(part int32, millis int64, key, value []byte, headers []recordbatch.Header) {
	if l.over > 0 {
		return
	}
	l.chunk = appendRecord(l.chunk, &Record{part, millis, key, value, headers})
	if len(l.chunk) >= chunkBytes {
		l.closeChunk()
	}
}

func (l *Log) closeChunk() {
	c := seal(l.chunk)
	l.closed = append(l.closed, c)
	l.bytes += int64(len(c))
	l.over = l.usage.add(int64(len(c)))
	l.chunk = l.chunk[:0]
}

// Push hands closed chunks to the goroutine. It blocks while too many wait.
func (l *Log) Push(ctx context.Context) error {
	for _, c := range l.closed {
		if err := l.do(ctx, job{name: l.name, n: l.chunks, chunk: c}); err != nil {
			return err
		}
		l.chunks++
	}
	l.closed = l.closed[:0]
	return nil
}

func (l *Log) do(ctx context.Context, j job) error {
	select {
	case l.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// End closes the open transaction's last chunk, beside which the writer may
// flush its producer.
func (l *Log) End(ctx context.Context) error {
	if len(l.chunk) > 0 {
		l.closeChunk()
	}
	return l.Push(ctx)
}

// Sync returns nil when the whole log of the open transaction is durable, for
// a checkpoint. final: no later one will find more room, so what the slack
// could take is enough. A FullError or checkpoint.ErrNoSpace leaves the transaction
// open.
func (l *Log) Sync(ctx context.Context, id checkpoint.ID, final bool) error {
	if err := l.usage.room(id, l.over, final); err != nil {
		return err
	}
	reached := make(chan struct{}, 1)
	if err := l.do(ctx, job{barrier: reached}); err != nil {
		return err
	}
	select {
	case <-reached:
	case <-ctx.Done():
		return ctx.Err()
	}
	return l.Err()
}

// Keep ends the transaction, which a checkpoint pre-committed: its log stays
// until Drop.
func (l *Log) Keep(id checkpoint.ID) {
	l.kept[l.name] = size{id, l.chunks, l.bytes}
	l.usage.keep(id, l.bytes)
	l.name = ""
}

// Drop deletes the log of a transaction whose outcome is durable, beside the
// writer. One that another writer kept is left to Sweep.
func (l *Log) Drop(ctx context.Context, name string) error {
	s, ok := l.kept[name]
	if !ok {
		return nil
	}
	delete(l.kept, name)
	l.usage.drop(s.by, s.bytes) // its room is another's by the time that one is durable
	return l.do(ctx, job{name: name, remove: s.chunks})
}

// Err is what went wrong in writing the open transaction's log.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *Log) setErr(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// Close waits for the goroutine. Deletes that were asked for are done; the
// log of an open transaction is left to Sweep.
func (l *Log) Close() error {
	l.mu.Lock()
	l.quit = true
	l.mu.Unlock()
	close(l.jobs)
	<-l.done
	return nil
}

func (l *Log) work() {
	defer close(l.done)
	for j := range l.jobs {
		if j.chunk != nil {
			j = l.write(j)
		}
		switch {
		case j.barrier != nil:
			j.barrier <- struct{}{}
		case j.remove > 0:
			l.remove(j)
		}
	}
}

// write makes a chunk durable, and those that wait behind it. It returns the
// job that is next, if it has taken one that is no chunk.
func (l *Log) write(j job) (next job) {
	for j.chunk != nil {
		group, bytes := []checkpoint.Entry{{Key: chunkKey(j.name, j.n), Value: j.chunk}}, len(j.chunk)
		for j = l.waiting(); j.chunk != nil && bytes+len(j.chunk) <= groupBytes; j = l.waiting() {
			group = append(group, checkpoint.Entry{Key: chunkKey(j.name, j.n), Value: j.chunk})
			bytes += len(j.chunk)
		}
		l.put(group)
	}
	return j
}

// waiting is the next job, nothing if none waits.
func (l *Log) waiting() job {
	select {
	case j := <-l.jobs:
		return j
	default:
		return job{}
	}
}

// put gives a log up after an error: a later chunk must not hide the gap.
func (l *Log) put(group []checkpoint.Entry) {
	l.mu.Lock()
	skip := l.quit || l.err != nil
	l.mu.Unlock()
	if skip {
		return
	}
	if err := writeAll(l.journal, group); err != nil {
		l.setErr(fmt.Errorf("pre-commit log: %w", err))
	}
}

// remove: what cannot be deleted now is left to Sweep at the next start.
func (l *Log) remove(j job) { _ = removeChunks(l.journal, j.name, j.remove) }

// Declines tells whether the error of Sync leaves the transaction open, so
// that a later checkpoint may take it.
func Declines(err error) bool {
	var full *FullError
	return errors.As(err, &full) && !full.Stop || errors.Is(err, checkpoint.ErrNoSpace)
}

package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/fetch"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// reader reads the partitions of one subtask.
//
// A chunk is read in runs: record batches that share one buffer, decoded to
// columns of spans. Next hands a slice of the run to the format. The buffers
// behind the rows returned are kept until the next call.
type reader struct {
	src     *source
	ctx     exec.SourceContext
	control *client.Control // for group offsets
	leaders *client.Control // the fetcher's
	fetcher *fetch.Fetcher
	splits  []exec.Split
	parts   []partition
	ended   []int // have no more rows, and Next has not said so

	value, key format.Decoder
	meta       []castColumn
	inner      vec.Batch // columns of the value decoder, where it is not alone
	keys       vec.Batch
	filter     *expr.Filter
	env        fn.Env
	sel        []int32
	ops        []vec.Op

	current *fetch.Chunk // being read
	from    recordbatch.Reader
	keep    *recordbatch.Filter
	over    *recordbatch.Batch // taken from current, but not for this run
	run     recordbatch.Records
	epochs  []int32 // leader epoch and kind of timestamp, by record of the run
	appends []bool
	at      int // first record of run not returned
	split   int // whose records run holds
	release []*fetch.Chunk

	limit   connectors.RateLimit
	commits committer
}

// partition is one split's progress.
type partition struct {
	client.TP
	position
	start int64 // where this process began
	rows  bool  // some were returned
}

func (s *source) Reader(ctx exec.SourceContext, splits []exec.Split) (exec.Reader, error) {
	r := &reader{src: s, ctx: ctx, splits: slices.Clone(splits), parts: make([]partition, len(splits)),
		env: fn.Env{Zone: s.table.Env.Zone}, limit: connectors.RateLimitOf(s.table.Options, s.scan.Parallelism, ctx.Clock)}
	var err error
	if r.value, r.key, err = s.decoders(func(int, error) { ctx.Metrics.Skipped.Add(1) }); err != nil {
		return nil, err
	}
	if r.meta, err = compileMeta(s.plan.meta); err != nil {
		return nil, err
	}
	if !s.plan.direct && s.scan.Filter != nil {
		if r.filter, err = expr.CompileFilter(s.scan.Filter); err != nil {
			return nil, err
		}
	}
	starts := make([]fetch.Start, len(splits))
	for i, sp := range splits {
		p := &r.parts[i]
		if p.TP, err = parseSplitID(sp.ID); err != nil {
			return nil, err
		}
		if p.position, err = decodePosition(sp.Position); err != nil {
			return nil, fmt.Errorf("partition %s: %w", p.TP, err)
		}
		p.start = p.next
		starts[i] = fetch.Start{TP: p.TP, Offset: p.next}
	}
	r.open(starts)
	return r, nil
}

func (r *reader) open(starts []fetch.Start) {
	s, o := r.src, r.src.table.Options
	r.control = client.NewControl(s.client)
	r.commits = committer{group: o.Text(optGroup), control: r.control, log: r.ctx.Log}
	if len(starts) == 0 {
		return
	}
	r.leaders = client.NewControl(s.client)
	r.fetcher = fetch.New(fetch.Config{
		Client: s.client, ReadCommitted: s.committed(), Clock: r.ctx.Clock, Waiting: waiting(r.ctx.Log, r.ctx.Clock, "source", starts[0].Topic),
		MaxWait: time.Duration(o.Int("properties.fetch.max.wait.ms")) * time.Millisecond, MinBytes: int32(o.Int("properties.fetch.min.bytes")),
		MaxBytes: int32(o.Int("properties.fetch.max.bytes")), PartitionBytes: int32(o.Int("properties.max.partition.fetch.bytes")),
	}, r.leaders, starts)
	for i := range r.parts {
		if r.parts[i].next >= r.parts[i].end {
			r.end(i)
		}
	}
}

// end notes that a partition has no more rows; Next says so once.
func (r *reader) end(i int) {
	r.fetcher.Stop(i)
	r.ended = append(r.ended, i)
}

// Next returns up to vec.MaxRows records of one partition.
func (r *reader) Next(ctx context.Context, b *vec.Batch) (split int, ended bool, err error) {
	b.N, b.Ops, b.Sel, b.Hash = 0, nil, nil, nil
	for _, c := range r.release {
		c.Release()
	}
	r.release = r.release[:0]
	if i, ok := r.popEnded(); ok {
		return i, true, nil
	}
	for {
		if n := r.ready(); n > 0 {
			return r.rows(ctx, b, n)
		}
		if more, err := r.fill(ctx); err != nil || !more {
			return r.split, false, err
		}
		if i, ok := r.popEnded(); ok {
			return i, true, nil
		}
	}
}

func (r *reader) popEnded() (int, bool) {
	if len(r.ended) == 0 || r.at < r.run.Len() {
		return 0, false
	}
	i := r.ended[0]
	r.ended = r.ended[1:]
	return i, true
}

// ready is the number of decoded records that may be returned next.
func (r *reader) ready() int { return min(r.run.Len()-r.at, vec.MaxRows) }

// rows returns the next n records of the run, or fewer if the rate is
// limited.
func (r *reader) rows(ctx context.Context, b *vec.Batch, n int) (int, bool, error) {
	split := r.split
	n, wait := r.limit.Allow(n)
	if n == 0 {
		_, err := connectors.Pause(ctx, &r.ctx, wait)
		return split, false, err
	}
	from, to := r.at, r.at+n
	r.at = to
	p := &r.parts[split]
	p.next, p.rows = r.run.Offsets[to-1]+1, true
	r.finishChunk()
	if err := r.decode(b, from, to); err != nil {
		return split, false, r.located(split, from, err)
	}
	ended := false
	if len(r.ended) > 0 && r.ended[0] == split && r.at == r.run.Len() {
		_, ended = r.popEnded()
	}
	return split, ended, nil
}

func (r *reader) located(split, from int, err error) error {
	var e *format.Error
	if errors.As(err, &e) {
		return exec.Fatal(fmt.Errorf("partition %s, offset %d: %w; 'on-error' = 'skip' or 'null' would go on", r.parts[split].TP, r.run.Offsets[from+e.Message], e))
	}
	return fmt.Errorf("partition %s: %w", r.parts[split].TP, err)
}

// fill decodes the next run; false if there is none yet, and the wait is
// over.
func (r *reader) fill(ctx context.Context) (bool, error) {
	if r.current == nil {
		if ok, err := r.take(ctx); !ok {
			return false, err
		}
	}
	r.run.Reset()
	r.split = r.current.Index
	r.at, r.epochs, r.appends = 0, r.epochs[:0], r.appends[:0]
	p := &r.parts[r.current.Index]
	for r.run.Len() < vec.MinRows {
		batch, ok, err := r.nextBatch()
		if err != nil {
			return false, exec.Fatal(fmt.Errorf("partition %s: %w", p.TP, err))
		}
		if !ok {
			break
		}
		if !batch.CanAppendTo(&r.run) {
			r.over = &batch
			break
		}
		if err := r.append(&batch, p); err != nil {
			return false, exec.Fatal(fmt.Errorf("partition %s: %w", p.TP, err))
		}
	}
	r.finishChunk()
	return true, nil
}

// nextBatch is the next batch of the chunk that is to be delivered.
func (r *reader) nextBatch() (recordbatch.Batch, bool, error) {
	if r.over != nil {
		b := *r.over
		r.over = nil
		return b, true, nil
	}
	for {
		b, ok, err := r.from.Next()
		if err != nil || !ok {
			return b, false, err
		}
		if r.keep.Keep(&b) && b.LastOffset >= r.parts[r.current.Index].next {
			return b, true, nil
		}
	}
}

// append decodes a batch and cuts off what is before the position (a fetch
// begins at a batch) or not to be read.
func (r *reader) append(b *recordbatch.Batch, p *partition) error {
	first := r.run.Len()
	if err := b.AppendTo(&r.run, &r.from); err != nil {
		return err
	}
	r.run.Trim(first, p.next, p.end)
	for range r.run.Len() - first {
		r.epochs, r.appends = append(r.epochs, b.LeaderEpoch), append(r.appends, b.LogAppendTime())
	}
	return nil
}

// finishChunk gives the chunk up once all of it was returned: the position
// moves past what has no records (transaction markers, aborted ranges).
func (r *reader) finishChunk() {
	if r.at < r.run.Len() || r.over != nil {
		return
	}
	rest := r.from
	if _, more, err := rest.Skip(); more || err != nil {
		return
	}
	c := r.current
	p := &r.parts[c.Index]
	p.next = max(p.next, min(c.Next, p.end))
	if c.Next >= p.end {
		p.next = p.end
		r.end(c.Index)
	}
	r.measureLag()
	r.fetcher.Taken(c.Index)
	r.release, r.current = append(r.release, c), nil
}

// take waits for a chunk: until there is one, the runtime wants the
// goroutine, or 50 ms have passed.
func (r *reader) take(ctx context.Context) (bool, error) {
	if r.fetcher == nil {
		_, err := connectors.Pause(ctx, &r.ctx, connectors.MaxPause)
		return false, err
	}
	for {
		c, err := r.nextChunk(ctx)
		if c == nil {
			return false, err
		}
		if r.parts[c.Index].next >= r.parts[c.Index].end { // ended before it came
			r.fetcher.Taken(c.Index)
			c.Release()
			continue
		}
		r.current, r.from, r.keep = c, recordbatch.NewReader(c.Data), recordbatch.NewFilter(c.Aborted)
		if !r.src.committed() {
			r.keep = recordbatch.NewFilter(nil)
		}
		return true, nil
	}
}

func (r *reader) nextChunk(ctx context.Context) (*fetch.Chunk, error) {
	select {
	case c := <-r.fetcher.Chunks():
		return c, nil
	case err := <-r.fetcher.Failed():
		return nil, explain(err)
	default:
	}
	select {
	case c := <-r.fetcher.Chunks():
		return c, nil
	case err := <-r.fetcher.Failed():
		return nil, explain(err)
	case <-r.ctx.Wake:
		return nil, nil
	case <-r.ctx.Clock.After(connectors.MaxPause):
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Positions are those of the rows returned.
func (r *reader) Positions() []exec.Split {
	for i := range r.parts {
		r.splits[i].Position = r.parts[i].encode()
	}
	return slices.Clone(r.splits)
}

// Idle: an empty partition, where nothing was to be read when it was first
// looked at.
func (r *reader) Idle(i int) bool {
	p := &r.parts[i]
	if p.rows || r.fetcher == nil {
		return false
	}
	end := r.fetcher.End(i)
	return end >= 0 && end <= p.start
}

func (r *reader) measureLag() {
	var lag int64
	for i := range r.parts {
		if end := r.fetcher.End(i); end >= 0 {
			lag += max(0, min(end, r.parts[i].end)-r.parts[i].next)
		}
	}
	r.ctx.Metrics.Lag.Store(lag)
}

// Completed commits the group's offsets, for lag tools, beside the reading.
func (r *reader) Completed(_ context.Context, positions []exec.Split) error {
	return r.commits.start(positions)
}

func (r *reader) Close() error {
	r.commits.wait()
	if r.fetcher == nil {
		return r.control.Close()
	}
	return errors.Join(r.fetcher.Close(), r.leaders.Close(), r.control.Close())
}

var _ exec.Idler = (*reader)(nil)

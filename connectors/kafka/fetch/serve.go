package fetch

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fetchVersion is the greatest that names topics and not their ids.
const fetchVersion = 12

// want is a partition in a request.
type want struct {
	index  int
	tp     client.TP
	offset int64
}

// serve fetches from one broker until the fetcher is closed.
func (f *Fetcher) serve(addr string) {
	defer f.wg.Done()
	var conn *client.Conn
	defer func() {
		if conn != nil {
			conn.Close()
		}
	}()
	for {
		wants, hurry := f.pick(addr)
		if wants == nil {
			return
		}
		var err error
		if conn == nil || conn.Err() != nil {
			if conn != nil {
				conn.Close()
			}
			conn, err = client.Dial(f.ctx, f.c.Client, addr)
		}
		if err == nil {
			err = f.fetch(conn, wants, hurry)
		}
		if err != nil {
			f.orphan(wants, err)
		}
	}
}

// pick waits for partitions of the broker that may be fetched; nil when
// closed. hurry: others are left out because their reader is behind, so the
// broker must not wait long.
func (f *Fetcher) pick(addr string) (wants []want, hurry bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.closed {
		wants, hurry = wants[:0], false
		for i := range f.parts {
			p := &f.parts[i]
			if p.leader != addr || p.done || p.busy {
				continue
			}
			if p.queued >= ahead {
				hurry = true
				continue
			}
			wants = append(wants, want{i, p.TP, p.offset})
		}
		if len(wants) > 0 {
			for _, w := range wants {
				f.parts[w.index].busy = true
			}
			return wants, hurry
		}
		f.cond.Wait()
	}
	return nil, false
}

// orphan gives partitions back whose broker did not answer: their leader is
// looked up anew.
func (f *Fetcher) orphan(wants []want, err error) {
	if !passing(err) {
		f.fail(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range wants {
		p := &f.parts[w.index]
		p.busy, p.leader = false, ""
		if p.badSince.IsZero() {
			p.badSince = f.c.Clock.Now()
		} else if f.c.Clock.Now().Sub(p.badSince) > f.c.Patience {
			f.fail(fmt.Errorf("partition %s: %w", p.TP, err))
		}
		f.waiting(p, err)
	}
	f.cond.Broadcast()
	f.pauseLocked(100 * time.Millisecond)
}

func (f *Fetcher) fetch(conn *client.Conn, wants []want, hurry bool) error {
	req := f.request(conn, wants, hurry)
	buf := f.pool.get()
	type answer struct {
		resp kmsg.Response
		err  error
	}
	ch := make(chan answer, 1)
	err := conn.Send(req, buf.alloc, func(r kmsg.Response, err error) { ch <- answer{r, err} })
	if err != nil {
		buf.release()
		return err
	}
	select {
	case a := <-ch:
		defer buf.release()
		if a.err != nil {
			return a.err
		}
		return f.deliver(a.resp.(*kmsg.FetchResponse), wants, buf)
	case <-f.ctx.Done():
		conn.Close() // the answer would go into a buffer that nobody watches
		return f.ctx.Err()
	}
}

func (f *Fetcher) request(conn *client.Conn, wants []want, hurry bool) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.Version = conn.Version(kmsg.Fetch, fetchVersion)
	req.MaxWaitMillis = int32(f.c.MaxWait.Milliseconds())
	if hurry {
		req.MaxWaitMillis = min(req.MaxWaitMillis, 20)
	}
	req.MinBytes, req.MaxBytes = f.c.MinBytes, f.c.MaxBytes
	req.SessionEpoch = -1 // no fetch session
	if f.c.ReadCommitted {
		req.IsolationLevel = 1
	}
	topics := map[string]int{}
	for _, w := range wants {
		at, ok := topics[w.tp.Topic]
		if !ok {
			at = len(req.Topics)
			topics[w.tp.Topic] = at
			t := kmsg.NewFetchRequestTopic()
			t.Topic = w.tp.Topic
			req.Topics = append(req.Topics, t)
		}
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = w.tp.Partition, w.offset, f.c.PartitionBytes
		req.Topics[at].Partitions = append(req.Topics[at].Partitions, p)
	}
	return req
}

// deliver hands out what the answer holds.
func (f *Fetcher) deliver(resp *kmsg.FetchResponse, wants []want, buf *buffer) error {
	if err := codes.Err(resp.ErrorCode); err != nil {
		return err
	}
	if resp.ThrottleMillis > 0 {
		defer func() {
			f.mu.Lock()
			f.pauseLocked(time.Duration(resp.ThrottleMillis) * time.Millisecond)
			f.mu.Unlock()
		}()
	}
	index := map[client.TP]want{}
	for _, w := range wants {
		index[w.tp] = w
	}
	for _, t := range resp.Topics {
		for i := range t.Partitions {
			p := &t.Partitions[i]
			w, ok := index[client.TP{Topic: t.Topic, Partition: p.Partition}]
			if !ok {
				continue
			}
			delete(index, w.tp)
			if err := f.take(w, p, buf); err != nil {
				return err
			}
		}
	}
	for _, w := range index { // not answered for
		f.finish(w.index, w.offset, -1, nil)
	}
	return nil
}

func (f *Fetcher) take(w want, p *kmsg.FetchResponseTopicPartition, buf *buffer) error {
	if err := codes.Err(p.ErrorCode); err != nil {
		return f.refused(w, codes.Missing(err, "READ", codes.OnTopic, w.tp.Topic))
	}
	end := p.HighWatermark
	if f.c.ReadCommitted && p.LastStableOffset >= 0 {
		end = p.LastStableOffset
	}
	next, err := nextOffset(p.RecordBatches, w.offset)
	if err != nil { // reading it again shows the same
		err = exec.Fatal(fmt.Errorf("partition %s: %w", w.tp, err))
		f.fail(err)
		return err
	}
	if next == w.offset {
		if len(p.RecordBatches) > 0 {
			f.fail(fmt.Errorf("partition %s, offset %d: a batch is larger than 'properties.max.partition.fetch.bytes' and the broker cut it off", w.tp, w.offset))
		}
		f.finish(w.index, next, end, nil)
		return nil
	}
	c := &Chunk{Index: w.index, Data: p.RecordBatches, Next: next, End: end, buffer: buf}
	for _, a := range p.AbortedTransactions {
		c.Aborted = append(c.Aborted, recordbatch.Aborted{ProducerID: a.ProducerID, FirstOffset: a.FirstOffset})
	}
	buf.retain()
	f.finish(w.index, next, end, c)
	return nil
}

// nextOffset walks the headers. An answer may begin with a batch whose first
// records are before the wanted offset.
func nextOffset(data []byte, offset int64) (int64, error) {
	r := recordbatch.NewReader(data)
	for {
		last, ok, err := r.Skip()
		if err != nil || !ok {
			return offset, err
		}
		offset = max(offset, last+1)
	}
}

// finish ends the partition's part in a request; c is what came, or nil.
func (f *Fetcher) finish(index int, next, end int64, c *Chunk) {
	f.mu.Lock()
	p := &f.parts[index]
	p.busy, p.offset, p.badSince = false, next, time.Time{}
	if end >= 0 {
		p.end = end
	}
	if c != nil {
		p.queued++
	}
	f.mu.Unlock()
	if c != nil {
		f.chunks <- c // has room: queued is bounded
	}
}

// refused sorts an answer for one partition.
func (f *Fetcher) refused(w want, err error) error {
	switch {
	case codes.Is(err, codes.OffsetOutOfRange):
		f.fail(f.outOfRange(w))
	case passing(err):
	default:
		f.fail(fmt.Errorf("partition %s: %w", w.tp, err))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.parts[w.index]
	p.busy, p.leader = false, ""
	if p.badSince.IsZero() {
		p.badSince = f.c.Clock.Now()
	}
	f.cond.Broadcast()
	return nil
}

// OutOfRangeError: the records at a position are gone, or not there any more.
type OutOfRangeError struct {
	client.TP
	Offset, Earliest, Latest int64
}

func (e *OutOfRangeError) Error() string {
	return fmt.Sprintf("partition %s: offset %d is to be read next, but the topic holds %d to %d: the records were deleted by retention, or the topic was made again; nothing is skipped in silence: start anew with --fresh, or choose another 'scan.startup.mode'",
		e.TP, e.Offset, e.Earliest, e.Latest)
}

func (f *Fetcher) outOfRange(w want) error {
	e := &OutOfRangeError{TP: w.tp, Offset: w.offset, Earliest: -1, Latest: -1}
	if o, err := f.control.ListOffsets(f.ctx, map[client.TP]int64{w.tp: client.Earliest}, false); err == nil {
		e.Earliest = o[w.tp]
	}
	if o, err := f.control.ListOffsets(f.ctx, map[client.TP]int64{w.tp: client.Latest}, f.c.ReadCommitted); err == nil {
		e.Latest = o[w.tp]
	}
	return exec.Fatal(e)
}

// passing: it may be over in a moment.
func passing(err error) bool {
	if _, answered := codes.Of(err); !answered {
		return true
	}
	return codes.Is(err, codes.NotLeader, codes.LeaderNotAvailable, codes.ReplicaNotAvailable, codes.RequestTimedOut, codes.NetworkException,
		codes.FencedLeaderEpoch, codes.UnknownLeaderEpoch, codes.OffsetNotAvailable, codes.KafkaStorageError, codes.UnknownServerError, codes.ThrottlingQuota)
}

func noLeader(err error) error {
	if err == nil {
		return codes.LeaderNotAvailable
	}
	return err
}

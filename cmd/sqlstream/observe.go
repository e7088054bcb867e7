package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// observed is what two consumers, independent of the engine, see of a topic
// of one partition while a job writes it.
type observed struct {
	committed, dirty *consumer
	end              atomic.Int64 // offset up to which they read; −1: not known yet
	wait             sync.WaitGroup
	cancel           context.CancelFunc
	bootstrap, topic string

	elapsed, cpu time.Duration
	crashes      int
}

// consumer reads at one isolation level. latencies are of rows with read_at.
type consumer struct {
	client    *kgo.Client
	upsert    bool
	rows      map[string]int // appended rows
	table     map[string]string
	latencies []time.Duration
	err       error
}

// observe begins to read.
func observe(ctx context.Context, bootstrap, topic string, upsert bool) (*observed, error) {
	o := &observed{bootstrap: bootstrap, topic: topic}
	o.end.Store(-1)
	ctx, o.cancel = context.WithCancel(ctx)
	for _, c := range []struct {
		to    **consumer
		level kgo.IsolationLevel
	}{{&o.committed, kgo.ReadCommitted()}, {&o.dirty, kgo.ReadUncommitted()}} {
		client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
			kgo.FetchIsolationLevel(c.level), kgo.KeepControlRecords(), kgo.FetchMaxWait(10*time.Millisecond))
		if err != nil {
			o.cancel()
			return nil, err
		}
		*c.to = &consumer{client: client, upsert: upsert, rows: map[string]int{}, table: map[string]string{}}
		o.wait.Add(1)
		go func(c *consumer) {
			defer o.wait.Done()
			c.read(ctx, &o.end)
		}(*c.to)
	}
	return o, nil
}

// finish reads what is there and ends.
func (o *observed) finish(ctx context.Context) error {
	end, err := o.endOffset(ctx)
	if err == nil {
		o.end.Store(end)
		done := make(chan struct{})
		go func() { o.wait.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			err = fmt.Errorf("topic %s could not be read to its end", o.topic)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	o.cancel()
	o.wait.Wait()
	o.committed.client.Close()
	o.dirty.client.Close()
	return errors.Join(err, o.committed.err, o.dirty.err)
}

func (o *observed) endOffset(ctx context.Context) (int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = o.topic
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Timestamp = -1
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	for _, s := range o.dirty.client.RequestSharded(ctx, req) {
		if s.Err != nil {
			return 0, s.Err
		}
		if resp, ok := s.Resp.(*kmsg.ListOffsetsResponse); ok && len(resp.Topics) > 0 && len(resp.Topics[0].Partitions) > 0 {
			return resp.Topics[0].Partitions[0].Offset, nil
		}
	}
	return 0, fmt.Errorf("topic %s: no answer to ListOffsets", o.topic)
}

func (c *consumer) read(ctx context.Context, end *atomic.Int64) {
	var next int64
	for {
		if e := end.Load(); e >= 0 && next >= e {
			return
		}
		poll, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		fetches := c.client.PollFetches(poll)
		cancel()
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		fetches.EachRecord(func(r *kgo.Record) {
			next = r.Offset + 1
			if !r.Attrs.IsControl() {
				c.take(r, now)
			}
		})
		fetches.EachError(func(_ string, _ int32, err error) {
			if !errors.Is(err, context.DeadlineExceeded) && c.err == nil {
				c.err = err
			}
		})
		if c.err != nil {
			return
		}
		// Aborted rows at the end are skipped without a record.
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			if p.LastStableOffset > 0 && len(p.Records) == 0 {
				next = max(next, p.LastStableOffset)
			}
		})
	}
}

// take counts a row, without its read_at.
func (c *consumer) take(r *kgo.Record, now time.Time) {
	if r.Value == nil {
		delete(c.table, string(r.Key))
		return
	}
	var row map[string]any
	if err := json.Unmarshal(r.Value, &row); err != nil {
		c.err = fmt.Errorf("topic %s, offset %d: %w", r.Topic, r.Offset, err)
		return
	}
	if at, ok := row["read_at"].(string); ok {
		if t, err := time.Parse("2006-01-02 15:04:05.999", at); err == nil {
			c.latencies = append(c.latencies, now.Sub(t))
		}
	}
	delete(row, "read_at")
	text, err := json.Marshal(row)
	if err != nil {
		c.err = err
		return
	}
	if c.upsert {
		c.table[string(r.Key)] = string(text)
		return
	}
	c.rows[string(text)]++
}

// multiset is what the consumer ended with: all rows, or the table.
func (c *consumer) multiset() map[string]int {
	if !c.upsert {
		return c.rows
	}
	m := map[string]int{}
	for _, row := range c.table {
		m[row]++
	}
	return m
}

// compare counts what is missing from, and too much in, what a reader saw.
func (o *observed) compare(v variant, want *observed) comparison {
	expected := want.committed.multiset()
	n := 0
	for _, k := range expected {
		n += k
	}
	r := comparison{Guarantee: v.name, Expected: n, Crashes: o.crashes, CPU: o.cpu.Seconds(), Throughput: float64(n) / o.elapsed.Seconds()}
	r.Committed, r.Dirty = count(expected, o.committed.multiset()), count(expected, o.dirty.multiset())
	l := o.committed.latencies
	slices.Sort(l)
	if len(l) > 0 {
		r.P50, r.P99 = millis(l[len(l)/2]), millis(l[len(l)*99/100])
	}
	return r
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func count(want, got map[string]int) (c counted) {
	for row, n := range want {
		c.Lost += max(0, n-got[row])
	}
	for row, n := range got {
		c.Duplicated += max(0, n-want[row])
	}
	return c
}

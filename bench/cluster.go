package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// cluster is the broker that a run uses.
type cluster struct {
	bootstrap string
	process   *exec.Cmd // nil: it ran already
}

// connect starts a broker, or takes the one that runs, and makes the topics.
func connect(ctx context.Context, o options, topics []string) (*cluster, error) {
	c := &cluster{bootstrap: o.broker}
	if o.broker != "" {
		return c, c.createTopics(ctx, topics)
	}
	args := []string{"broker", "--listen", "127.0.0.1:0"}
	for _, t := range topics {
		args = append(args, "--topic", t+":1")
	}
	c.process = exec.CommandContext(ctx, o.binary, args...)
	out, err := c.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.process.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the broker did not start: %w", err)
	}
	c.bootstrap = strings.TrimSpace(line)
	return c, nil
}

func (c *cluster) close() {
	if c.process != nil {
		_ = c.process.Process.Signal(syscall.SIGTERM)
		_ = c.process.Wait()
	}
}

func (c *cluster) client(opts ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.bootstrap)}, opts...)...)
}

func (c *cluster) createTopics(ctx context.Context, topics []string) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	defer client.Close()
	req := kmsg.NewPtrCreateTopicsRequest()
	for _, name := range topics {
		t := kmsg.NewCreateTopicsRequestTopic()
		t.Topic, t.NumPartitions, t.ReplicationFactor = name, 1, 1
		req.Topics = append(req.Topics, t)
	}
	_, err = req.RequestWith(ctx, client)
	return err
}

// drop deletes an output that was read: the embedded broker holds it in memory.
func (c *cluster) drop(ctx context.Context, topic string) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	defer client.Close()
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.TopicNames = []string{topic}
	t := kmsg.NewDeleteTopicsRequestTopic()
	t.Topic = kmsg.StringPtr(topic)
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return fmt.Errorf("topic %s cannot be deleted: %w", topic, err)
		}
	}
	return nil
}

// load produces the events and shows each bid to the oracles.
func (c *cluster) load(ctx context.Context, o options, oracles []oracle) (bytes int64, err error) {
	client, err := c.client(kgo.DefaultProduceTopic("nexmark"), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(900_000), kgo.MaxBufferedRecords(200_000), kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	g := newNexmark(o.seed, o.perSecond)
	var failed atomic.Pointer[error]
	promise := func(_ *kgo.Record, err error) {
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		}
	}
	var b bid
	for range o.events {
		value, isBid := g.next(make([]byte, 0, 400), &b)
		bytes += int64(len(value))
		client.Produce(ctx, &kgo.Record{Value: value}, promise)
		if !isBid {
			continue
		}
		for _, or := range oracles {
			or.bid(&b)
		}
	}
	if err := client.Flush(ctx); err != nil {
		return 0, err
	}
	if p := failed.Load(); p != nil {
		return 0, *p
	}
	return bytes, nil
}

// read returns the digest of a topic as a read_committed consumer sees it;
// with upsert the last value of each key counts.
func (c *cluster) read(ctx context.Context, topic string, upsert bool) (d digest, err error) {
	end, err := c.endOffset(ctx, topic)
	if err != nil || end == 0 {
		return d, err
	}
	client, err := c.client(kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	if err != nil {
		return d, err
	}
	defer client.Close()
	last := map[string][]byte{}
	for next := int64(0); next < end; {
		fetches := client.PollFetches(ctx)
		if errs := fetches.Errors(); len(errs) > 0 {
			return d, errs[0].Err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			next = r.Offset + 1
			switch {
			case r.Attrs.IsControl():
			case !upsert:
				d.add(r.Value)
			case r.Value == nil:
				delete(last, string(r.Key))
			default:
				last[string(r.Key)] = r.Value
			}
		})
	}
	for _, v := range last {
		d.add(v)
	}
	return d, nil
}

func (c *cluster) endOffset(ctx context.Context, topic string) (int64, error) {
	client, err := c.client()
	if err != nil {
		return 0, err
	}
	defer client.Close()
	req := kmsg.NewPtrListOffsetsRequest()
	req.IsolationLevel = 1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = topic
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Timestamp = -1
	t.Partitions = append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	shards := client.RequestSharded(ctx, req)
	for _, s := range shards {
		if s.Err != nil {
			return 0, s.Err
		}
		resp, ok := s.Resp.(*kmsg.ListOffsetsResponse)
		if ok && len(resp.Topics) > 0 && len(resp.Topics[0].Partitions) > 0 {
			return resp.Topics[0].Partitions[0].Offset, nil
		}
	}
	return 0, errors.New("no answer to ListOffsets")
}

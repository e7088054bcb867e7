package client

import (
	"context"
	"fmt"

	"github.com/IBM/sarama"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
)

// TP names a partition.
type TP struct {
	Topic     string
	Partition int32
}

func (p TP) String() string { return fmt.Sprintf("%s/%d", p.Topic, p.Partition) }

// Times of ListOffsets that are no times.
const (
	Latest   int64 = -1 // the end: of committed data if isolation is read_committed
	Earliest int64 = -2
)

// ListOffsets returns, for each partition, the offset of the first record at
// or after the time (ms), or that of Latest or Earliest; −1 if there is no
// such record. Answers that a leader is moving are returned as they are.
func (c *Control) ListOffsets(ctx context.Context, times map[TP]int64, committed bool) (map[TP]int64, error) {
	leaders, err := c.leaders(ctx, times)
	if err != nil {
		return nil, err
	}
	offsets := map[TP]int64{}
	for leader, parts := range leaders {
		req := &sarama.OffsetRequest{Version: 5}
		if committed {
			req.IsolationLevel = sarama.ReadCommitted
		}
		for _, p := range parts {
			req.AddBlock(p.Topic, p.Partition, times[p], 1)
		}
		resp, err := call(ctx, c, leader, func(b *sarama.Broker) (*sarama.OffsetResponse, error) { return b.GetAvailableOffsets(req) })
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			block := resp.GetBlock(p.Topic, p.Partition)
			if block == nil {
				return nil, fmt.Errorf("offsets of %s: the broker did not answer for it", p)
			}
			if err := codes.Err(int16(block.Err)); err != nil {
				return nil, fmt.Errorf("offsets of %s: %w", p, codes.Missing(err, "DESCRIBE", codes.OnTopic, p.Topic))
			}
			offsets[p] = block.Offset
		}
	}
	return offsets, nil
}

// leaders groups partitions by the address of their leader.
func (c *Control) leaders(ctx context.Context, parts map[TP]int64) (map[string][]TP, error) {
	topics := map[string]Topic{}
	leaders := map[string][]TP{}
	for p := range parts {
		t, ok := topics[p.Topic]
		if !ok {
			var err error
			if t, err = c.Topic(ctx, p.Topic); err != nil {
				return nil, err
			}
			topics[p.Topic] = t
		}
		if int(p.Partition) >= len(t.Partitions) {
			return nil, fmt.Errorf("partition %s: %w", p, codes.UnknownTopic)
		}
		leader := t.Partitions[p.Partition].Leader
		if leader == "" {
			return nil, fmt.Errorf("partition %s: %w", p, codes.LeaderNotAvailable)
		}
		leaders[leader] = append(leaders[leader], p)
	}
	return leaders, nil
}

// Committed is a group's offset of a partition; Offset −1: none.
type Committed struct {
	Offset   int64
	Metadata string
}

// GroupOffsets reads what a group committed. stable waits for no transaction:
// it is answered UnstableOffsetCommit while one is being completed. A group
// that does not exist has no offsets.
func (c *Control) GroupOffsets(ctx context.Context, group string, parts []TP, stable bool) (map[TP]Committed, error) {
	req := &sarama.OffsetFetchRequest{Version: 7, ConsumerGroup: group, RequireStable: stable}
	for _, p := range parts {
		req.AddPartition(p.Topic, p.Partition)
	}
	k := coordinatorKey{sarama.CoordinatorGroup, group}
	resp, err := onCoordinator(ctx, c, k, func(b *sarama.Broker) (*sarama.OffsetFetchResponse, error) { return b.FetchOffset(req) })
	if err != nil {
		return nil, err
	}
	if resp.Version < 7 && stable {
		return nil, fmt.Errorf("group %s: %w: reading stable offsets needs Kafka 2.5 or later", group, codes.UnsupportedVersion)
	}
	offsets := map[TP]Committed{}
	if err := codes.Err(int16(resp.Err)); err != nil {
		if codes.Is(err, codes.GroupIDNotFound) {
			return offsets, nil
		}
		return nil, c.moved(k, fmt.Errorf("group %s: %w", group, codes.Missing(err, "DESCRIBE", codes.OnGroup, group)))
	}
	for _, p := range parts {
		block := resp.GetBlock(p.Topic, p.Partition)
		if block == nil {
			continue
		}
		if err := codes.Err(int16(block.Err)); err != nil {
			if codes.Is(err, codes.UnknownTopic, codes.GroupIDNotFound) {
				continue
			}
			return nil, c.moved(k, fmt.Errorf("group %s, partition %s: %w", group, p, codes.Missing(err, "DESCRIBE", codes.OnTopic, p.Topic)))
		}
		if block.Offset >= 0 {
			offsets[p] = Committed{block.Offset, block.Metadata}
		}
	}
	return offsets, nil
}

// CommitGroupOffsets stores offsets for lag tools, as a consumer that assigns
// itself its partitions does.
func (c *Control) CommitGroupOffsets(ctx context.Context, group string, offsets map[TP]int64) error {
	req := &sarama.OffsetCommitRequest{Version: 6, ConsumerGroup: group, ConsumerGroupGeneration: -1, RetentionTime: -1}
	for p, o := range offsets {
		req.AddBlockWithLeaderEpoch(p.Topic, p.Partition, o, -1, -1, "")
	}
	k := coordinatorKey{sarama.CoordinatorGroup, group}
	resp, err := onCoordinator(ctx, c, k, func(b *sarama.Broker) (*sarama.OffsetCommitResponse, error) { return b.CommitOffset(req) })
	if err != nil {
		return err
	}
	for topic, parts := range resp.Errors {
		for p, code := range parts {
			if err := codes.Err(int16(code)); err != nil {
				return c.moved(k, fmt.Errorf("group %s, partition %s: %w", group, TP{topic, p}, readsTopicAndGroup(err, topic, group)))
			}
		}
	}
	return nil
}

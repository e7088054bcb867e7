package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/IBM/sarama"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
)

// metadataVersion is the first that tells the ids of topics. An older broker
// is asked at the greatest version that it knows.
const metadataVersion = 10

// Partition is one partition and who leads it.
type Partition struct {
	ID     int32
	Leader string // address; "" if it has none just now
	Epoch  int32
}

// Topic is a topic's partitions, by id. Err is why there are none.
type Topic struct {
	Name       string
	ID         UUID // zero: the broker gives topics no ids (before Kafka 2.8)
	Partitions []Partition
	Err        error
}

// Topics describes the given topics, or all if none is given. A missing topic
// has Err; the error is that no broker answered.
func (c *Control) Topics(ctx context.Context, names ...string) ([]Topic, error) {
	return c.topics(ctx, &sarama.MetadataRequest{Version: metadataVersion, Topics: names})
}

// CreatingTopic is Topic, but asks the broker to make the topic if it is
// missing, where its auto.create.topics.enable allows. The first answer of a
// topic being made is that it is unknown, or has no leader.
func (c *Control) CreatingTopic(ctx context.Context, name string) (Topic, error) {
	topics, err := c.topics(ctx, &sarama.MetadataRequest{Version: metadataVersion, Topics: []string{name}, AllowAutoTopicCreation: true})
	return only(name, topics, err)
}

func (c *Control) topics(ctx context.Context, req *sarama.MetadataRequest) ([]Topic, error) {
	resp, err := anyBroker(ctx, c, func(b *sarama.Broker) (*sarama.MetadataResponse, error) {
		return b.GetMetadata(req)
	})
	if err != nil {
		return nil, err
	}
	addrs := map[int32]string{}
	for _, b := range resp.Brokers {
		addrs[b.ID()] = b.Addr()
	}
	c.mu.Lock()
	c.addrs = addrs
	c.mu.Unlock()
	topics := make([]Topic, 0, len(resp.Topics))
	for _, t := range resp.Topics {
		topics = append(topics, topicOf(t, addrs))
	}
	return topics, nil
}

func topicOf(t *sarama.TopicMetadata, addrs map[int32]string) Topic {
	topic := Topic{Name: t.Name, ID: UUID(t.Uuid)}
	if err := codes.Err(int16(t.Err)); err != nil {
		topic.Err = fmt.Errorf("topic %q: %w", t.Name, codes.Missing(err, "DESCRIBE", codes.OnTopic, t.Name))
		return topic
	}
	topic.Partitions = make([]Partition, len(t.Partitions))
	for _, p := range t.Partitions {
		if p.ID < 0 || int(p.ID) >= len(topic.Partitions) {
			topic.Err = fmt.Errorf("topic %q: partition %d of %d", t.Name, p.ID, len(t.Partitions))
			return topic
		}
		topic.Partitions[p.ID] = Partition{ID: p.ID, Leader: addrs[p.Leader], Epoch: p.LeaderEpoch}
	}
	return topic
}

// Topic is Topics for one; a missing topic is an error.
func (c *Control) Topic(ctx context.Context, name string) (Topic, error) {
	topics, err := c.Topics(ctx, name)
	return only(name, topics, err)
}

func only(name string, topics []Topic, err error) (Topic, error) {
	if err != nil {
		return Topic{}, err
	}
	if len(topics) != 1 {
		return Topic{}, fmt.Errorf("topic %q: the broker described %d topics", name, len(topics))
	}
	return topics[0], topics[0].Err
}

// BrokerConfig reads settings of a broker, as transaction.max.timeout.ms.
func (c *Control) BrokerConfig(ctx context.Context, names ...string) (map[string]string, error) {
	if _, err := c.Topics(ctx, "__none"); err != nil { // learns the brokers' ids
		return nil, err
	}
	c.mu.Lock()
	addrs := maps.Clone(c.addrs)
	c.mu.Unlock()
	var first error
	for _, id := range slices.Sorted(maps.Keys(addrs)) {
		values, err := c.configOf(ctx, id, addrs[id], names)
		var gone *Unreachable
		if err == nil || !errors.As(err, &gone) {
			return values, err
		}
		if first == nil { // one that has just died may still be in the metadata
			first = err
		}
	}
	return nil, first
}

// configOf asks one broker, the only one that knows its settings.
func (c *Control) configOf(ctx context.Context, id int32, addr string, names []string) (map[string]string, error) {
	resp, err := call(ctx, c, addr, func(b *sarama.Broker) (*sarama.DescribeConfigsResponse, error) {
		return b.DescribeConfigs(&sarama.DescribeConfigsRequest{Version: 2, Resources: []*sarama.ConfigResource{{
			Type: sarama.BrokerResource, Name: fmt.Sprint(id), ConfigNames: names,
		}}})
	})
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, r := range resp.Resources {
		if r.ErrorCode != 0 {
			return nil, fmt.Errorf("settings of broker %d: %w", id, codes.Code(r.ErrorCode))
		}
		for _, e := range r.Configs {
			values[e.Name] = e.Value
		}
	}
	return values, nil
}

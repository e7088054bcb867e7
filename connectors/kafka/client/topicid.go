package client

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/IBM/sarama"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
)

// UUID is a topic's id. A topic that is deleted and made again has another
// one, and no id comes twice.
type UUID [16]byte

// String is the form of Kafka's own tools.
func (u UUID) String() string { return base64.RawURLEncoding.EncodeToString(u[:]) }

// TopicID is what a broker says that a topic's name means.
type TopicID struct {
	ID      UUID // zero: the topic is missing, or the broker gives topics no ids
	Missing bool
}

// TopicIDs asks what a topic's name means now: the first broker that answers,
// or, everywhere, each known broker; those that do not answer are left out.
// The error is that none answered. It never makes a topic.
func (c *Control) TopicIDs(ctx context.Context, name string, everywhere bool) ([]TopicID, error) {
	if !everywhere {
		topics, err := c.Topics(ctx, name)
		if err != nil {
			return nil, err
		}
		id, err := topicID(name, topics)
		return []TopicID{id}, err
	}
	var ids []TopicID
	var first error
	for _, addr := range c.candidates() {
		id, err := c.topicIDAt(ctx, addr, name)
		if err == nil {
			ids = append(ids, id)
		} else if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if len(ids) == 0 {
		return nil, first
	}
	return ids, nil
}

func (c *Control) topicIDAt(ctx context.Context, addr, name string) (TopicID, error) {
	req := &sarama.MetadataRequest{Version: metadataVersion, Topics: []string{name}}
	resp, err := call(ctx, c, addr, func(b *sarama.Broker) (*sarama.MetadataResponse, error) { return b.GetMetadata(req) })
	if err != nil {
		return TopicID{}, err
	}
	var topics []Topic
	for _, t := range resp.Topics {
		topics = append(topics, topicOf(t, nil))
	}
	return topicID(name, topics)
}

// topicID: an error of the topic that is not its absence matters only if the
// id is not told beside it.
func topicID(name string, topics []Topic) (TopicID, error) {
	switch {
	case len(topics) != 1:
		return TopicID{}, fmt.Errorf("topic %q: the broker described %d topics", name, len(topics))
	case codes.Is(topics[0].Err, codes.UnknownTopic):
		return TopicID{Missing: true}, nil
	case topics[0].ID == UUID{}:
		return TopicID{}, topics[0].Err
	}
	return TopicID{ID: topics[0].ID}, nil
}

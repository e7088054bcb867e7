package kafkatest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Require starts a broker for one test and closes it at its end. Without java
// or mvn the test is skipped, or fails if CI=true.
func Require(t testing.TB, o Options) *Broker {
	t.Helper()
	b, err := Start(o)
	Check(t, err)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// Check judges the error of Start: missing tools skip the test, or fail it if
// CI=true.
func Check(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, ErrNoTools) && os.Getenv("CI") != "true":
		fmt.Fprintf(os.Stderr, "\n*** SKIPPED, NOT TESTED: %s: %v ***\n\n", t.Name(), err)
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}

// answers tells whether the node is registered and serves requests.
func answers(addr string, node int32) bool {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.RetryTimeout(time.Second))
	if err != nil {
		return false
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	resp, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, cl)
	return err == nil && slices.ContainsFunc(resp.Brokers, func(b kmsg.MetadataResponseBroker) bool { return b.NodeID == node })
}

// CreateTopic makes a topic and waits until each partition has a leader.
func CreateTopic(ctx context.Context, addr, topic string, partitions int32) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		return err
	}
	defer cl.Close()
	req := kmsg.NewPtrCreateTopicsRequest()
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = topic, partitions, -1 // the broker's default
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	if msg := resp.Topics[0].ErrorMessage; resp.Topics[0].ErrorCode != 0 {
		return fmt.Errorf("create topic %s: error %d %s", topic, resp.Topics[0].ErrorCode, deref(msg))
	}
	return awaitLeaders(ctx, cl, topic)
}

func awaitLeaders(ctx context.Context, cl *kgo.Client, topic string) error {
	for ctx.Err() == nil {
		req := kmsg.NewPtrMetadataRequest()
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &topic
		req.Topics = append(req.Topics, t)
		resp, err := req.RequestWith(ctx, cl)
		if err == nil && led(resp) {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

func led(resp *kmsg.MetadataResponse) bool {
	if len(resp.Topics) != 1 || resp.Topics[0].ErrorCode != 0 {
		return false
	}
	for _, p := range resp.Topics[0].Partitions {
		if p.ErrorCode != 0 || p.Leader < 0 {
			return false
		}
	}
	return true
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// newClusterID is random, in the form in which Kafka prints ids: base64 for
// URLs without padding.
func newClusterID() string {
	id := uuid.New()
	id[0] &= 0x7f // one that begins with '-' would be taken for an option
	return base64.RawURLEncoding.EncodeToString(id[:])
}

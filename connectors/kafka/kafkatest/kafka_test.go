//go:build kafka

package kafkatest

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func TestRecordsSurviveKill(t *testing.T) {
	b := Require(t, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := CreateTopic(ctx, b.Addr(), "t", 1); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.ConsumeTopics("t"))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.ProduceSync(ctx, &kgo.Record{Topic: "t", Value: []byte("v")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	b.Kill()
	if err := b.Restart(); err != nil {
		t.Fatal(err)
	}
	if rs := cl.PollFetches(ctx).Records(); len(rs) != 1 || string(rs[0].Value) != "v" {
		t.Fatalf("records after the restart: %v", rs)
	}
}

package client

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestTopicIDs: a topic that is made again has another id, told by each
// broker; a missing one is said to be missing, and is not made.
func TestTopicIDs(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(2, "t"), kfake.AllowAutoTopicCreation())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	control := NewControl(Config{Bootstrap: c.ListenAddrs()[:1]})
	defer control.Close()
	ask := func(everywhere bool, n int) TopicID {
		t.Helper()
		ids, err := control.TopicIDs(context.Background(), "t", everywhere)
		if err != nil || len(ids) != n {
			t.Fatalf("%d answers, want %d: %v", len(ids), n, err)
		}
		for _, id := range ids {
			if id != ids[0] {
				t.Fatalf("brokers differ: %v", ids)
			}
		}
		return ids[0]
	}
	first := ask(false, 1)
	if first.Missing || first.ID == (UUID{}) || len(first.ID.String()) != 22 || ask(true, 3) != first {
		t.Fatalf("got %+v", first)
	}
	if err := c.DeleteTopic("t"); err != nil {
		t.Fatal(err)
	}
	if missing := ask(true, 3); missing != (TopicID{Missing: true}) || ask(false, 1) != missing {
		t.Fatalf("a missing topic is %+v", missing)
	}
	if err := c.CreateTopic("t", 2, nil); err != nil {
		t.Fatal(err)
	}
	if again := ask(true, 3); again.Missing || again.ID == first.ID {
		t.Fatalf("made again it is %+v, was %+v", again, first)
	}
}

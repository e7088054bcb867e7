package txn

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
)

// topicsOf answers as brokers do, the first of them alone if not everywhere.
// Any other request is one too many.
type topicsOf struct {
	Cluster
	brokers []client.TopicID
	asked   int
}

func (c *topicsOf) TopicIDs(_ context.Context, _ string, everywhere bool) ([]client.TopicID, error) {
	c.asked++
	switch {
	case len(c.brokers) == 0:
		return nil, errors.New("no answer")
	case everywhere:
		return c.brokers, nil
	}
	return c.brokers[:1], nil
}

var (
	idA, idB = client.TopicID{ID: client.UUID{1}}, client.TopicID{ID: client.UUID{2}}
	missing  = client.TopicID{Missing: true}
	unknown  = client.TopicID{}
)

// TestRemade: a difference counts when every broker sees it.
func TestRemade(t *testing.T) {
	for _, c := range []struct {
		brokers []client.TopicID
		says    string // of the topic with id A
		err     error
	}{
		{brokers: []client.TopicID{idA, idB}}, // what the first says is enough
		{brokers: []client.TopicID{unknown, idB}},
		{brokers: []client.TopicID{idB, idB}, says: "deleted and made again (id AQ"},
		{brokers: []client.TopicID{missing, missing}, says: "was deleted (id AQ"},
		{brokers: []client.TopicID{missing, idB}, says: "was deleted"},
		{brokers: []client.TopicID{idB, idA}, err: errDisagree},
		{brokers: []client.TopicID{missing, idA}, err: errDisagree},
		{brokers: []client.TopicID{idB, unknown}},
	} {
		e, err := Remade(context.Background(), &topicsOf{brokers: c.brokers}, Topic{"t", idA.ID})
		if !errors.Is(err, c.err) || (e != nil) != (c.says != "") || e != nil && !strings.Contains(e.Error(), c.says) {
			t.Errorf("%v: got %v, %v", c.brokers, e, err)
		}
	}
}

type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// TestNothingIsDecidedBlindly: while brokers disagree on the topic, or none
// answers, a transaction is neither committed nor fenced; it stays pending.
func TestNothingIsDecidedBlindly(t *testing.T) {
	for _, brokers := range [][]client.TopicID{nil, {idB, idA}} {
		s := NewSession(Config{Cluster: &topicsOf{brokers: brokers}, Clock: wallClock{}, Log: slog.New(slog.DiscardHandler), Prefix: "p", UID: "u", Patience: 20 * time.Millisecond})
		tx := Transaction{ID: "p-u-0-0-0", Checkpoint: 1, Topics: []Topic{{"t", idA.ID}}}
		v, err := s.CommitAll(context.Background(), []Transaction{tx})
		if err != nil || len(v) != 1 || v[0].Status != checkpoint.Unknown || v[0].Detail == "" {
			t.Fatalf("%v: got %+v, %v", brokers, v, err)
		}
	}
}

// TestTopicsAreAskedOnce for all transactions of a commit.
func TestTopicsAreAskedOnce(t *testing.T) {
	c := &topicsOf{brokers: []client.TopicID{idA}}
	s := NewSession(Config{Cluster: c, Clock: wallClock{}, Log: slog.New(slog.DiscardHandler)})
	var list []Transaction
	for range 5 {
		list = append(list, Transaction{Topics: []Topic{{"t", idA.ID}, {"u", idA.ID}}})
	}
	if m, err := s.remadeTopics(context.Background(), append(list, Transaction{})); err != nil || len(m) > 0 || c.asked != 2 {
		t.Fatalf("%v, %v after %d questions for two topics", m, err, c.asked)
	}
}

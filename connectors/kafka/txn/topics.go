package txn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/mutant"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// A topic that is deleted takes the rows of pre-committed transactions with
// it, and their commit is answered OK all the same. Topics have ids, which no
// topic of the same name shares: a transaction names those that it wrote, and
// they are compared before and after its commit.

// TopicAsker is an ability of a Cluster. One without it, or whose brokers give
// topics no ids, has its topics not compared.
type TopicAsker interface {
	// TopicIDs asks what a topic's name means now: one broker, or each that
	// answers. An error is that none did.
	TopicIDs(ctx context.Context, name string, everywhere bool) ([]client.TopicID, error)
}

// Topic is a topic that a transaction wrote, and its id then.
type Topic struct {
	Name string
	ID   client.UUID
}

// RemadeError: the topic of a transaction is not the one of that name any
// more; its rows are gone with it.
type RemadeError struct {
	Topic    string
	Was, Now client.UUID // Now zero: there is none
}

func (e *RemadeError) Error() string {
	if e.Now == (client.UUID{}) {
		return fmt.Sprintf("topic %q was deleted (id %s)", e.Topic, e.Was)
	}
	return fmt.Sprintf("topic %q was deleted and made again (id %s, now %s)", e.Topic, e.Was, e.Now)
}

// Gone asks whether a topic of the transaction is not the same any more.
func Gone(ctx context.Context, c TopicAsker, t Transaction) (*RemadeError, error) {
	for _, topic := range t.Topics {
		if e, err := Remade(ctx, c, topic); e != nil || err != nil {
			return e, err
		}
	}
	return nil, nil
}

func isRemade(err error) bool {
	var e *RemadeError
	return errors.As(err, &e)
}

// errDisagree: a broker that is behind the others must not make a transaction
// lost whose rows are there.
var errDisagree = errors.New("the brokers do not agree on the topic's id yet")

// Remade asks whether a topic is still the one it was; nil: it is, or its id
// cannot be told. A difference counts when every broker that answers sees it.
func Remade(ctx context.Context, c TopicAsker, t Topic) (*RemadeError, error) {
	var now client.TopicID
	for _, everywhere := range []bool{false, true} {
		ids, err := c.TopicIDs(ctx, t.Name, everywhere)
		if err != nil {
			return nil, err
		}
		same := func(id client.TopicID) bool { return id.ID == t.ID }
		unknown := func(id client.TopicID) bool { return !id.Missing && id.ID == client.UUID{} }
		switch {
		case len(ids) == 0 || slices.ContainsFunc(ids, unknown):
			return nil, nil
		case !slices.ContainsFunc(ids, same):
			now = ids[0]
		case !everywhere:
			return nil, nil
		default:
			return nil, fmt.Errorf("topic %q: %w", t.Name, errDisagree)
		}
	}
	return &RemadeError{Topic: t.Name, Was: t.ID, Now: now.ID}, nil
}

// remadeTopics are those of the transactions' topics that are not the same
// any more. Each is asked for once.
func (s *Session) remadeTopics(ctx context.Context, list []Transaction) (map[Topic]*RemadeError, error) {
	found := map[Topic]*RemadeError{}
	if s.topics == nil || mutant.Is(mutant.IgnoreTopicIDs) {
		return found, nil
	}
	asked := map[Topic]bool{}
	for _, t := range list {
		for _, topic := range t.Topics {
			if asked[topic] {
				continue
			}
			asked[topic] = true
			var e *RemadeError
			err := retry(ctx, s.c.Clock, s.c.Patience, untold, func() (err error) {
				e, err = Remade(ctx, s.topics, topic)
				return err
			})
			if err != nil {
				return nil, s.explain(err)
			}
			if e != nil {
				found[topic] = e
			}
		}
	}
	return found, nil
}

func untold(err error) bool {
	return again(err) || silent(err) || errors.Is(err, errDisagree) || codes.Is(err, codes.LeaderNotAvailable)
}

// remadeOf is why the transaction's rows are gone; nil: they are not.
func remadeOf(t Transaction, remade map[Topic]*RemadeError) *RemadeError {
	for _, topic := range t.Topics {
		if e := remade[topic]; e != nil {
			return e
		}
	}
	return nil
}

// gone decides on a transaction whose topic is not the same any more: fenced,
// so that what may be open ends, and lost, whatever its marker says: none of
// its rows is in the topic that is there now. A marker that tells of its
// commit all the same is the one to be expected from now on.
func (s *Session) gone(ctx context.Context, t Transaction, why *RemadeError) (Verdict, error) {
	marker, err := s.endGone(ctx, t)
	if err != nil {
		return s.undecided(t, err)
	}
	v, err := s.lost(t, why)
	v.Marker = marker
	return v, err
}

// endGone ends the transaction of a topic that is gone, and returns its
// marker if that is there.
func (s *Session) endGone(ctx context.Context, t Transaction) (marker string, err error) {
	if _, err := s.initID(ctx, t.ID); err != nil {
		return "", err
	}
	s.mu.Lock()
	s.taken[t.ID] = true
	s.mu.Unlock()
	if err := s.AskOwner(ctx); err != nil || t.Marker.Topic == "" {
		return "", err
	}
	found, err := s.readMarker(ctx, t.ID, t.Marker, true)
	if found != t.MarkerText() {
		found = ""
	}
	return found, err
}

// Topic reads the id of a topic, for a transaction that begins or ends. It is
// zero where ids are not told.
func (s *Session) Topic(ctx context.Context, name string) (client.TopicID, error) {
	if s.topics == nil {
		return client.TopicID{}, nil
	}
	var ids []client.TopicID
	err := retry(ctx, s.c.Clock, s.c.Patience, untold, func() (err error) {
		ids, err = s.topics.TopicIDs(ctx, name, false)
		return err
	})
	if err != nil || len(ids) == 0 {
		return client.TopicID{}, s.explain(err)
	}
	return ids[0], nil
}

// Wrote returns the topic as the transaction that ends now is to name it:
// none if ids are not told. began is its id before the first batch was sent.
// Another one since, and nobody knows which rows are where: the job restarts
// inside the process and reads them again.
func (s *Session) Wrote(ctx context.Context, name string, began client.UUID) ([]Topic, error) {
	now, err := s.Topic(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case began == client.UUID{} || now == client.TopicID{}:
		return nil, nil
	case now.ID != began:
		return nil, remadeWhileOpen(&RemadeError{Topic: name, Was: began, Now: now.ID})
	}
	return []Topic{{name, began}}, nil
}

func remadeWhileOpen(e *RemadeError) error {
	return fmt.Errorf("%w while a transaction was open; the rows since the last checkpoint are read again: %w", e, checkpoint.ErrRestart)
}

// Failed explains why a transaction cannot be continued: if its topic was made
// again meanwhile, a broker refuses the batches that follow by whatever code
// it likes, and the job restarts inside the process.
func (s *Session) Failed(ctx context.Context, name string, began client.UUID, err error) error {
	var fatal *exec.FatalError
	if s.topics == nil || began == (client.UUID{}) || ctx.Err() != nil || errors.As(err, &fatal) {
		return err
	}
	if e, rerr := Remade(ctx, s.topics, Topic{name, began}); rerr == nil && e != nil {
		return fmt.Errorf("%w (%w)", remadeWhileOpen(e), err)
	}
	return err
}

// outlived tells whether the marker that this directory expects of an id lay
// in an earlier topic than the one that t wrote: then that it is not there
// tells nothing of t.
func (s *Session) outlived(t Transaction) (bool, error) {
	v, err := s.c.Journal.Get(keyTopic + t.ID)
	at := t.markerTopic()
	return len(v) > 0 && at != client.UUID{} && string(v) != at.String(), err
}

// markerTopic is the id of the topic that the marker lies in; zero: unknown.
func (t Transaction) markerTopic() client.UUID {
	for _, topic := range t.Topics {
		if topic.Name == t.Marker.Topic {
			return topic.ID
		}
	}
	return client.UUID{}
}

package txn

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/exec"
)

// Cluster is what the protocol asks of Kafka: one method a request.
// *client.Control is the real one. An error holds the broker's answer as a
// codes.Code; without one no answer came, and the request may still be
// carried out, even later. Safe for concurrent use.
type Cluster interface {
	// InitProducerID takes a transactional.id over: its next epoch, and what
	// was open is aborted.
	InitProducerID(ctx context.Context, id string, timeout time.Duration) (client.Producer, error)
	EndTxn(ctx context.Context, id string, p client.Producer, commit bool) error
	WriteMarker(ctx context.Context, id string, p client.Producer, group string, at client.TP, offset int64, metadata string) error
	GroupOffsets(ctx context.Context, group string, parts []client.TP, stable bool) (map[client.TP]client.Committed, error)
	TransactionalIDs(ctx context.Context) ([]string, error)
	DescribeTransaction(ctx context.Context, id string) (client.TxnState, error)
	BrokerConfig(ctx context.Context, names ...string) (map[string]string, error)
}

// again tells whether the same request may simply be repeated: the answer was
// that it is too early, or that another broker is to be asked.
func again(err error) bool {
	return codes.Is(err, codes.ConcurrentTransactions, codes.CoordinatorLoading, codes.CoordinatorNotAvailable, codes.NotCoordinator,
		codes.TxnCoordinatorFenced, codes.UnknownServerError, codes.RequestTimedOut, codes.NetworkException, codes.UnstableOffsetCommit,
		codes.NotEnoughReplicas, codes.NotEnoughAfterAppend, codes.KafkaStorageError, codes.ThrottlingQuota)
}

// silent tells whether no answer came.
func silent(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	_, answered := codes.Of(err)
	return !answered
}

// underWay tells whether no answer came but the request may have been sent:
// it may be carried out later.
func underWay(err error) bool {
	_, answered := codes.Of(err)
	return err != nil && !answered && !unsent(err)
}

// unsent tells whether the request cannot have reached any broker.
func unsent(err error) bool {
	var u *client.Unreachable
	return errors.As(err, &u)
}

// fenced tells whether the answer means that the epoch is not the current
// one, or that the transaction is not open: no more than that.
func fenced(err error) bool {
	return codes.Is(err, codes.ProducerFenced, codes.InvalidProducerEpoch, codes.InvalidTxnState, codes.InvalidProducerMapping, codes.TxnAbortable)
}

// Back-off between repeats: doubled, with jitter.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// retry repeats f while repeat says so of its error, for at most limit, and
// returns f's last error.
func retry(ctx context.Context, clock exec.Clock, limit time.Duration, repeat func(error) bool, f func() error) error {
	deadline := clock.Now().Add(limit)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := f()
		if err == nil || !repeat(err) || ctx.Err() != nil || clock.Now().After(deadline) {
			return err
		}
		if err := sleep(ctx, clock, pause/2+rand.N(pause)); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, clock exec.Clock, d time.Duration) error {
	select {
	case <-clock.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

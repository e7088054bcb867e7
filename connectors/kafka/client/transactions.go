package client

import (
	"context"
	"fmt"
	"time"

	"github.com/IBM/sarama"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
)

// Producer is a producer id and its epoch.
type Producer struct {
	ID    int64
	Epoch int16
}

func (p Producer) String() string { return fmt.Sprintf("%d/%d", p.ID, p.Epoch) }

// Protocol TV1: the greatest versions at which a transaction needs its
// partitions added by AddPartitionsToTxn and EndTxn keeps the epoch.
const (
	initProducerIDVersion  = 4
	addPartitionsVersion   = 3
	addOffsetsVersion      = 3
	txnOffsetCommitVersion = 3
	endTxnVersion          = 3
	listTxnsVersion        = 0
)

func transactionKey(id string) coordinatorKey {
	return coordinatorKey{sarama.CoordinatorTransaction, id}
}

// InitProducerID takes the transactional.id over, in the plain form: it
// always succeeds, and aborts what is open. An empty id asks for an
// idempotent producer.
func (c *Control) InitProducerID(ctx context.Context, id string, timeout time.Duration) (Producer, error) {
	req := &sarama.InitProducerIDRequest{Version: initProducerIDVersion, ProducerID: -1, ProducerEpoch: -1, TransactionTimeout: timeout}
	send := func(b *sarama.Broker) (*sarama.InitProducerIDResponse, error) { return b.InitProducerID(req) }
	var resp *sarama.InitProducerIDResponse
	var err error
	if id == "" {
		resp, err = anyBroker(ctx, c, send)
	} else {
		req.TransactionalID = &id
		resp, err = onCoordinator(ctx, c, transactionKey(id), send)
	}
	if err == nil {
		err = c.moved(transactionKey(id), codes.Err(int16(resp.Err)))
	}
	if err != nil {
		return Producer{}, fmt.Errorf("InitProducerId %s: %w", id, codes.Missing(err, "WRITE", codes.OnTxnID, id))
	}
	return Producer{resp.ProducerID, resp.ProducerEpoch}, nil
}

// AddPartitions makes partitions part of the transaction; the first ones
// begin it and start the clock of its time-out.
func (c *Control) AddPartitions(ctx context.Context, id string, p Producer, parts []TP) error {
	req := &sarama.AddPartitionsToTxnRequest{Version: addPartitionsVersion, TransactionalID: id, ProducerID: p.ID, ProducerEpoch: p.Epoch, TopicPartitions: map[string][]int32{}}
	for _, tp := range parts {
		req.TopicPartitions[tp.Topic] = append(req.TopicPartitions[tp.Topic], tp.Partition)
	}
	k := transactionKey(id)
	resp, err := onCoordinator(ctx, c, k, func(b *sarama.Broker) (*sarama.AddPartitionsToTxnResponse, error) { return b.AddPartitionsToTxn(req) })
	if err != nil {
		return fmt.Errorf("AddPartitionsToTxn %s: %w", id, err)
	}
	return c.partitionErrors("AddPartitionsToTxn", id, k, resp.Errors)
}

// partitionErrors returns the error that says most: not OPERATION_NOT_ATTEMPTED,
// which only says that another partition failed.
func (c *Control) partitionErrors(api, id string, k coordinatorKey, errs map[string][]*sarama.PartitionError) error {
	const notAttempted = 55
	var found error
	for topic, parts := range errs {
		for _, p := range parts {
			if p.Err == 0 || p.Err == notAttempted && found != nil {
				continue
			}
			if found == nil || codes.Is(found, notAttempted) {
				found = fmt.Errorf("%s %s, partition %s: %w", api, id, TP{topic, p.Partition}, permission(api, id, topic, codes.Code(p.Err)))
			}
		}
	}
	return c.moved(k, found)
}

// WriteMarker stores an offset with metadata in the transaction: it becomes
// the group's when, and only if, the transaction is committed.
func (c *Control) WriteMarker(ctx context.Context, id string, p Producer, group string, at TP, offset int64, metadata string) error {
	k := transactionKey(id)
	add, err := onCoordinator(ctx, c, k, func(b *sarama.Broker) (*sarama.AddOffsetsToTxnResponse, error) {
		return b.AddOffsetsToTxn(&sarama.AddOffsetsToTxnRequest{Version: addOffsetsVersion, TransactionalID: id, ProducerID: p.ID, ProducerEpoch: p.Epoch, GroupID: group})
	})
	if err == nil {
		err = c.moved(k, codes.Err(int16(add.Err)))
	}
	if err != nil {
		return fmt.Errorf("AddOffsetsToTxn %s: %w", id, markerPermission(err, id, group))
	}
	req := &sarama.TxnOffsetCommitRequest{Version: txnOffsetCommitVersion, TransactionalID: id, GroupID: group, ProducerID: p.ID, ProducerEpoch: p.Epoch, GenerationID: -1,
		Topics: map[string][]*sarama.PartitionOffsetMetadata{at.Topic: {{Partition: at.Partition, Offset: offset, LeaderEpoch: -1, Metadata: &metadata}}}}
	g := coordinatorKey{sarama.CoordinatorGroup, group}
	resp, err := onCoordinator(ctx, c, g, func(b *sarama.Broker) (*sarama.TxnOffsetCommitResponse, error) { return b.TxnOffsetCommit(req) })
	if err != nil {
		return fmt.Errorf("TxnOffsetCommit %s: %w", id, err)
	}
	return c.partitionErrors("TxnOffsetCommit", id, g, resp.Topics)
}

// EndTxn commits or aborts. An answer of nil to a commit means that it is, or
// is about to become, visible.
func (c *Control) EndTxn(ctx context.Context, id string, p Producer, commit bool) error {
	k := transactionKey(id)
	resp, err := onCoordinator(ctx, c, k, func(b *sarama.Broker) (*sarama.EndTxnResponse, error) {
		return b.EndTxn(&sarama.EndTxnRequest{Version: endTxnVersion, TransactionalID: id, ProducerID: p.ID, ProducerEpoch: p.Epoch, TransactionResult: commit})
	})
	if err == nil {
		err = c.moved(k, codes.Err(int16(resp.Err)))
	}
	if err != nil {
		return fmt.Errorf("EndTxn %s: %w", id, codes.Missing(err, "WRITE", codes.OnTxnID, id))
	}
	return nil
}

// TransactionalIDs lists the ids that any coordinator knows, in any state, as
// far as the user may see them.
func (c *Control) TransactionalIDs(ctx context.Context) ([]string, error) {
	if _, err := c.Topics(ctx, "__none"); err != nil { // learns the brokers
		return nil, err
	}
	c.mu.Lock()
	addrs := make([]string, 0, len(c.addrs))
	for _, a := range c.addrs {
		addrs = append(addrs, a)
	}
	c.mu.Unlock()
	var ids []string
	for _, addr := range addrs {
		resp, err := call(ctx, c, addr, func(b *sarama.Broker) (*sarama.ListTransactionsResponse, error) {
			return b.ListTransactions(&sarama.ListTransactionsRequest{Version: listTxnsVersion, DurationFilter: -1})
		})
		if err == nil {
			err = codes.Err(int16(resp.ErrorCode))
		}
		if err != nil {
			return nil, fmt.Errorf("ListTransactions: %w", err)
		}
		for _, t := range resp.TransactionStates {
			ids = append(ids, t.TransactionalID)
		}
	}
	return ids, nil
}

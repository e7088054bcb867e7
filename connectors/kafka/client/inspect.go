package client

import (
	"context"
	"fmt"
	"time"

	"github.com/IBM/sarama"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
)

// TxnState is what a coordinator says of a transactional.id.
type TxnState struct {
	ID       string
	Producer Producer
	State    string // Ongoing, PrepareCommit, CompleteCommit, PrepareAbort, CompleteAbort, Empty, Dead
	Start    time.Time
	Timeout  time.Duration
	Parts    []TP
}

// Open tells whether readers of committed data wait for it. After a fence a
// state proves nothing.
func (s TxnState) Open() bool {
	return s.State == "Ongoing" || s.State == "PrepareCommit" || s.State == "PrepareAbort"
}

// DescribeTransaction asks the coordinator of an id (Kafka 3.0 or later).
func (c *Control) DescribeTransaction(ctx context.Context, id string) (TxnState, error) {
	k := transactionKey(id)
	resp, err := onCoordinator(ctx, c, k, func(b *sarama.Broker) (*sarama.DescribeTransactionsResponse, error) {
		return b.DescribeTransactions(&sarama.DescribeTransactionsRequest{TransactionalIDs: []string{id}})
	})
	if err == nil && len(resp.TransactionStates) != 1 {
		err = fmt.Errorf("the broker described %d transactions", len(resp.TransactionStates))
	}
	if err == nil {
		err = c.moved(k, codes.Err(int16(resp.TransactionStates[0].ErrorCode)))
	}
	if err != nil {
		return TxnState{}, fmt.Errorf("DescribeTransactions %s: %w", id, err)
	}
	t := resp.TransactionStates[0]
	s := TxnState{ID: id, Producer: Producer{t.ProducerID, t.ProducerEpoch}, State: t.TransactionState, Timeout: t.TransactionTimeout}
	if t.TransactionStartTime > 0 {
		s.Start = time.UnixMilli(t.TransactionStartTime)
	}
	for _, topic := range t.Topics {
		for _, p := range topic.Partitions {
			s.Parts = append(s.Parts, TP{topic.Topic, p})
		}
	}
	return s, nil
}

// OpenOffsets are, by producer id, where the open transactions of a partition
// begin (Kafka 2.8 or later).
func (c *Control) OpenOffsets(ctx context.Context, p TP) (map[int64]int64, error) {
	leaders, err := c.leaders(ctx, map[TP]int64{p: 0})
	if err != nil {
		return nil, err
	}
	open := map[int64]int64{}
	for addr := range leaders {
		resp, err := call(ctx, c, addr, func(b *sarama.Broker) (*sarama.DescribeProducersResponse, error) {
			return b.DescribeProducers(&sarama.DescribeProducersRequest{Topics: []sarama.DescribeProducersRequestTopic{{Name: p.Topic, PartitionIndexes: []int32{p.Partition}}}})
		})
		if err != nil {
			return nil, err
		}
		for _, t := range resp.Topics {
			for _, part := range t.Partitions {
				if err := codes.Err(int16(part.ErrorCode)); err != nil {
					return nil, fmt.Errorf("producers of %s: %w", p, err)
				}
				for _, w := range part.ActiveProducers {
					if w.CurrentTxnStartOffset >= 0 {
						open[w.ProducerID] = w.CurrentTxnStartOffset
					}
				}
			}
		}
	}
	return open, nil
}

package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/produce"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/connectors/kafka/txnlog"
	"github.com/sqlstream/sqlstream/exec"
)

// rewriter writes lost transactions anew from the pre-commit log: the same
// keys, values, headers and timestamps in the same partitions, in the same
// order.
type rewriter struct {
	sink *transactionalSink
	ctx  exec.SinkContext
}

func (r *rewriter) Rewrite(ctx context.Context, o txn.Open, t txn.Transaction) ([]client.TP, error) {
	control := client.NewControl(r.sink.client)
	a := &anew{topic: r.sink.layout.topics[0], control: control, adder: adderFor(control), open: o, added: map[int32]bool{}}
	parts, err := a.write(ctx, r, t)
	return parts, errors.Join(explainWrite(err), control.Close())
}

// anew is one replacement being written.
type anew struct {
	topic    string
	control  *client.Control
	adder    adder
	open     txn.Open
	producer *produce.Producer
	count    int32 // partitions of the topic
	added    map[int32]bool
}

func (a *anew) write(ctx context.Context, r *rewriter, t txn.Transaction) (parts []client.TP, err error) {
	topic, err := topicOf(ctx, a.control, a.topic)
	if err != nil {
		return nil, err
	}
	o := r.sink.table.Options
	a.count = int32(len(topic.Partitions))
	if needs := t.Needs(a.topic); needs > a.count {
		return nil, exec.Fatal(fmt.Errorf("topic %q has %d partitions, but the rows to be written anew from the pre-commit log (%s) are of %d: was it made again? Give it at least %d partitions (kafka-topics.sh --alter --partitions %d) and start again; or `sqlstream txn abort --force` gives them up",
			a.topic, a.count, t.Describe(), needs, needs, needs))
	}
	a.producer = produce.New(produce.Config{
		Client: r.sink.client, Topic: a.topic, Partitions: len(topic.Partitions), Clock: r.ctx.Clock,
		Codec: recordbatch.Codecs[o.Enum("properties.compression.type")], BatchBytes: int(o.Int("properties.batch.size")),
	}, a.control)
	defer func() { err = errors.Join(err, a.producer.Close()) }()
	a.producer.SetIdentity(produce.Identity{TransactionalID: a.open.ID, Producer: a.open.Producer})
	err = txnlog.Read(r.ctx.Journal, t.Log, func(records []txnlog.Record) error { return a.append(ctx, r.sink.session, records) })
	if err != nil {
		return nil, err
	}
	if n := a.producer.Written(); n != t.Records {
		return nil, exec.Fatal(fmt.Errorf("%s is lost, and its pre-commit log holds %d records only: the state directory is damaged; `sqlstream txn abort` accepts the loss", t.Describe(), n))
	}
	if err := a.producer.Flush(ctx); err != nil {
		return nil, err
	}
	for p := range a.count {
		if a.added[p] {
			parts = append(parts, client.TP{Topic: a.topic, Partition: p})
		}
	}
	return parts, nil
}

// append writes the records of a chunk, whose partitions become part of the
// transaction before.
func (a *anew) append(ctx context.Context, session *txn.Session, records []txnlog.Record) error {
	var missing []client.TP
	for _, rec := range records {
		if rec.Partition >= a.count {
			return exec.Fatal(fmt.Errorf("topic %q has %d partitions, but rows to be written anew from the pre-commit log are of partition %d: was it made again?", a.topic, a.count, rec.Partition))
		}
		if !a.added[rec.Partition] {
			a.added[rec.Partition] = true
			missing = append(missing, client.TP{Topic: a.topic, Partition: rec.Partition})
		}
	}
	if len(missing) > 0 {
		err := session.Retry(ctx, func() error { return a.adder.AddPartitions(ctx, a.open.ID, a.open.Producer, missing) })
		if err != nil {
			return err
		}
	}
	err := a.producer.Begin(ctx)
	defer a.producer.End()
	if err != nil {
		return err
	}
	for _, rec := range records {
		a.producer.Append(rec.Partition, rec.Millis, rec.Key, rec.Value, rec.Headers)
	}
	return nil
}

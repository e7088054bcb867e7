package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/connectors/kafka/produce"
	"github.com/sqlstream/sqlstream/connectors/kafka/recordbatch"
	"github.com/sqlstream/sqlstream/connectors/kafka/txnlog"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// writer encodes rows and hands them to a producer. By itself it writes with
// guarantee none or at-least-once: an idempotent producer, so that repeats
// neither duplicate nor reorder within a run.
type writer struct {
	table    *sinkTable
	ctx      exec.SinkContext
	control  *client.Control
	producer *produce.Producer
	topic    string
	topicID  client.UUID // when the writer opened; zero: not known

	value, key  format.Encoder
	values      format.Messages
	keys        format.Messages
	rows        []int32 // of the batch, to be written
	parts       []int32 // partition by record
	partitioner partitioner
	timestamp   int         // batch column; −1: the present
	headers     int         // batch column; −1: none
	log         *txnlog.Log // nil: none
}

func newWriter(ctx context.Context, t *sinkTable, c exec.SinkContext) (*writer, error) {
	w, err := openWriter(ctx, t, c)
	if err != nil {
		return nil, err
	}
	var p client.Producer
	err = patiently(ctx, func() (err error) {
		p, err = w.control.InitProducerID(ctx, "", 0)
		return err
	})
	if err != nil {
		return nil, errors.Join(explain(err), w.Close())
	}
	w.producer.SetIdentity(produce.Identity{Producer: p})
	return w, nil
}

// openWriter checks the topic and makes the producer, which has no identity
// yet.
func openWriter(ctx context.Context, t *sinkTable, c exec.SinkContext) (*writer, error) {
	w := &writer{table: t, ctx: c, topic: t.layout.topics[0], timestamp: t.timestampColumn(), headers: t.headersColumn()}
	var err error
	if w.value, w.key, err = t.encoders(); err != nil {
		return nil, err
	}
	w.control = client.NewControl(t.client)
	topic, err := topicToWrite(ctx, w.control, w.topic, t.table.Options.Bool(optCreate))
	if err != nil {
		return nil, errors.Join(err, w.control.Close())
	}
	w.topicID = topic.ID
	o := t.table.Options
	w.partitioner = partitioner{kind: o.Enum(optPartition), partitions: int32(len(topic.Partitions)), subtask: int32(c.Subtask.Index)}
	w.producer = produce.New(produce.Config{
		Client: t.client, Topic: w.topic, Partitions: len(topic.Partitions), Clock: c.Clock,
		Codec: recordbatch.Codecs[o.Enum("properties.compression.type")], BatchBytes: int(o.Int("properties.batch.size")),
		Linger:  time.Duration(o.Int(optLinger)) * time.Millisecond,
		Waiting: waiting(c.Log, c.Clock, "sink", w.topic),
	}, w.control)
	return w, nil
}

// createTime is how long a broker may take to make a topic.
const createTime = time.Second

// topicToWrite describes the topic, which the broker may make.
func topicToWrite(ctx context.Context, c *client.Control, name string, create bool) (client.Topic, error) {
	if !create {
		return topicOf(ctx, c, name)
	}
	_, err := c.CreatingTopic(ctx, name)
	for deadline := time.Now().Add(createTime); codes.Is(err, codes.UnknownTopic) && time.Now().Before(deadline); {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return client.Topic{}, ctx.Err()
		}
		_, err = c.Topic(ctx, name)
	}
	return topicOf(ctx, c, name)
}

// Write encodes the rows and appends them. It blocks while too much waits for
// the broker.
func (w *writer) Write(ctx context.Context, b *vec.Batch) error {
	if err := w.encode(b); err != nil || len(w.rows) == 0 {
		return err
	}
	return w.append(ctx, b)
}

// encode fills values, keys and parts. A retracted row of an upsert table is
// a tombstone; its -U is nothing, as the +U that follows replaces it.
func (w *writer) encode(b *vec.Batch) error {
	w.rows = w.choose(b)
	w.values.Reset()
	if err := w.value.Encode(b, w.rows, &w.values); err != nil {
		return exec.Fatal(fmt.Errorf("topic %q: %w", w.topic, err))
	}
	w.keys.Reset()
	if w.key != nil {
		if err := w.key.Encode(b, w.rows, &w.keys); err != nil {
			return exec.Fatal(fmt.Errorf("topic %q, key: %w", w.topic, err))
		}
	}
	w.parts = resize(w.parts, len(w.rows))
	w.partitioner.choose(w.parts, w.keyOf)
	return nil
}

// choose is the rows to be written.
func (w *writer) choose(b *vec.Batch) []int32 {
	if !w.table.upsert || b.Ops == nil {
		return append(w.rows[:0], b.Rows()...)
	}
	rows := w.rows[:0]
	for _, row := range b.Rows() {
		if b.Ops[row] != vec.UpdateBefore {
			rows = append(rows, row)
		}
	}
	return rows
}

func resize(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

func (w *writer) keyOf(i int) []byte {
	if w.key == nil {
		return nil
	}
	return messageAt(&w.keys, i)
}

// messageAt is nil for a null message.
func messageAt(m *format.Messages, i int) []byte {
	if i < len(m.Null) && m.Null[i] {
		return nil
	}
	return m.At(i)
}

func (w *writer) append(ctx context.Context, b *vec.Batch) error {
	now := w.ctx.Clock.Now().UnixMilli()
	err := w.producer.Begin(ctx)
	defer w.producer.End()
	if err != nil {
		return err
	}
	for i, row := range w.rows {
		value := messageAt(&w.values, i)
		if w.table.upsert && b.Ops != nil && b.Ops[row].Retracts() {
			value = nil
		}
		millis, headers := w.millis(b, row, now), w.headersOf(b, row)
		w.producer.Append(w.parts[i], millis, w.keyOf(i), value, headers)
		if w.log != nil {
			w.log.Append(w.parts[i], millis, w.keyOf(i), value, headers)
		}
	}
	return nil
}

func (w *writer) millis(b *vec.Batch, row int32, now int64) int64 {
	if w.timestamp < 0 || b.Cols[w.timestamp].IsNull(int(row)) {
		return now
	}
	c := b.Cols[w.timestamp]
	if c.Kind == vec.I128 {
		return floorMillis(c.I128[row].Hi)
	}
	return floorMillis(c.I64[row])
}

func floorMillis(micros int64) int64 {
	return time.UnixMicro(micros).UnixMilli()
}

func (w *writer) headersOf(b *vec.Batch, row int32) []recordbatch.Header {
	if w.headers < 0 || b.Cols[w.headers].IsNull(int(row)) {
		return nil
	}
	c := b.Cols[w.headers]
	s := c.Spans[row]
	var headers []recordbatch.Header
	for i := s.Off; i < s.Off+s.Len; i++ {
		h := recordbatch.Header{Key: string(c.Kids[0].BytesAt(int(i)))}
		if !c.Kids[1].IsNull(int(i)) {
			h.Value = append([]byte{}, c.Kids[1].BytesAt(int(i))...)
		}
		headers = append(headers, h)
	}
	return headers
}

// Flush waits for all acknowledgements; with guarantee none for nothing.
func (w *writer) Flush(ctx context.Context) error {
	if w.table.guarantee == exec.None {
		return w.producer.Err()
	}
	return explainWrite(w.producer.Flush(ctx))
}

// explainWrite makes errors fatal that no restart can mend.
func explainWrite(err error) error {
	if codes.Is(err, codes.MessageTooLarge, codes.InvalidTopic) || codes.Is(err, 87) {
		return exec.Fatal(err)
	}
	return explain(err)
}

// closeTime bounds the wait of Close for what guarantee none has not flushed.
const closeTime = 30 * time.Second

// Close waits for the acknowledgements that guarantee none never waited for;
// the other guarantees have waited on the last barrier.
func (w *writer) Close() error {
	var err error
	if w.table.guarantee == exec.None && w.producer.Err() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		err = explainWrite(w.producer.Flush(ctx))
		cancel()
	}
	return errors.Join(err, w.producer.Close(), w.control.Close())
}

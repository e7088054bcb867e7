package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/produce"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/connectors/kafka/txnlog"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// transactionalWriter writes in transactions: one a checkpoint, begun at the
// first record, pre-committed on the barrier.
type transactionalWriter struct {
	*writer
	session *txn.Session
	cluster adder
	logs    *txnlog.Usage

	open    txn.Open // ID "": none
	begun   time.Time
	added   map[int32]bool // partitions that are part of the transaction
	warned  bool
	timeout time.Duration
}

// adder is what a writer asks of the transaction coordinator by itself.
type adder interface {
	AddPartitions(ctx context.Context, id string, p client.Producer, parts []client.TP) error
}

// adderFor lets tests come between.
var adderFor = func(c *client.Control) adder { return c }

func newTransactionalWriter(ctx context.Context, s *transactionalSink, c exec.SinkContext) (*transactionalWriter, error) {
	w, err := openWriter(ctx, s.sinkTable, c)
	if err != nil {
		return nil, err
	}
	t := &transactionalWriter{writer: w, session: s.sessionFor(c), cluster: adderFor(w.control), timeout: s.timeout()}
	if s.table.Options.Bool(optLog) {
		w.log, t.logs = txnlog.New(c.Journal, s.logs), s.logs
	}
	return t, nil
}

// Write begins a transaction if none is open, and makes the partitions that
// the rows need part of it before they are appended.
func (w *transactionalWriter) Write(ctx context.Context, b *vec.Batch) error {
	if err := w.encode(b); err != nil || len(w.rows) == 0 {
		return err
	}
	if err := w.begin(ctx); err != nil {
		return err
	}
	if err := w.addPartitions(ctx); err != nil {
		return err
	}
	w.warnIfOld()
	if err := w.append(ctx, b); err != nil {
		return w.refused(ctx, err)
	}
	if w.log == nil {
		return nil
	}
	if err := w.log.Push(ctx); err != nil {
		return err
	}
	if w.logs.WantsCheckpoint() && w.ctx.Checkpoint != nil {
		w.ctx.Checkpoint() // to commit before the log is full
	}
	if w.logs.Presses() {
		return w.pause(ctx)
	}
	return nil
}

// pressPause comes after each batch while the log is beyond its limit.
const pressPause = 20 * time.Millisecond

func (w *transactionalWriter) pause(ctx context.Context) error {
	select {
	case <-w.ctx.Clock.After(pressPause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *transactionalWriter) begin(ctx context.Context) error {
	if w.open.ID != "" {
		return nil
	}
	open, err := w.session.Begin(ctx, w.ctx.Subtask.Index)
	if err != nil {
		return err
	}
	w.open, w.begun, w.warned, w.added = open, w.ctx.Clock.Now(), false, map[int32]bool{}
	w.producer.SetIdentity(produce.Identity{TransactionalID: open.ID, Producer: open.Producer})
	if w.log != nil {
		w.log.Begin(fmt.Sprintf("%s/%s", open.ID, open.Producer))
	}
	return nil
}

func (w *transactionalWriter) addPartitions(ctx context.Context) error {
	var missing []client.TP
	for _, p := range w.parts {
		if !w.added[p] {
			w.added[p] = true
			missing = append(missing, client.TP{Topic: w.topic, Partition: p})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	err := w.session.Retry(ctx, func() error { return w.cluster.AddPartitions(ctx, w.open.ID, w.open.Producer, missing) })
	if err != nil {
		return w.refused(ctx, err)
	}
	return nil
}

// refused ends the transaction's use: it cannot be continued.
func (w *transactionalWriter) refused(ctx context.Context, err error) error {
	return w.session.Failed(ctx, w.topic, w.topicID, explainWrite(w.session.Refused(ctx, err)))
}

// warnIfOld says once a transaction when 80 % of its time-out have passed.
func (w *transactionalWriter) warnIfOld() {
	if age := w.ctx.Clock.Now().Sub(w.begun); !w.warned && age > w.timeout*8/10 {
		w.warned = true
		w.ctx.Log.Warn("a transaction nears its time-out, after which the broker aborts it and the job restarts: make checkpoints more frequent or the time-out longer",
			"transactional.id", w.open.ID, "age", age, optTxnTimeout, w.timeout.Milliseconds())
	}
}

// PreCommit flushes, awaits all acknowledgements, writes the marker, and
// hands over the committable. Without an id for the next transaction it
// declines, and the open one goes on.
func (w *transactionalWriter) PreCommit(ctx context.Context, id checkpoint.ID, final bool) ([]exec.Committable, error) {
	if w.open.ID == "" {
		return nil, nil
	}
	if !final && !w.session.CanGoOn(w.ctx.Subtask.Index) {
		return nil, fmt.Errorf("%w: no transactional.id would be free for the rows that follow: all %s are held by unfinished checkpoints; allow fewer concurrent checkpoints, make them faster, pause longer between them, or raise '%s'",
			exec.ErrDecline, w.table.table.Options.Text(optPoolMax), optPoolMax)
	}
	if w.log != nil {
		if err := w.log.End(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.producer.Flush(ctx); err != nil {
		return nil, w.refused(ctx, err)
	}
	if err := w.syncLog(ctx, id, final); err != nil {
		return nil, err
	}
	t, err := w.transaction(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := w.session.PreCommit(ctx, t); err != nil {
		return nil, w.session.Failed(ctx, w.topic, w.topicID, err)
	}
	w.open = txn.Open{}
	if w.log != nil {
		w.log.Keep(id)
	}
	return []exec.Committable{t.Committable(w.ctx.Subtask)}, nil
}

// syncLog makes the log durable before the checkpoint learns of the
// transaction. If there is no room for it the checkpoint is declined, and the
// transaction stays open.
func (w *transactionalWriter) syncLog(ctx context.Context, id checkpoint.ID, final bool) error {
	if w.log == nil {
		return nil
	}
	err := w.log.Sync(ctx, id, final)
	var full *txnlog.FullError
	switch {
	case err != nil && txnlog.Declines(err):
		return fmt.Errorf("%w: %w", exec.ErrDecline, err)
	case errors.As(err, &full):
		return exec.Fatal(err)
	}
	return err
}

// transaction describes the open transaction, all of whose records are
// acknowledged. Its topic must be the one that the writer opened: then no
// other can have taken any of them.
func (w *transactionalWriter) transaction(ctx context.Context, id checkpoint.ID) (txn.Transaction, error) {
	t := txn.Transaction{
		RunID: w.ctx.RunID, ID: w.open.ID, Producer: w.open.Producer, Checkpoint: id,
		StartMillis: w.begun.UnixMilli(), Records: w.producer.Written(), Marker: w.session.Marker(),
	}
	if w.log != nil {
		t.Log = w.log.Name()
	}
	for p := range w.partitioner.partitions {
		if w.added[p] {
			t.Partitions = append(t.Partitions, client.TP{Topic: w.topic, Partition: p})
		}
	}
	var err error
	t.Topics, err = w.session.Wrote(ctx, w.topic, w.topicID)
	return t, err
}

// Flush is not called on a barrier of a transactional sink; it waits for the
// acknowledgements all the same.
func (w *transactionalWriter) Flush(ctx context.Context) error {
	if err := w.producer.Flush(ctx); err != nil {
		return w.refused(ctx, err)
	}
	return nil
}

// Settled frees the ids and deletes the logs.
func (w *transactionalWriter) Settled(list []exec.Committable) error {
	for _, c := range list {
		t, err := txn.Decode(c)
		if err != nil {
			return err
		}
		w.session.Settled(t)
		if w.log == nil || t.Log == "" {
			continue
		}
		if err := w.log.Drop(context.Background(), t.Log); err != nil {
			return err
		}
	}
	return nil
}

// Close gives an open transaction up.
func (w *transactionalWriter) Close() error {
	var err error
	if w.log != nil {
		err = w.log.Close()
	}
	return errors.Join(err, w.writer.Close())
}

// transactionCommitter commits for the whole sink.
type transactionCommitter struct {
	sink      *transactionalSink
	session   *txn.Session
	journal   checkpoint.Journal
	committed bool // something, since it was made
}

func decodeAll(list []exec.Committable) ([]txn.Transaction, error) {
	ts := make([]txn.Transaction, len(list))
	for i, c := range list {
		var err error
		if ts[i], err = txn.Decode(c); err != nil {
			return nil, exec.Fatal(err)
		}
	}
	return ts, nil
}

func (c *transactionCommitter) Start(ctx context.Context, pending []exec.Committable) error {
	ts, err := decodeAll(pending)
	if err != nil {
		return err
	}
	return explain(c.session.Start(ctx, ts))
}

// Commit tries every committable. The first error is raised after that.
func (c *transactionCommitter) Commit(ctx context.Context, list []exec.Committable) ([]exec.Outcome, error) {
	ts, err := decodeAll(list)
	if err != nil {
		return nil, err
	}
	verdicts, err := c.session.CommitAll(ctx, ts)
	outcomes := make([]exec.Outcome, len(ts))
	for i, v := range verdicts {
		c.committed = c.committed || v.Status == checkpoint.Committed
		outcomes[i] = exec.Outcome{
			Committable: list[i], Status: v.Status, Fatal: v.Fatal, Detail: v.Detail, Records: ts[i].Records, Journal: v.MarkerEntry(ts[i]),
		}
		if v.Replacement != nil {
			by := v.Replacement.Committable(list[i].Writer)
			outcomes[i].Replacement = &by
		}
	}
	return outcomes, explain(err)
}

func (c *transactionCommitter) Recover(ctx context.Context, keep []exec.Committable) error {
	ts, err := decodeAll(keep)
	if err != nil {
		return err
	}
	if err := c.session.Recover(ctx, ts); err != nil {
		return explain(err)
	}
	logs := map[string]bool{}
	for _, t := range ts {
		logs[t.Log] = true
	}
	c.sink.logs.Started(c.committed)
	return txnlog.Sweep(c.journal, logs)
}

// Close leaves the session: a restart inside the process goes on with it.
func (c *transactionCommitter) Close() error {
	c.sink.control.Disconnect()
	return nil
}

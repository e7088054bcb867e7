package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/produce"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// transactionalWriter writes in transactions: one a checkpoint, begun at the
// first record, pre-committed on the barrier.
type transactionalWriter struct {
	*writer
	session *txn.Session
	cluster adder

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
	return &transactionalWriter{writer: w, session: s.sessionFor(c), cluster: adderFor(w.control), timeout: s.timeout()}, nil
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
	return nil
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
	return explainWrite(w.session.Refused(ctx, err))
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
	if err := w.producer.Flush(ctx); err != nil {
		return nil, w.refused(ctx, err)
	}
	t := w.transaction(id)
	if err := w.session.PreCommit(ctx, t); err != nil {
		return nil, err
	}
	w.open = txn.Open{}
	return []exec.Committable{t.Committable(w.ctx.Subtask)}, nil
}

func (w *transactionalWriter) transaction(id checkpoint.ID) txn.Transaction {
	t := txn.Transaction{
		RunID: w.ctx.RunID, ID: w.open.ID, Producer: w.open.Producer, Checkpoint: id,
		StartMillis: w.begun.UnixMilli(), Records: w.producer.Written(), Marker: w.session.Marker(),
	}
	for p := range w.partitioner.partitions {
		if w.added[p] {
			t.Partitions = append(t.Partitions, client.TP{Topic: w.topic, Partition: p})
		}
	}
	return t
}

// Flush is not called on a barrier of a transactional sink; it waits for the
// acknowledgements all the same.
func (w *transactionalWriter) Flush(ctx context.Context) error {
	if err := w.producer.Flush(ctx); err != nil {
		return w.refused(ctx, err)
	}
	return nil
}

// Settled frees the ids.
func (w *transactionalWriter) Settled(list []exec.Committable) error {
	for _, c := range list {
		t, err := txn.Decode(c)
		if err != nil {
			return err
		}
		w.session.Settled(t)
	}
	return nil
}

// transactionCommitter commits for the whole sink.
type transactionCommitter struct {
	sink    *transactionalSink
	session *txn.Session
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

// Commit tries every committable, in the order of checkpoints. The first
// error is raised after that.
func (c *transactionCommitter) Commit(ctx context.Context, list []exec.Committable) ([]exec.Outcome, error) {
	ts, err := decodeAll(list)
	if err != nil {
		return nil, err
	}
	outcomes := make([]exec.Outcome, len(ts))
	for i := range list {
		outcomes[i] = exec.Outcome{Committable: list[i]}
	}
	var first error
	for _, i := range byCheckpoint(ts) {
		t := ts[i]
		if ctx.Err() != nil {
			return outcomes, errors.Join(first, ctx.Err())
		}
		v, err := c.session.Commit(ctx, t)
		if first == nil {
			first = err
		}
		outcomes[i].Status, outcomes[i].Fatal, outcomes[i].Detail, outcomes[i].Journal = v.Status, v.Fatal, v.Detail, v.MarkerEntry(t)
	}
	return outcomes, explain(first)
}

// byCheckpoint are the indices of ts, earlier checkpoints first.
func byCheckpoint(ts []txn.Transaction) []int {
	order := make([]int, len(ts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ts[a].Checkpoint, ts[b].Checkpoint) })
	return order
}

func (c *transactionCommitter) Recover(ctx context.Context, keep []exec.Committable) error {
	ts, err := decodeAll(keep)
	if err != nil {
		return err
	}
	return explain(c.session.Recover(ctx, ts))
}

// Close leaves the session: a restart inside the process goes on with it.
func (c *transactionCommitter) Close() error {
	c.sink.control.Disconnect()
	return nil
}

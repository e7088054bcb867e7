package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/codes"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/exec"
)

// settler looks after the transactions of one sink, for `txn`.
type settler struct {
	ref     connectors.SinkRef
	options *connectors.Options
	names   txn.Names
	control *client.Control // nil before the first request
}

func openSettler(r connectors.SinkRef) (connectors.Settler, error) {
	given := maps.Clone(r.Options)
	if given == nil {
		given = map[string]string{}
	}
	known := slices.Clone(join(commonOptions, tlsOptions, sinkOptions))
	for i := range known {
		known[i].Required = false // asked for when the cluster is
	}
	o, err := connectors.NewOptions(given, known)
	if err != nil {
		return nil, err
	}
	s := &settler{ref: r, options: o}
	s.names = txn.NewNames(s.prefix(), r.UID)
	return s, nil
}

func (s *settler) prefix() string {
	if p := s.options.Text(optTxnPrefix); p != "" {
		return p
	}
	return s.ref.JobName
}

func (s *settler) timeout() time.Duration {
	return time.Duration(s.options.Int(optTxnTimeout)) * time.Millisecond
}

// cluster connects lazily.
func (s *settler) cluster() (*client.Control, error) {
	if s.control != nil {
		return s.control, nil
	}
	if !s.options.Given(optServers) {
		return nil, &noCluster{"the state directory does not say where the cluster is: --bootstrap host:port names it"}
	}
	conf, err := clientConfig(s.options)
	if err != nil {
		return nil, &noCluster{err.Error() + "; secrets are not kept in the state directory: --command-config FILE holds them"}
	}
	s.control = client.NewControl(conf)
	return s.control, nil
}

// noCluster: it is not known how to reach the cluster.
type noCluster struct{ msg string }

func (e *noCluster) Error() string  { return e.msg }
func (e *noCluster) External() bool { return true }

func (s *settler) Close() error {
	if s.control == nil {
		return nil
	}
	return s.control.Close()
}

func (s *settler) Describe(c exec.Committable) (connectors.Transaction, error) {
	t, err := txn.Decode(c)
	if err != nil {
		return connectors.Transaction{}, err
	}
	return connectors.Transaction{
		ID: t.ID, Producer: t.Producer.String(), Started: time.UnixMilli(t.StartMillis), Rows: t.Records,
		Partitions: partitionNames(t.Partitions), Timeout: s.timeout(),
	}, nil
}

func partitionNames(parts []client.TP) []string {
	names := []string{}
	for _, p := range parts {
		if !strings.HasPrefix(p.Topic, "__") { // the marker's
			names = append(names, p.String())
		}
	}
	slices.Sort(names)
	return names
}

// Cluster lists and describes the ids of the sink; its owner id, which never
// opens a transaction, is left out.
func (s *settler) Cluster(ctx context.Context) ([]connectors.ClusterTransaction, error) {
	control, err := s.cluster()
	if err != nil {
		return nil, err
	}
	ids, err := control.TransactionalIDs(ctx)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	var list []connectors.ClusterTransaction
	for _, id := range ids {
		if _, ok := s.names.Parse(id); !ok {
			continue
		}
		t, err := control.DescribeTransaction(ctx, id)
		if codes.Is(err, codes.TxnIDNotFound) {
			continue // it expired since
		}
		if err != nil {
			return nil, err
		}
		c := connectors.ClusterTransaction{ID: id, Producer: t.Producer.String(), State: t.State, Open: t.Open(), Started: t.Start, Timeout: t.Timeout, Partitions: partitionNames(t.Parts)}
		if c.Open {
			if c.Holds, err = holds(ctx, control, t); err != nil {
				return nil, err
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// holds are the partitions where the transaction has records.
func holds(ctx context.Context, control *client.Control, t client.TxnState) ([]connectors.Hold, error) {
	var list []connectors.Hold
	for _, p := range t.Parts {
		if strings.HasPrefix(p.Topic, "__") {
			continue
		}
		open, err := control.OpenOffsets(ctx, p)
		if err != nil {
			return nil, err
		}
		from, ok := open[t.Producer.ID]
		if !ok {
			continue
		}
		at := map[client.TP]int64{p: client.Latest}
		stable, err := control.ListOffsets(ctx, at, true)
		if err != nil {
			return nil, err
		}
		end, err := control.ListOffsets(ctx, at, false)
		if err != nil {
			return nil, err
		}
		list = append(list, connectors.Hold{Partition: p.String(), From: from, LastStable: stable[p], End: end[p]})
	}
	return list, nil
}

// patience of a person who waits for an answer.
const patience = 10 * time.Second

// session is the protocol as at a process start, on one sink.
func (s *settler) session(pending []txn.Transaction) (*txn.Session, error) {
	control, err := s.cluster()
	if err != nil {
		return nil, err
	}
	conf := txn.Config{
		Cluster: clusterFor(control), Journal: s.ref.Journal, Clock: s.ref.Clock, Log: s.ref.Log,
		Prefix: s.prefix(), UID: s.ref.UID, RunID: s.ref.RunID, Timeout: s.timeout(), PoolSize: int(s.options.Int(optPoolSize)), PoolMax: int(s.options.Int(optPoolMax)),
		MaxConcurrent: 1, Patience: patience,
	}
	if len(pending) > 0 {
		conf.Marker = pending[0].Marker
	} else if s.options.Bool(optMarker) && s.options.Given(optTopic) {
		conf.Marker = client.TP{Topic: s.options.Text(optTopic)}
	}
	return txn.NewSession(conf), nil
}

func (s *settler) Settle(ctx context.Context, d connectors.Settlement) (exec.Outcome, error) {
	o := exec.Outcome{Committable: d.Pending[d.Index]}
	ts, err := decodeAll(d.Pending)
	if err != nil {
		return o, err
	}
	t := ts[d.Index]
	if err := s.mayLose(ctx, d, ts); err != nil {
		return o, err
	}
	session, err := s.session(ts)
	if err != nil {
		return o, err
	}
	if err := session.Start(ctx, ts); err != nil {
		return o, explain(err)
	}
	resolve := session.AbortByHand
	if d.Commit {
		resolve = session.CommitByHand
	}
	v, err := resolve(ctx, t, d.Force)
	o.Status, o.Detail, o.Records, o.Journal = v.Status, v.Detail, t.Records, v.MarkerEntry(t)
	return o, byHand(explain(err), d.Commit)
}

// byHand says what a person can do next.
func byHand(err error, commit bool) error {
	var lost *txn.LostError
	var undecided *txn.Undecided
	switch {
	case errors.As(err, &lost) && lost.Transaction.Log != "":
		return &connectors.WouldLoseError{Msg: lost.Transaction.Describe() + " cannot be committed: " + lost.Why() + "; its rows are in the pre-commit log, and the next start of the job writes them anew; `sqlstream txn abort --force` gives them up"}
	case errors.As(err, &lost):
		return &connectors.WouldLoseError{Msg: lost.Transaction.Describe() + " cannot be committed: " + lost.Why() + "; `sqlstream txn abort` accepts the loss"}
	case errors.As(err, &undecided):
		verb := "abort"
		if commit {
			verb = "commit"
		}
		return &connectors.UndecidedError{Msg: undecided.Error() + "; look at the topic, then `txn " + verb + " --force` if you are sure"}
	}
	return err
}

// mayLose refuses, before anything is touched, what would lose rows or bring
// them out of order.
func (s *settler) mayLose(ctx context.Context, d connectors.Settlement, ts []txn.Transaction) error {
	t := ts[d.Index]
	if d.Force {
		return nil
	}
	if d.Commit {
		for i, other := range d.Pending {
			if other.Writer == d.Pending[d.Index].Writer && ts[i].Checkpoint < t.Checkpoint {
				return &connectors.WouldLoseError{Msg: fmt.Sprintf("%s is of an earlier checkpoint (%d) of the same writer and pending: settle it first, or rows become visible out of order; --force does so all the same", ts[i].ID, ts[i].Checkpoint)}
			}
		}
		return nil
	}
	if t.Log != "" {
		return &connectors.WouldLoseError{Msg: t.Describe() + ": its rows are in the pre-commit log, and the next start of the job commits it, or writes them anew if the broker aborted it; `txn abort --force` gives them up"}
	}
	control, err := s.cluster()
	if err != nil {
		return err
	}
	if gone, err := txn.Gone(ctx, control, t); gone != nil || err != nil {
		return err // nothing is left to be lost
	}
	state, err := control.DescribeTransaction(ctx, t.ID)
	if _, answered := codes.Of(err); err != nil && !answered {
		return err
	}
	if txn.SeemsOpen(t, state, err) {
		return &connectors.WouldLoseError{Msg: fmt.Sprintf("%s: a durable checkpoint covers it, so its rows would not be read again: aborting it loses them; commit it by `sqlstream txn commit`, or give it up by `txn abort --force`", t.Describe())}
	}
	return nil
}

// AbortOpen is for what a process left behind that will not come back: the
// next start would do the same.
func (s *settler) AbortOpen(ctx context.Context, id string, pending []exec.Committable) error {
	ts, err := decodeAll(pending)
	if err != nil {
		return err
	}
	session, err := s.session(ts)
	if err != nil {
		return err
	}
	if err := session.Start(ctx, ts); err != nil {
		return explain(err)
	}
	return explain(session.Abandon(ctx, id))
}

// readPosition makes the position of a split readable.
func readPosition(b []byte) (string, bool) {
	p, err := decodePosition(b)
	if err != nil {
		return "", false
	}
	if p.end == never {
		return fmt.Sprintf("next %d", p.next), true
	}
	return fmt.Sprintf("next %d, ends before %d", p.next, p.end), true
}

var _ connectors.Settler = (*settler)(nil)

// noteSink keeps where the sink writes, for `txn`.
func (s *transactionalSink) noteSink(j checkpoint.Journal) error {
	name := "kafka"
	if s.upsert {
		name = "upsert-kafka"
	}
	return connectors.NoteSink(j, name, s.table.Options)
}

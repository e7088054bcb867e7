package kafka

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/connectors/kafka/client"
	"github.com/sqlstream/sqlstream/connectors/kafka/txn"
	"github.com/sqlstream/sqlstream/connectors/kafka/txnlog"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
)

// sinkTable is a table opened for writing.
type sinkTable struct {
	table     *connectors.Table
	layout    *layout
	columns   []int // table column → batch column; −1: virtual metadata
	client    client.Config
	guarantee exec.Guarantee
	upsert    bool
}

func openSink(t *connectors.Table, upsert bool) (connectors.SinkTable, error) {
	l, err := layoutOf(t, upsert)
	if err != nil {
		return nil, err
	}
	if len(l.topics) > 1 {
		return nil, &connectors.UnsupportedError{Msg: "writing to one of several topics is not supported yet"}
	}
	s := &sinkTable{table: t, layout: l, upsert: upsert}
	if s.guarantee, err = connectors.GuaranteeOf(t.Options); err != nil {
		return nil, err
	}
	if s.client, err = clientConfig(t.Options); err != nil {
		return nil, err
	}
	if t.Env.CheckpointInterval == 0 && s.guarantee == exec.ExactlyOnce {
		return nil, fmt.Errorf("'%s' = 'exactly-once' commits with checkpoints, but 'execution.checkpointing.interval' is 0", optGuarantee)
	}
	if timeout := s.timeout(); s.guarantee == exec.ExactlyOnce && timeout <= t.Env.CheckpointInterval {
		return nil, fmt.Errorf("'%s' is %d, the checkpoint interval %d ms: every transaction would time out before its commit; make the time-out a multiple of the interval",
			optTxnTimeout, timeout.Milliseconds(), t.Env.CheckpointInterval.Milliseconds())
	}
	if err := s.checkLog(); err != nil {
		return nil, err
	}
	if err := checkWritten(t); err != nil {
		return nil, err
	}
	s.columns = batchColumns(t)
	_, _, err = s.encoders()
	return s, err
}

// checkLog refuses a pre-commit log that could not be used.
func (s *sinkTable) checkLog() error {
	o := s.table.Options
	switch {
	case !o.Bool(optLog):
		return nil
	case s.guarantee != exec.ExactlyOnce:
		return fmt.Errorf("'%s' keeps the rows of transactions, which only '%s' = 'exactly-once' makes; leave it out, or ask for exactly-once", optLog, optGuarantee)
	case !o.Bool(optMarker):
		return fmt.Errorf("'%s' = 'true' needs commit markers, but '%s' = 'false': without them nothing tells whether a transaction was committed, and what was would be written twice", optLog, optMarker)
	case o.Size(optLogMax) <= 0:
		return fmt.Errorf("'%s' is '%s', expected a size above 0", optLogMax, o.Text(optLogMax))
	}
	return nil
}

// checkWritten refuses written metadata columns of a type that would need a
// conversion.
func checkWritten(t *connectors.Table) error {
	for _, c := range t.Columns {
		if c.Metadata == "" || c.Virtual || sameStorage(metadataType(c.Metadata), c.Type) {
			continue
		}
		utc := t.Env.Zone == nil || t.Env.Zone == time.UTC
		if c.Metadata == metaTimestamp && c.Type.Kind == types.Timestamp && utc {
			continue
		}
		return fmt.Errorf("metadata column %q: writing %s as %s is not supported yet; declare it %s, or VIRTUAL if it is only read",
			c.Name, c.Type.Text(), c.Metadata, metadataType(c.Metadata).Text())
	}
	return nil
}

// batchColumns numbers the columns that a sink's batches hold.
func batchColumns(t *connectors.Table) []int {
	columns, next := make([]int, len(t.Columns)), 0
	for i, c := range t.Columns {
		columns[i] = -1
		if !c.Virtual {
			columns[i] = next
			next++
		}
	}
	return columns
}

func (s *sinkTable) timeout() time.Duration {
	return time.Duration(s.table.Options.Int(optTxnTimeout)) * time.Millisecond
}

// Accepts: a plain topic takes inserts, unless the format carries changes.
func (s *sinkTable) Accepts() connectors.Changelog {
	if s.upsert {
		return connectors.Upsert
	}
	return s.layout.value.format.Changelog
}

func (s *sinkTable) Guarantee() exec.Guarantee { return s.guarantee }

func (s *sinkTable) Parallelism() int { return int(s.table.Options.Int("sink.parallelism")) }

func (s *sinkTable) Promise() string {
	switch {
	case s.guarantee == exec.ExactlyOnce:
		return fmt.Sprintf("exactly-once by Kafka transactions; read_committed consumers see rows every %s (console consumers show uncommitted rows unless isolation.level=read_committed); %s",
			s.table.Env.CheckpointInterval, s.outage())
	case s.guarantee == exec.None:
		return "none: rows may be lost or repeated after a failure"
	case s.upsert:
		return "at-least-once; the table by key is exactly-once in the end, without waiting for checkpoints: a repeated row replaces itself"
	}
	return "at-least-once: no row is lost, some may be repeated after a failure"
}

// outage says for how long the job may be down.
func (s *sinkTable) outage() string {
	if s.table.Options.Bool(optLog) {
		return "the job may be down for any time (pre-commit log)"
	}
	return fmt.Sprintf("the job may be down for up to %s, for any time with '%s'", s.timeout(), optLog)
}

// Sink makes the sink of a job.
func (s *sinkTable) Sink() (exec.Sink, error) {
	if s.guarantee == exec.ExactlyOnce {
		return &transactionalSink{sinkTable: s}, nil
	}
	return &sink{s}, nil
}

// encoders compiles the formats; the key's is nil if there is no key.
func (s *sinkTable) encoders() (value, key format.Encoder, err error) {
	make := func(p part) (format.Encoder, error) {
		if p.format.Encoder == nil {
			return nil, fmt.Errorf("format '%s' cannot be written", p.format.Name)
		}
		spec := &format.EncodeSpec{Fields: p.fields, Options: s.table.Options, Prefix: p.prefix, Zone: s.table.Env.Zone}
		for _, c := range p.columns {
			spec.Columns = append(spec.Columns, s.columns[c])
		}
		return p.format.Encoder(spec)
	}
	if value, err = make(s.layout.value); err != nil || s.layout.key.format == nil {
		return value, nil, err
	}
	key, err = make(s.layout.key)
	return value, key, err
}

// sink writes without transactions.
type sink struct{ *sinkTable }

func (s *sink) Writer(ctx context.Context, c exec.SinkContext) (exec.Writer, error) {
	return newWriter(ctx, s.sinkTable, c)
}

// transactionalSink commits with checkpoints. Its session outlives restarts
// inside the process.
type transactionalSink struct {
	*sinkTable

	mu      sync.Mutex
	session *txn.Session
	control *client.Control
	logs    *txnlog.Usage
}

func (s *transactionalSink) Writer(ctx context.Context, c exec.SinkContext) (exec.Writer, error) {
	return newTransactionalWriter(ctx, s, c)
}

func (s *transactionalSink) Committer(_ context.Context, c exec.SinkContext) (exec.Committer, error) {
	session := s.sessionFor(c)
	if err := s.noteSink(c.Journal); err != nil {
		return nil, err
	}
	if c.Restart {
		session.Restarted()
	}
	return &transactionCommitter{sink: s, session: session, journal: c.Journal}, nil
}

// sessionFor makes the session at the first call.
func (s *transactionalSink) sessionFor(c exec.SinkContext) *txn.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		return s.session
	}
	o := s.table.Options
	s.control = client.NewControl(s.client)
	s.logs = txnlog.NewUsage(o.Size(optLogMax))
	conf := txn.Config{
		Cluster: clusterFor(s.control), Journal: c.Journal, Clock: c.Clock, Log: c.Log,
		Prefix: s.prefix(c.JobName), UID: c.UID, RunID: c.RunID, Timeout: s.timeout(),
		PoolSize: int(o.Int(optPoolSize)), PoolMax: int(o.Int(optPoolMax)),
		MaxConcurrent: c.MaxConcurrent, Interval: c.Interval,
		ContinueLost: o.Enum(optLost) == "continue", Fresh: c.Fresh,
		Rewriter: &rewriter{s, c}, LogBytes: func(log string) (int64, error) { return txnlog.Size(c.Journal, log) },
	}
	if o.Bool(optMarker) {
		conf.Marker = client.TP{Topic: s.layout.topics[0]}
	}
	s.session = txn.NewSession(conf)
	return s.session
}

// clusterFor lets tests come between the protocol and the broker.
var clusterFor = func(c *client.Control) txn.Cluster { return c }

func (s *transactionalSink) prefix(job string) string {
	if p := s.table.Options.Text(optTxnPrefix); p != "" {
		return p
	}
	return job
}

// timestampColumn is the batch column that gives a record its timestamp: the
// written metadata column, else the query's row time; −1: the present. wide
// columns hold µs and ns.
func (s *sinkTable) timestampColumn() int {
	row := -1
	for i, c := range s.table.Columns {
		switch {
		case c.Metadata == metaTimestamp && !c.Virtual:
			return s.columns[i]
		case c.Rowtime && c.Type.IsTimestamp():
			row = s.columns[i]
		}
	}
	return row
}

func (s *sinkTable) headersColumn() int {
	for i, c := range s.table.Columns {
		if c.Metadata == metaHeaders && !c.Virtual && c.Type.Kind == types.Map {
			return s.columns[i]
		}
	}
	return -1
}

package connectors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

// SinkNote is what an exactly-once sink writes into its journal, so that a
// person can look after its transactions without the job's file.
type SinkNote struct {
	Connector string            `json:"connector"`
	Options   map[string]string `json:"options"` // as given, without secrets and what belongs to formats
}

// noteKey of the sink's journal.
const noteKey = "sink"

// NoteSink writes the note of a table.
func NoteSink(j exec.Journal, connector string, o *Options) error {
	return WriteSinkNote(j, SinkNote{connector, o.public()})
}

// WriteSinkNote writes a note unless it is there already.
func WriteSinkNote(j exec.Journal, n SinkNote) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	old, err := j.Get(noteKey)
	if err != nil || bytes.Equal(old, text) {
		return err
	}
	return j.Put(noteKey, text)
}

// ReadSinkNote returns nil for an operator that has none: it is no
// exactly-once sink, or never started.
func ReadSinkNote(j exec.Journal) (*SinkNote, error) {
	text, err := j.Get(noteKey)
	if err != nil || text == nil {
		return nil, err
	}
	n := &SinkNote{}
	if err := json.Unmarshal(text, n); err != nil {
		return nil, fmt.Errorf("the note of a sink in the state directory is damaged: %w", err)
	}
	return n, nil
}

// public are the given options that say where the sink writes: no secrets.
func (o *Options) public() map[string]string {
	m := map[string]string{}
	for k, v := range o.given {
		d := find(o.known, k)
		where := k == "topic" || k == "path" || strings.HasPrefix(k, "properties.") || strings.HasPrefix(k, "sink.")
		if where && d != nil && !d.Secret {
			m[k] = v
		}
	}
	return m
}

// SinkRef names a sink of a job, to look after its transactions.
type SinkRef struct {
	Connector string
	UID       string // operator UID
	JobName   string
	RunID     string
	Options   map[string]string // of the note, and what a person added
	// Journal of the sink; nil if the job runs elsewhere: then only Describe
	// and Cluster are called.
	Journal exec.Journal
	Clock   exec.Clock
	Log     *slog.Logger
}

// Settler looks after the transactions of one sink. One goroutine at a time.
// Errors that name a state (WouldLoseError, UndecidedError) change
// nothing that was not known to be so.
type Settler interface {
	// Describe reads a committable of the sink; no request is made.
	Describe(exec.Committable) (Transaction, error)
	// Cluster lists the transactions of the sink's ids, in any state, with
	// what they hold back, whether the directory knows them or not.
	Cluster(context.Context) ([]ClusterTransaction, error)
	// Settle ends one pending transaction of a job that does not run. The
	// outcome, with its journal entries, is the caller's to store; it may come
	// beside an error.
	Settle(context.Context, Settlement) (exec.Outcome, error)
	// AbortOpen ends a transaction that no checkpoint covers.
	AbortOpen(ctx context.Context, id string, pending []exec.Committable) error
	Close() error
}

// Settlement is a person's decision.
type Settlement struct {
	Pending []exec.Committable // all of the sink, earlier checkpoints first
	Index   int                // the one that is meant
	Commit  bool               // else abort
	Force   bool
}

// Transaction is a committable in words.
type Transaction struct {
	ID         string        `json:"id"`
	Producer   string        `json:"producer"` // id/epoch
	Started    time.Time     `json:"started"`
	Rows       int64         `json:"rows"`
	Partitions []string      `json:"partitions"`
	Timeout    time.Duration `json:"-"` // 0: not known
}

// ClusterTransaction is what a cluster says of an id.
type ClusterTransaction struct {
	ID         string        `json:"id"`
	Producer   string        `json:"producer"`
	State      string        `json:"state"` // the cluster's word
	Open       bool          `json:"open"`  // it holds readers back
	Started    time.Time     `json:"started"`
	Timeout    time.Duration `json:"-"`
	Partitions []string      `json:"partitions"`
	Holds      []Hold        `json:"holds"`
}

// Hold is a partition whose committed readers wait for a transaction.
type Hold struct {
	Partition string `json:"partition"`
	// From is where the transaction's first record is, LastStable up to where
	// committed readers see, End the partition's end. This one holds the
	// readers back if From = LastStable; else an earlier one does so first.
	From       int64 `json:"from"`
	LastStable int64 `json:"lastStable"`
	End        int64 `json:"end"`
}

// WouldLoseError: the person asked for what would lose rows.
type WouldLoseError struct{ Msg string }

func (e *WouldLoseError) Error() string { return e.Msg }

// UndecidedError: nothing proves whether the transaction was committed.
type UndecidedError struct{ Msg string }

func (e *UndecidedError) Error() string { return e.Msg }

// OpenSettler finds the connector's settler.
func OpenSettler(r SinkRef) (Settler, error) {
	c, ok := Lookup(r.Connector)
	if !ok {
		return nil, fmt.Errorf("connector '%s' is not known to this program", r.Connector)
	}
	if c.Settler == nil {
		return nil, &UnsupportedError{Msg: fmt.Sprintf("looking after transactions of connector '%s' is not supported yet", r.Connector)}
	}
	return c.Settler(r)
}

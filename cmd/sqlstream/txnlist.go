package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/session"
)

// txnView is what `txn list` shows.
type txnView struct {
	Job     string `json:"job"`
	Running bool   `json:"running"`
	// Cluster is why nothing of the cluster is shown, "" if it answered.
	Cluster      string   `json:"clusterError,omitempty"`
	Transactions []txnRow `json:"transactions"`
}

// txnRow is one transaction, as the directory, the cluster or both know it.
type txnRow struct {
	ID         string            `json:"id"`
	Producer   string            `json:"producer"`
	Sink       string            `json:"sink"`
	Writer     int               `json:"writer"`
	Checkpoint checkpoint.ID     `json:"checkpoint"` // 0: no checkpoint covers it
	State      string            `json:"state"`      // of the directory, see stateOf
	Cluster    string            `json:"cluster"`    // the cluster's word
	Rows       int64             `json:"rows"`       // −1: not known
	Partitions []string          `json:"partitions"`
	Started    time.Time         `json:"started"`
	AgeMillis  int64             `json:"ageMillis"`
	LeftMillis *int64            `json:"timeoutLeftMillis,omitempty"` // of those that are not settled
	Holds      []connectors.Hold `json:"holds,omitempty"`
	Detail     string            `json:"detail,omitempty"`
}

// States of what only the cluster knows.
const (
	stateOpen = "open"      // a running job writes in it
	stateLeft = "left open" // its process is gone; the next start aborts it
	stateIdle = "idle"      // an id on which nothing is open
)

// known is a transaction of the directory with what its sink says of it; nil:
// nobody can read it.
type known struct {
	session.Transaction
	words *connectors.Transaction
}

// ofSink is what the cluster says of one sink.
type ofSink struct {
	uid  string
	list []connectors.ClusterTransaction
}

func (a *app) listTransactions(ctx context.Context, dir string, f *txnFlags) error {
	list, sinks, running, err := readTransactions(dir)
	if err != nil {
		return err
	}
	s, err := newSettlers(sinks, f)
	if err != nil {
		return err
	}
	v := txnView{Job: filepath.Base(dir), Running: running}
	cluster, err := askClusters(ctx, s)
	if err != nil {
		v.Cluster = err.Error()
	}
	v.Transactions = rowsOf(describeAll(list, s), cluster, running, f.all, time.Now())
	if err := s.close(); err != nil {
		return err
	}
	if f.json {
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	a.printTransactions(v)
	return nil
}

// readTransactions asks the running job, or reads its directory.
func readTransactions(dir string) (list []session.Transaction, sinks []session.Sink, running bool, err error) {
	reply, err := session.Ask(dir, session.Request{Command: "transactions"})
	if err == nil {
		return reply.Transactions, reply.Sinks, true, nil
	}
	if !errors.Is(err, session.ErrNotRunning) {
		return nil, nil, false, err
	}
	err = inspect(dir, func(s *checkpoint.KVStore) (err error) {
		if list, err = session.Transactions(s); err == nil {
			sinks, err = session.Sinks(s, s.Job())
		}
		return err
	})
	return list, sinks, false, err
}

func describeAll(list []session.Transaction, s *settlers) []known {
	all := make([]known, len(list))
	for i, t := range list {
		all[i].Transaction = t
		if o, err := s.of(t.UID); err == nil {
			if w, err := o.Describe(t.Committable()); err == nil {
				all[i].words = &w
			}
		}
	}
	return all
}

// clusterTime bounds how long a list waits for clusters.
const clusterTime = 15 * time.Second

// askClusters asks for each sink; the first error is returned beside what
// others said.
func askClusters(ctx context.Context, s *settlers) ([]ofSink, error) {
	ctx, cancel := context.WithTimeout(ctx, clusterTime)
	defer cancel()
	var all []ofSink
	var first error
	for uid := range s.sinks {
		var list []connectors.ClusterTransaction
		o, err := s.of(uid)
		if err == nil {
			list, err = o.Cluster(ctx)
		}
		var lacking *connectors.UnsupportedError
		if err != nil && first == nil && !errors.As(err, &lacking) {
			first = err
		}
		all = append(all, ofSink{uid, list})
	}
	return all, first
}

// rowsOf puts together what both know: the directory's first, by checkpoint,
// then what only the cluster knows, by id. A cluster's entry is about a
// transaction of the directory if id, producer id and epoch are the same.
func rowsOf(dir []known, cluster []ofSink, running, all bool, now time.Time) []txnRow {
	rows := []txnRow{}
	type key struct{ uid, id, producer string }
	found := map[key]*connectors.ClusterTransaction{}
	for _, s := range cluster {
		for i, c := range s.list {
			found[key{s.uid, c.ID, c.Producer}] = &s.list[i]
		}
	}
	for _, k := range dir {
		r := rowOf(k)
		at := key{k.UID, r.ID, r.Producer}
		r.complete(found[at], timeoutOf(k), k.Pending(), now)
		if k.Pending() || found[at] != nil && !found[at].Open { // else a new one has the same producer
			delete(found, at)
		}
		rows = append(rows, r)
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].Checkpoint < rows[j].Checkpoint })
	var others []txnRow
	for at, c := range found {
		if c.Open || all {
			r := txnRow{ID: c.ID, Producer: c.Producer, Sink: at.uid, Rows: -1, State: stateOf(c.Open, running), Started: c.Started, Partitions: c.Partitions}
			r.complete(c, 0, c.Open, now)
			others = append(others, r)
		}
	}
	sort.Slice(others, func(i, j int) bool { return others[i].ID < others[j].ID })
	return append(rows, others...)
}

func stateOf(open, running bool) string {
	switch {
	case !open:
		return stateIdle
	case running:
		return stateOpen
	}
	return stateLeft
}

func rowOf(k known) txnRow {
	r := txnRow{Sink: k.UID, Writer: k.Index, Checkpoint: k.Checkpoint, State: k.State, Detail: k.Detail, Rows: -1, Started: k.Time, Partitions: []string{}}
	if w := k.words; w != nil {
		r.ID, r.Producer, r.Rows, r.Started, r.Partitions = w.ID, w.Producer, w.Rows, w.Started, w.Partitions
	}
	return r
}

func timeoutOf(k known) time.Duration {
	if k.words == nil {
		return 0
	}
	return k.words.Timeout
}

// complete adds what the cluster says, and the times.
func (r *txnRow) complete(c *connectors.ClusterTransaction, timeout time.Duration, unsettled bool, now time.Time) {
	if c != nil {
		r.Cluster, r.Holds = c.State, c.Holds
		if c.Timeout > 0 {
			timeout = c.Timeout
		}
	}
	if !r.Started.IsZero() {
		r.AgeMillis = now.Sub(r.Started).Milliseconds()
	}
	if unsettled && timeout > 0 && !r.Started.IsZero() {
		left := r.Started.Add(timeout).Sub(now).Milliseconds()
		r.LeftMillis = &left
	}
}

func (a *app) printTransactions(v txnView) {
	t := a.table("transactional.id", "producer", "checkpoint", "state", "cluster", "rows", "partitions", "age", "time-out left", "holds back", "detail")
	for _, r := range v.Transactions {
		t.AppendRow(table.Row{
			dash(r.ID), dash(r.Producer), orDash(r.Checkpoint > 0, r.Checkpoint), r.State, dash(r.Cluster), orDash(r.Rows >= 0, r.Rows),
			dash(strings.Join(r.Partitions, " ")), orDash(!r.Started.IsZero(), seconds(r.AgeMillis)), left(r.LeftMillis), holdsText(r.Holds), r.Detail,
		})
	}
	t.Render()
	if v.Cluster != "" {
		fmt.Fprintf(a.err, "the cluster's view is missing: %s\n", v.Cluster)
	}
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func orDash(ok bool, v any) any {
	if ok {
		return v
	}
	return "-"
}

func seconds(millis int64) time.Duration {
	return (time.Duration(millis) * time.Millisecond).Round(time.Second)
}

func left(millis *int64) string {
	switch {
	case millis == nil:
		return "-"
	case *millis <= 0:
		return "passed"
	}
	return seconds(*millis).String()
}

// holdsText says which readers of committed data wait, and for how much.
func holdsText(list []connectors.Hold) string {
	var parts []string
	for _, h := range list {
		switch {
		case h.From == h.LastStable:
			parts = append(parts, fmt.Sprintf("%s from %d (%d records)", h.Partition, h.From, h.End-h.From))
		default:
			parts = append(parts, fmt.Sprintf("%s from %d, after another from %d", h.Partition, h.From, h.LastStable))
		}
	}
	return dash(strings.Join(parts, ", "))
}

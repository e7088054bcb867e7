// Package conntest is the suite that every connector passes: what the
// contracts of exec.Source and exec.Sink promise, as tests. A connector's own
// test opens its table and lists the suite; what is special to it stands
// beside.
package conntest

import (
	"log/slog"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Table makes a connector's table from a column list and options ("id INT,
// name STRING"; see exectest.Columns), checked as the planner does.
func Table(t testing.TB, c *connectors.Connector, known []connectors.Option, columns string, options map[string]string) *connectors.Table {
	t.Helper()
	o, err := connectors.NewOptions(options, append(append([]connectors.Option(nil), c.Options...), known...))
	if err != nil {
		t.Fatal(err)
	}
	table := &connectors.Table{Name: "t", Options: o, Env: connectors.Env{JobName: "job", Zone: time.UTC}}
	for _, f := range exectest.Columns(columns) {
		table.Columns = append(table.Columns, connectors.Column{Name: f.Name, Type: f.Type})
	}
	return table
}

// AllColumns is a scan of all columns without push-downs.
func AllColumns(t *connectors.Table) connectors.Scan {
	s := connectors.Scan{Parallelism: 1}
	for i, c := range t.Columns {
		s.Columns = append(s.Columns, connectors.Path{i})
		s.Output = append(s.Output, types.Field{Name: c.Name, Type: c.Type})
	}
	return s
}

// Journal is an exec.Journal in memory, for one operator.
type Journal struct {
	mu   sync.Mutex
	data map[string][]byte
}

// NewJournal returns an empty journal.
func NewJournal() *Journal { return &Journal{data: map[string][]byte{}} }

func (j *Journal) Put(key string, value []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.data[key] = append([]byte{}, value...)
	return nil
}

func (j *Journal) Get(key string) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.data[key], nil
}

func (j *Journal) Scan(prefix string, f func(string, []byte) error) error {
	j.mu.Lock()
	var keys []string
	for k := range j.data {
		if strings.HasPrefix(k, prefix) {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	values := make([][]byte, len(keys))
	for i, k := range keys {
		values[i] = j.data[k]
	}
	j.mu.Unlock()
	for i, k := range keys {
		if err := f(k, values[i]); err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) Delete(key string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.data, key)
	return nil
}

// Store takes the journal entries of outcomes, as the checkpoint store does.
func (j *Journal) Store(outcomes []exec.Outcome) error {
	for _, o := range outcomes {
		for _, e := range o.Journal {
			if e.Value == nil {
				if err := j.Delete(e.Key); err != nil {
					return err
				}
				continue
			}
			if err := j.Put(e.Key, e.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

var quiet = slog.New(slog.DiscardHandler)

const uid = "00c0ffee"

func sourceContext() exec.SourceContext {
	return exec.SourceContext{
		Subtask: checkpoint.Subtask{UID: uid}, Parallelism: 1, UID: uid, JobName: "job", Clock: exec.SystemClock{},
		Metrics: &exec.Metrics{}, Log: quiet, Journal: NewJournal(), Wake: make(chan struct{}),
	}
}

func sinkContext(j *Journal) exec.SinkContext {
	return exec.SinkContext{
		Subtask: checkpoint.Subtask{UID: uid}, Parallelism: 1, UID: uid, JobName: "job", RunID: "run-1", Clock: exec.SystemClock{},
		Metrics: &exec.Metrics{}, Log: quiet, Journal: j, Interval: time.Second, MaxConcurrent: 1,
	}
}

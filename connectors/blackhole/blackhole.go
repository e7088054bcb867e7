// Package blackhole is the sink that swallows all rows, for benchmarks and
// for trying queries out.
package blackhole

import (
	"context"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() { connectors.Register(Connector) }

// Connector is the descriptor of 'connector' = 'blackhole'.
var Connector = &connectors.Connector{
	Name: "blackhole",
	Doc:  "swallows all rows",
	Options: []connectors.Option{
		{Key: "sink.parallelism", Kind: connectors.Integer, Doc: "number of writers; the query's parallelism by default"},
	},
	Sink: func(t *connectors.Table) (connectors.SinkTable, error) {
		return sinkTable{int(t.Options.Int("sink.parallelism"))}, nil
	},
}

type sinkTable struct{ parallelism int }

func (sinkTable) Accepts() connectors.Changelog { return connectors.Retract }
func (sinkTable) Guarantee() exec.Guarantee     { return exec.None }
func (sinkTable) Promise() string               { return "swallows all rows" }
func (sinkTable) Sink() (exec.Sink, error)      { return sink{}, nil }
func (s sinkTable) Parallelism() int            { return s.parallelism }

type sink struct{}

func (sink) Writer(context.Context, exec.SinkContext) (exec.Writer, error) { return writer{}, nil }

type writer struct{}

func (writer) Write(context.Context, *vec.Batch) error { return nil }
func (writer) Flush(context.Context) error             { return nil }
func (writer) Close() error                            { return nil }

// Package print is the sink that writes rows to the terminal, as Flink's
// does: +I[1, abc].
package print

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() { connectors.Register(Connector) }

// Connector is the descriptor of 'connector' = 'print'.
var Connector = &connectors.Connector{
	Name: "print",
	Doc:  "writes rows to standard output, such as +I[1, abc]",
	Options: []connectors.Option{
		{Key: "print-identifier", Kind: connectors.Text, Doc: "text before each row: identifier> +I[1, abc]"},
		{Key: "standard-error", Kind: connectors.Boolean, Default: "false", Doc: "write to standard error instead"},
		{Key: "sink.parallelism", Kind: connectors.Integer, Doc: "number of writers; the query's parallelism by default"},
	},
	Sink: newTable,
}

// Stdout and Stderr are where rows go; tests and the shell replace them
// before a job starts.
var (
	Stdout io.Writer = os.Stdout
	Stderr io.Writer = os.Stderr
)

type sinkTable struct {
	identifier  string
	stderr      bool
	parallelism int
	types       []types.Type
}

func newTable(t *connectors.Table) (connectors.SinkTable, error) {
	s := &sinkTable{
		identifier: t.Options.Text("print-identifier"), stderr: t.Options.Bool("standard-error"),
		parallelism: int(t.Options.Int("sink.parallelism")),
	}
	for _, c := range t.Columns {
		if !c.Virtual {
			s.types = append(s.types, c.Type)
		}
	}
	return s, nil
}

func (*sinkTable) Accepts() connectors.Changelog { return connectors.Retract }
func (*sinkTable) Guarantee() exec.Guarantee     { return exec.None }
func (s *sinkTable) Parallelism() int            { return s.parallelism }
func (s *sinkTable) Sink() (exec.Sink, error)    { return s, nil }

func (s *sinkTable) Promise() string {
	return "prints rows at once; after a restart those since the last checkpoint come again"
}

// Writer makes a writer; its prefix is Flink's: identifier, subtask number
// (from 1, if there are several), or both with a colon.
func (s *sinkTable) Writer(_ context.Context, ctx exec.SinkContext) (exec.Writer, error) {
	w := &writer{out: Stdout, types: s.types}
	if s.stderr {
		w.out = Stderr
	}
	var parts []string
	if s.identifier != "" {
		parts = append(parts, s.identifier)
	}
	if ctx.Parallelism > 1 {
		parts = append(parts, strconv.Itoa(ctx.Subtask.Index+1))
	}
	if len(parts) > 0 {
		w.prefix = strings.Join(parts, ":") + "> "
	}
	return w, nil
}

type writer struct {
	out    io.Writer
	types  []types.Type
	prefix string
	buf    []byte
}

// Write prints a batch in one call, so that the lines of several writers do
// not mix.
func (w *writer) Write(_ context.Context, b *vec.Batch) error {
	w.buf = w.buf[:0]
	for _, r := range b.Rows() {
		w.buf = append(w.buf, w.prefix...)
		w.buf = AppendRow(w.buf, b, int(r), w.types)
		w.buf = append(w.buf, '\n')
	}
	_, err := w.out.Write(w.buf)
	return err
}

// AppendRow appends +I[1, abc].
func AppendRow(dst []byte, b *vec.Batch, r int, ts []types.Type) []byte {
	dst = append(dst, b.Op(r).String()...)
	dst = append(dst, '[')
	for c, t := range ts {
		if c > 0 {
			dst = append(dst, ", "...)
		}
		dst = vec.Text{Java: true}.Append(dst, b.Cols[c], r, t)
	}
	return append(dst, ']')
}

func (w *writer) Flush(context.Context) error { return nil }
func (w *writer) Close() error                { return nil }

package print

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/conntest"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
)

func TestPrint(t *testing.T) {
	columns := "id INT, name STRING, at TIMESTAMP(3), tags ARRAY<STRING>, ok BOOLEAN"
	rows := exectest.MustRows(exectest.Columns(columns), `
		+I 1, x, 2024-02-29 10:11:00, [a, NULL], true
		-U NULL, y, 2024-02-29 10:11:12.5, NULL, NULL
	`)
	const lines = "+I[1, x, 2024-02-29T10:11, [a, null], true]\n"
	for _, c := range []struct {
		options     map[string]string
		parallelism int
		prefix      string
	}{
		{nil, 1, ""},
		{map[string]string{"print-identifier": "out"}, 1, "out> "},
		{map[string]string{"print-identifier": "out"}, 2, "out:2> "},
		{map[string]string{"standard-error": "true"}, 2, "2> "},
	} {
		var stdout, stderr bytes.Buffer
		Stdout, Stderr = &stdout, &stderr
		s, err := Connector.Sink(conntest.Table(t, Connector, nil, columns, c.options))
		if err != nil {
			t.Fatal(err)
		}
		sink, err := s.Sink()
		if err != nil {
			t.Fatal(err)
		}
		w, err := sink.Writer(context.Background(), exec.SinkContext{Subtask: checkpoint.Subtask{Index: c.parallelism - 1}, Parallelism: c.parallelism})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(context.Background(), rows); err != nil {
			t.Fatal(err)
		}
		got := &stdout
		if c.options["standard-error"] != "" {
			got = &stderr
		}
		want := c.prefix + lines + c.prefix + "-U[null, y, 2024-02-29T10:11:12.500, null, null]\n"
		if got.String() != want {
			t.Errorf("%v at parallelism %d:\n%swant\n%s", c.options, c.parallelism, got, want)
		}
	}
}

func TestSinkSuite(t *testing.T) {
	conntest.RunSink(t, func(t *testing.T) conntest.Sink {
		var stdout bytes.Buffer
		Stdout = &stdout
		table := conntest.Table(t, Connector, nil, conntest.Columns, nil)
		return conntest.Sink{
			New: func(t testing.TB) connectors.SinkTable {
				s, err := Connector.Sink(table)
				if err != nil {
					t.Fatal(err)
				}
				return s
			},
			Visible: func(testing.TB) []string { return strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n") },
			Line:    func(id int, name string) string { return fmt.Sprintf("+I[%d, %s]", id, name) },
		}
	})
}

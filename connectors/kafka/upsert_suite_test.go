package kafka

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/conntest"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec/exectest"
)

// upsertTable is the suite's table with a key.
func upsertTable(t testing.TB, addr, topic string, more ...string) *connectors.Table {
	c, _ := connectors.Lookup("upsert-kafka")
	f, _ := format.Lookup("json")
	var known []connectors.Option
	for _, prefix := range []string{"key.", "value."} {
		for _, o := range f.Options {
			o.Key = prefix + o.Key
			known = append(known, o)
		}
	}
	table := conntest.Table(t, c, known, conntest.Columns, upsertJSON(addr, append([]string{"topic", topic, "sink.transactional-id-prefix", topic}, more...)...))
	table.PrimaryKey = []int{0}
	table.Env.CheckpointInterval, table.Env.MaxConcurrent = time.Second, 1
	return table
}

// An upsert table passes the same suite: its rows have keys of their own.
func TestUpsertSinkSuite(t *testing.T) {
	for _, semantic := range guarantees {
		t.Run(semantic, func(t *testing.T) {
			c := testCases(t)
			conntest.RunSink(t, func(t *testing.T) conntest.Sink {
				topic := c.topic(t)
				table := upsertTable(t, c.addr, topic, "sink.semantic", semantic)
				reader := suiteTable(t, c.addr, topic)
				return conntest.Sink{
					New: func(t testing.TB) connectors.SinkTable {
						s, err := openSink(table, true)
						if err != nil {
							t.Fatal(err)
						}
						return s
					},
					Visible: func(t testing.TB) []string { return c.settled(t, reader) },
					Line:    func(id int, name string) string { return fmt.Sprintf("+I|%d|%s", id, name) },
				}
			})
		})
	}
}

func TestUpsertSourceSuite(t *testing.T) {
	c := testCases(t)
	table := upsertTable(t, c.addr, c.topic(t), "properties.batch.size", "20000")
	var text strings.Builder
	var want []string
	for i := range 6000 {
		fmt.Fprintf(&text, "%d, row-%d\n", i, i)
		want = append(want, fmt.Sprintf("+U %d, row-%d", i, i))
	}
	b, err := exectest.Rows(exectest.Columns(conntest.Columns), text.String())
	if err != nil {
		t.Fatal(err)
	}
	writeAll(t, openWriterOf(t, "upsert-kafka", table), b)
	conntest.RunSource(t, conntest.Source{
		Open: func(t testing.TB) connectors.SourceTable {
			s, err := openSource(table, true)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Table: table, Rows: want,
	})
}

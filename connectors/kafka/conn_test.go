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
	"github.com/sqlstream/sqlstream/exec/expr"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
)

// suiteTable is a table with conntest's columns on a topic.
func suiteTable(t testing.TB, addr, topic string, more ...string) *connectors.Table {
	c, _ := connectors.Lookup("kafka")
	f, _ := format.Lookup("json")
	table := conntest.Table(t, c, f.Options, conntest.Columns, jsonOptions(addr, append([]string{"topic", topic, "sink.transactional-id-prefix", topic}, more...)...))
	table.Env.CheckpointInterval, table.Env.MaxConcurrent = time.Second, 1
	return table
}

func TestSinkSuite(t *testing.T) {
	for _, semantic := range guarantees {
		t.Run(semantic, func(t *testing.T) {
			c := testCases(t)
			conntest.RunSink(t, func(t *testing.T) conntest.Sink {
				table := suiteTable(t, c.addr, c.topic(t), "sink.semantic", semantic)
				return conntest.Sink{
					New: func(t testing.TB) connectors.SinkTable {
						s, err := openSink(table, false)
						if err != nil {
							t.Fatal(err)
						}
						return s
					},
					Visible: func(t testing.TB) []string {
						return c.settled(t, table)
					},
					Line: func(id int, name string) string { return fmt.Sprintf("+I|%d|%s", id, name) },
				}
			})
		})
	}
}

func TestSourceSuite(t *testing.T) {
	for name, more := range map[string][]string{
		"plain":         nil,
		"with metadata": {"properties.compression.type", "lz4"},
	} {
		t.Run(name, func(t *testing.T) {
			c := testCases(t)
			table := suiteTable(t, c.addr, c.topic(t), append([]string{"properties.batch.size", "20000", "sink.partitioner", "round-robin"}, more...)...)
			var text strings.Builder
			var want []string
			for i := range 6000 {
				fmt.Fprintf(&text, "%d, row-%d\n", i, i)
				want = append(want, fmt.Sprintf("+I %d, row-%d", i, i))
			}
			b, err := exectest.Rows(exectest.Columns(conntest.Columns), text.String())
			if err != nil {
				t.Fatal(err)
			}
			writeAll(t, openWriterOf(t, "kafka", table), b)
			if more != nil {
				table.Columns = append(table.Columns, column("p", types.Of(types.Int), metaPartition))
				want = withPartitions(want)
			}
			small, err := expr.NewCall("<", []expr.Expr{&expr.Column{Index: 0, Name: "id", T: types.Of(types.Int)}, expr.Int(100)})
			if err != nil {
				t.Fatal(err)
			}
			conntest.RunSource(t, conntest.Source{
				Open: func(t testing.TB) connectors.SourceTable {
					s, err := openSource(table, false)
					if err != nil {
						t.Fatal(err)
					}
					return s
				},
				Table: table, Rows: want, Filter: small, Passes: 100,
			})
		})
	}
}

// withPartitions adds the partition that the round-robin partitioner chose.
func withPartitions(rows []string) []string {
	for i := range rows {
		rows[i] += fmt.Sprintf(", %d", i%2)
	}
	return rows
}

// settled reads what is visible once nothing changes any more: on a real
// broker a commit becomes visible some ms after it was answered.
func (c *cases) settled(t testing.TB, table *connectors.Table) []string {
	rows := readAll(t, "kafka", table)
	for quiet := 0; c.late && quiet < 10; quiet++ {
		time.Sleep(10 * time.Millisecond)
		again := readAll(t, "kafka", table)
		if len(again) != len(rows) {
			rows, quiet = again, 0
		}
	}
	return rows
}

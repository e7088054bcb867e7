package examples

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/broker"
	_ "github.com/sqlstream/sqlstream/connectors/files"
	_ "github.com/sqlstream/sqlstream/connectors/kafka"
	"github.com/sqlstream/sqlstream/session"
	"github.com/sqlstream/sqlstream/session/render"
)

// example is a job file and what its output topic must hold.
type example struct {
	file   string
	topics []string
	// check is a query over the table that declare declares, and the changes
	// it must give.
	declare, check string
	want           []string
}

const (
	flights   = 27_004
	cancelled = 521
)

var all = []example{
	{file: "passthrough", topics: []string{"copy-none", "copy-at-least-once", "copy-exactly-once"},
		declare: source("copy-exactly-once", "carrier STRING"), check: "SELECT COUNT(*) FROM t", want: []string{fmt.Sprintf("[%d]", flights)}},
	{file: "delays", topics: []string{"delays"},
		declare: source("delays", "flights BIGINT, cancelled BIGINT"), check: "SELECT COUNT(*), SUM(flights), SUM(cancelled) FROM t", want: []string{fmt.Sprintf("[1642,%d,%d]", flights, cancelled)}},
	{file: "top_routes", topics: []string{"top-routes"},
		declare: source("top-routes", "place BIGINT"), check: "SELECT COUNT(*) FROM t WHERE place > 3", want: nil},
	{file: "last_delay", topics: []string{"last-delay"},
		declare: upsert("last-delay", "tailnum STRING, flight INT, dep_delay INT, PRIMARY KEY (tailnum) NOT ENFORCED", "raw"), check: "SELECT flight, dep_delay FROM t WHERE tailnum = 'N14228'", want: []string{"[1593,9]"}},
	{file: "airline_names", topics: []string{"per-airline"},
		declare: upsert("per-airline", "name STRING, flights BIGINT, cancelled BIGINT, PRIMARY KEY (name) NOT ENFORCED", "json"), check: "SELECT SUM(flights), SUM(cancelled) FROM t", want: []string{fmt.Sprintf("[%d,%d]", flights, cancelled)}},
	{file: "weather", topics: []string{"daily-weather"},
		declare: source("daily-weather", "origin STRING, observations BIGINT"), check: "SELECT SUM(observations) FROM t", want: []string{"[2226]"}},
	{file: "two_sinks", topics: []string{"cancelled", "long-delays"},
		declare: source("cancelled", "carrier STRING"), check: "SELECT COUNT(*) FROM t", want: []string{fmt.Sprintf("[%d]", cancelled)}},
}

func source(topic, columns string) string {
	return fmt.Sprintf(`CREATE TABLE t (%s) WITH ('connector' = 'kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '${bootstrap}',
 'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset');`, columns, topic)
}

func upsert(topic, columns, key string) string {
	return fmt.Sprintf(`CREATE TABLE t (%s) WITH ('connector' = 'upsert-kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '${bootstrap}',
 'key.format' = '%s', 'value.format' = 'json', 'scan.bounded.mode' = 'latest-offset');`, columns, topic, key)
}

// Every job file of sql/ runs, and gives what the flights say.
func TestExamples(t *testing.T) {
	b, err := broker.Start(broker.Options{Topics: []broker.Topic{{Name: "flights", Partitions: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	data, err := filepath.Abs("data")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"bootstrap": b.Addr(), "data": data, "rate": "0"}
	execute(t, "sql/load_flights.sql", values)
	for _, e := range all {
		t.Run(e.file, func(t *testing.T) {
			for _, topic := range e.topics {
				if err := b.CreateTopic(topic, 2); err != nil {
					t.Fatal(err)
				}
			}
			execute(t, "sql/"+e.file+".sql", values)
			got := query(t, e.declare+e.check, values)
			if strings.Join(got, "|") != strings.Join(e.want, "|") {
				t.Errorf("got %v, expected %v", got, e.want)
			}
		})
	}
}

func TestWeekly(t *testing.T) {
	text, err := os.ReadFile("sql/weekly.sql")
	if err != nil {
		t.Fatal(err)
	}
	if got := query(t, strings.ReplaceAll(string(text), "examples/data", "data"), nil); len(got) != 18 {
		t.Errorf("%d rows, expected 18: %v", len(got), got)
	}
}

// TestAllExamplesAreTested fails for a job file that no test runs.
func TestAllExamplesAreTested(t *testing.T) {
	tested := map[string]bool{"load_flights": true, "weekly": true, "compare": true} // compare: cmd/sqlstream
	for _, e := range all {
		tested[e.file] = true
	}
	files, err := filepath.Glob("sql/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".sql"); !tested[name] {
			t.Errorf("%s is not run by any test", f)
		}
	}
}

func execute(t *testing.T, path string, values map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	query(t, string(text), values)
}

// query runs statements and returns the final rows of the last result.
func query(t *testing.T, text string, values map[string]string) []string {
	t.Helper()
	sql, err := session.Substitute(text, values)
	if err != nil {
		t.Fatal(err)
	}
	rec := &render.Recording{}
	s, err := session.New(session.Options{Output: rec, Quiet: true, Wait: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Execute(ctx, sql); err != nil {
		t.Fatal(session.Render(err))
	}
	return final(rec.Changes())
}

// final applies a changelog.
func final(changes []string) []string {
	var rows []string
	for _, c := range changes {
		op, row, _ := strings.Cut(c, "\t")
		if op == "+I" || op == "+U" {
			rows = append(rows, row)
			continue
		}
		for i, r := range rows {
			if r == row {
				rows = append(rows[:i], rows[i+1:]...)
				break
			}
		}
	}
	return rows
}

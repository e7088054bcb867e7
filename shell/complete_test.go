package shell

import (
	"context"
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	f := newFixture(t)
	ddl := "CREATE TABLE flights (carrier STRING, dep_delay INT, id INT) WITH ('connector' = 'datagen');" +
		"CREATE TABLE fleet (tail STRING) WITH ('connector' = 'datagen');CREATE VIEW late AS SELECT carrier AS who FROM flights;"
	if err := f.session.Execute(context.Background(), ddl); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ buffer, line, want string }{
		{"", "SEL", "SELECT"},
		{"", "sel", "select"},
		{"", "SELECT car", "carrier cardinality("},
		{"", "SELECT * FROM fl", "fleet flights"},
		{"SELECT carrier\n", "FROM l", "late"},
		{"", "SELECT x.c FROM flights AS x WHERE x.d", "dep_delay"},
		{"", "SELECT late.", "who"},
		{"", "SELECT UPP", "UPPER("},
		{"", "SELECT 'it''s UPP", ""},
		{"CREATE TABLE k (a INT) WITH (\n", "  'connector' = 'kaf", "kafka"},
		{"CREATE TABLE k (a INT) WITH ('connector' = 'kafka',\n", "  'sink.deliv", "sink.delivery-guarantee"},
		{"CREATE TABLE k (a INT) WITH ('connector' = 'kafka',\n", "  'sink.delivery-guarantee' = 'e", "exactly-once"},
		{"CREATE TABLE k (a INT) WITH ('connector' = 'kafka',\n", "  'format' = 'js", "json"},
		{"CREATE TABLE k (a INT) WITH ('connector' = 'datagen',\n", "  'sink.deliv", ""},
		{"", "SET 'sql-client.execution.res", "sql-client.execution.result-mode"},
		{"", "SET 'sql-client.execution.result-mode' = 'v", "vertical"},
		{"", "SELECT 1; SET 'table.dml-s", "table.dml-sync"},
		{"", `\ti`, `\timing`},
		{"", `\d fl`, "fleet flights"},
	} {
		f.buffer = c.buffer
		_, got := f.candidates(c.line, c.line)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q %q: offers %q, want %q", c.buffer, c.line, got, c.want)
		}
	}
}

func TestCompleterOffersWhatIsMissing(t *testing.T) {
	f := newFixture(t)
	more, _ := (&completer{f.Shell}).Do([]rune("SELECT 1 ünio"), 13)
	if len(more) != 0 {
		t.Errorf("offers %q", more)
	}
	more, length := (&completer{f.Shell}).Do([]rune("SELECT 1 UNIO FROM t"), 13)
	if len(more) != 1 || string(more[0]) != "N" || length != 4 {
		t.Errorf("offers %q, %d", string(more[0]), length)
	}
	if more, _ = (&completer{f.Shell}).Do([]rune("  "), 2); len(more) != 1 || string(more[0]) != "  " {
		t.Errorf("a TAB at the start of a line gives %q", more)
	}
}

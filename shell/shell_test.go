package shell

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/session"

	_ "github.com/sqlstream/sqlstream/connectors/blackhole"
	_ "github.com/sqlstream/sqlstream/connectors/datagen"
	_ "github.com/sqlstream/sqlstream/connectors/kafka"
)

// typed gives lines as a person who types them; "^C" is an interrupt. At the
// end it is Ctrl-D.
type typed struct {
	lines   []string
	prompts []string
	before  func(line string)
}

func (t *typed) Line(prompt string) (string, error) {
	t.prompts = append(t.prompts, prompt)
	if len(t.lines) == 0 {
		return "", io.EOF
	}
	line := t.lines[0]
	t.lines = t.lines[1:]
	if t.before != nil {
		t.before(line)
	}
	if line == "^C" {
		return "", errInterrupted
	}
	return line, nil
}

func (t *typed) Close() error { return nil }

// fixture is a shell that writes to files.
type fixture struct {
	*Shell
	in       *typed
	out, err *os.File
	home     string
}

func newFixture(t *testing.T, lines ...string) *fixture {
	t.Helper()
	f := &fixture{home: t.TempDir(), in: &typed{lines: lines}}
	for name, file := range map[string]**os.File{"out": &f.out, "err": &f.err} {
		var err error
		if *file, err = os.Create(filepath.Join(t.TempDir(), name)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { (*file).Close() })
	}
	var err error
	f.Shell, err = New(Options{Out: f.out, Err: f.err, Home: f.home, Session: func(out session.Output, started func(*session.Query)) (*session.Session, error) {
		return session.New(session.Options{Output: out, OnQuery: started})
	}})
	if err != nil {
		t.Fatal(err)
	}
	f.input = f.in
	return f
}

// run returns what was written to standard output and standard error.
func (f *fixture) run(t *testing.T) (out, err string) {
	t.Helper()
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return read(t, f.out.Name()), read(t, f.err.Name())
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s does not contain %q:\n%s", what, p, text)
		}
	}
}

func TestStatementOfSeveralLines(t *testing.T) {
	f := newFixture(t, "SELECT 1 AS a,", "  'x; -- y' AS b -- not the end;", ";", "QUIT")
	out, _ := f.run(t)
	contains(t, "output", out, "| a | b       |", "| 1 | x; -- y |", "Received a total of 1 row")
	want := []string{"sqlstream> ", "      -> ", "      -> ", "sqlstream> "}
	if strings.Join(f.in.prompts, "|") != strings.Join(want, "|") {
		t.Errorf("prompts %q, want %q", f.in.prompts, want)
	}
	history := read(t, filepath.Join(f.home, ".sqlstream_history"))
	contains(t, "history", history, "SELECT 1 AS a,⏎  'x; -- y' AS b -- not the end;⏎;\n")
	info, err := os.Stat(filepath.Join(f.home, ".sqlstream_history"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("history file: %v, %v", info.Mode(), err)
	}
	again := openHistory(f.home)
	if len(again.entries) != 2 || !strings.Contains(unfold(again.entries[0]), "b -- not the end;\n;") {
		t.Errorf("history is read as %q", again.entries)
	}
}

func TestInterruptClearsTheStatement(t *testing.T) {
	f := newFixture(t, "SELECT nonsense", "^C", "SELECT 7 AS n;")
	out, err := f.run(t)
	contains(t, "output", out, "| 7 |")
	if err != "" {
		t.Errorf("unexpected: %s", err)
	}
}

func TestErrorsShowTheirPlaceAndTheShellGoesOn(t *testing.T) {
	f := newFixture(t, "CREATE TABLE g (price DOUBLE) WITH ('connector' = 'datagen');", "SELECT", "  prce FROM g;", "SELECT 8 AS n;")
	out, err := f.run(t)
	contains(t, "errors", err, "line 2:3: column \"prce\" not found; did you mean \"price\"?", "\n      prce FROM g;\n      ^")
	contains(t, "output", out, "| 8 |")
}

// A SELECT without end is stopped by Ctrl-C; its rows stay and the shell
// goes on.
func TestInterruptStopsTheQuery(t *testing.T) {
	f := newFixture(t, "CREATE TABLE g (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000');", "SELECT n FROM g;", "SELECT 9 AS n;")
	started := f.results.Opt.Out
	f.results.Opt.Out = interrupting{started, f.interrupt}
	f.in.before = func(line string) {
		if line == "SELECT 9 AS n;" {
			f.results.Opt.Out = started
		}
	}
	out, _ := f.run(t)
	contains(t, "output", out, "Query cancelled after ", "| 9 |")
}

// interrupting is a person who presses Ctrl-C whenever something is shown.
type interrupting struct {
	io.Writer
	interrupt chan os.Signal
}

func (w interrupting) Write(p []byte) (int, error) {
	select {
	case w.interrupt <- os.Interrupt:
	default: // one waits already
	}
	return w.Writer.Write(p)
}

func TestVerticalOnceAndForGood(t *testing.T) {
	f := newFixture(t, `SELECT 1 AS a\G`, "SELECT 2 AS a;", `\x`, "SELECT 3 AS a;", `\x off`, "SET 'sql-client.execution.result-mode' = 'csv';", "SELECT 4 AS a, 5 AS b;")
	out, _ := f.run(t)
	contains(t, "output", out, "a | 1\n", "| 2 |", "a | 3\n", "a,b\n4,5\n")
}

func TestVariables(t *testing.T) {
	f := newFixture(t, `\set n 41`, "SELECT ${n} + 1 AS x;", `\set`, `\unset n`, "SELECT ${n};")
	out, err := f.run(t)
	contains(t, "output", out, "| 42 |")
	contains(t, "errors", err, "n = 41\n", "line 1:8: variable ${n} is not defined")
}

func TestBackslashCommands(t *testing.T) {
	dir := t.TempDir()
	file, results := filepath.Join(dir, "f.sql"), filepath.Join(dir, "r")
	if err := os.WriteFile(file, []byte("CREATE TABLE gen (n INT, s STRING)\nWITH ('connector' = 'datagen');"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, `\i `+file, `\dt`, `\d gen`, `\df upp`, `\l`, `\o `+results, "SELECT 'kept' AS a;", `\o`, `\timing on`, "SELECT 1 AS a;", `\nosuch`, `\i nosuch.sql`, `\?`, `\q`, "SELECT 'never' AS a;")
	out, err := f.run(t)
	contains(t, "output", out, "| gen ", "| s    | STRING |", "| upper ", "| default_database |")
	contains(t, "errors", err, "timing is on", "Time: ", `unknown command \nosuch; \? lists them`, "nosuch.sql", `\watch [SECONDS]`)
	contains(t, "file", read(t, results), "| kept |")
	if strings.Contains(out, "kept") || strings.Contains(out, "never") {
		t.Errorf("output: %s", out)
	}
}

// A background job's end is told before the next prompt; Ctrl-D asks while
// one runs.
func TestBackgroundJobs(t *testing.T) {
	f := newFixture(t, "CREATE TABLE g (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '10');",
		"CREATE TABLE few (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3');",
		"CREATE TABLE h (n INT) WITH ('connector' = 'blackhole');",
		"SET 'table.dml-sync' = 'true';", "INSERT INTO h SELECT n FROM few;", "INSERT INTO h SELECT 1 / (n - n) FROM few;", "SET 'table.dml-sync' = 'false';",
		"INSERT INTO h SELECT n FROM g;", "SHOW JOBS;", "QUIT;", "n", `\q`, "yes")
	out, err := f.run(t)
	contains(t, "output", out, "insert-into_h-3")
	contains(t, "errors", err, "job 1 (insert-into_h) finished: 3 records in, 3 rows out", "division by zero", "job 3 (insert-into_h-3) started",
		"still running: job 3 (insert-into_h-3)", "job 3 (insert-into_h-3) stopped")
	if n := strings.Count(err, "still running"); n != 2 {
		t.Errorf("asked %d times, want 2", n)
	}
	if n := strings.Count(err, "division by zero"); n != 1 {
		t.Errorf("the failure is shown %d times, want once:\n%s", n, err)
	}
}

func TestRC(t *testing.T) {
	f := newFixture(t, "SELECT n FROM two;")
	rc := filepath.Join(f.home, ".sqlstreamrc")
	if err := os.WriteFile(rc, []byte("SET 'sql-client.execution.result-mode' = 'csv';\nCREATE VIEW two AS SELECT 2 AS n;\nDROP TABLE nosuch;"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := f.run(t)
	contains(t, "output", out, "n\n2\n")
	contains(t, "errors", err, ".sqlstreamrc:\n", "line 3:12: ", "nosuch")
	g := newFixture(t, "SELECT 1 AS a;")
	g.opt.NoRC, g.opt.Home = true, f.home
	out, err = g.run(t)
	contains(t, "output", out, "| a |")
	if err != "" {
		t.Errorf("-X: %s", err)
	}
}

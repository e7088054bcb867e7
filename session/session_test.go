package session_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/sqlstream/sqlstream/checkpoint"
	_ "github.com/sqlstream/sqlstream/connectors/blackhole"
	_ "github.com/sqlstream/sqlstream/connectors/datagen"
	_ "github.com/sqlstream/sqlstream/connectors/files"
	_ "github.com/sqlstream/sqlstream/connectors/print"
	"github.com/sqlstream/sqlstream/session"
	"github.com/sqlstream/sqlstream/session/render"
)

// TestScripts runs testdata: `sql` executes statements in one session a file
// and shows what a person sees (the argument is the output form); `file NAME`
// writes one that ${dir} leads to.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		dir := t.TempDir()
		var out bytes.Buffer
		w := &swap{}
		s, err := session.New(session.Options{Output: w, Wait: true, Settings: map[string]string{"restart-strategy.type": "none"}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "file" {
				if err := os.WriteFile(filepath.Join(dir, d.CmdArgs[0].Key), []byte(d.Input+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return ""
			}
			out.Reset()
			form := "tableau"
			if len(d.CmdArgs) > 0 {
				form = d.CmdArgs[0].Key
			}
			if w.Output, err = render.New(form, render.Options{Out: &out, Notice: &out}); err != nil {
				t.Fatal(err)
			}
			sql, err := session.Substitute(d.Input, map[string]string{"dir": dir})
			if err == nil {
				err = s.Execute(context.Background(), sql)
			}
			text := untimed(out.String())
			if err != nil {
				text += session.KindOf(err).String() + ": " + session.Render(err) + "\n"
			}
			return strings.ReplaceAll(text, dir, "DIR")
		})
	})
}

// swap lets each command have its own form.
type swap struct{ session.Output }

// untimed takes the elapsed time out of footers.
func untimed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "Received a total") {
			lines[i], _, _ = strings.Cut(l, " (")
		}
	}
	return strings.Join(lines, "\n")
}

// A job goes on where it stopped, says so, and is over when its input is.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	const sql = `CREATE TABLE src (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '200', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000000');
CREATE TABLE dst (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '${dir}/out', 'format' = 'json');
INSERT INTO dst SELECT n FROM src;`
	text := strings.ReplaceAll(sql, "${dir}", dir)
	var resumed []checkpoint.ID
	for range 2 {
		s, err := session.New(session.Options{Output: &render.Recording{}, StateDir: filepath.Join(dir, "state"), Quiet: true,
			Settings: map[string]string{"execution.checkpointing.interval": "20 ms"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Execute(context.Background(), text); err != nil {
			t.Fatal(err)
		}
		j := s.Jobs()[0]
		resumed = append(resumed, j.Resumed)
		waitFor(t, func() bool {
			_, out, _, _ := session.Counts(j.Status())
			return out > 0
		})
		reply, err := session.Ask(j.Dir, session.Request{Command: "status"})
		if err != nil || reply.Status.Name != "insert-into_dst" {
			t.Fatalf("control socket: %+v, %v", reply, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // as Ctrl-C: a final checkpoint
		if err := s.AwaitAll(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := session.Ask(j.Dir, session.Request{Command: "status"}); !errors.Is(err, session.ErrNotRunning) {
			t.Errorf("asked after the end: %v", err)
		}
	}
	if resumed[0] != 0 || resumed[1] == 0 {
		t.Errorf("resumed from %v, expected nothing, then a checkpoint", resumed)
	}
	checkSequence(t, filepath.Join(dir, "out"))
}

// checkSequence: the files hold 1 … n, each once.
func checkSequence(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil {
		t.Fatal(err)
	}
	seen, rows := map[string]bool{}, 0
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Fields(string(b)) {
			if seen[line] {
				t.Errorf("%s is there twice", line)
			}
			seen[line] = true
			rows++
		}
	}
	for n := 1; n <= rows; n++ {
		if line := `{"n":` + itoa(n) + `}`; !seen[line] {
			t.Fatalf("%s is missing of %d rows", line, rows)
		}
	}
	if rows == 0 {
		t.Error("no rows were written")
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// A job that STOP JOB ended goes on under its name when its INSERT comes
// again; a second one beside it gets a name of its own.
func TestStopAndStartAgain(t *testing.T) {
	dir := t.TempDir()
	s, err := session.New(session.Options{Output: &render.Recording{}, StateDir: filepath.Join(dir, "state"), Quiet: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	execute := func(sql string) {
		t.Helper()
		if err := s.Execute(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	execute(`CREATE TABLE src (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000000');
CREATE TABLE dst (n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO dst SELECT n FROM src;
STOP JOB '1';
INSERT INTO dst SELECT n FROM src;
INSERT INTO dst SELECT n FROM src;`)
	var names []string
	for _, j := range s.Jobs() {
		names = append(names, j.Name)
	}
	if got := strings.Join(names, " "); got != "insert-into_dst insert-into_dst insert-into_dst-2" {
		t.Errorf("jobs are %s", got)
	}
	if s.Jobs()[1].Resumed == 0 {
		t.Error("the second job did not resume the first")
	}
}

// waitFor polls a condition of a running job; the job's own clock is real.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for begin := time.Now(); !ok(); {
		if time.Since(begin) > 20*time.Second {
			t.Fatal("waited for 20 s")
		}
		<-time.After(2 * time.Millisecond)
	}
}

func TestSubstitute(t *testing.T) {
	got, err := session.Substitute("a ${x} ${y-1} $ {x} ${} b", map[string]string{"x": "1", "y-1": "2"})
	if err != nil || got != "a 1 2 $ {x} ${} b" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err = session.Substitute("one\n  ${missing}", nil)
	if err == nil || !strings.Contains(session.Render(err), "line 2:3: variable ${missing} is not defined") {
		t.Errorf("got %v", err)
	}
}

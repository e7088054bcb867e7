package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sqlstream/sqlstream/broker"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sqlstream": func() { os.Exit(Main()) }})
}

// TestScripts runs the archives of testdata/script, each in a folder of its
// own. Besides testscript's commands they have
//
//	exits CODE COMMAND ARG…   the command ends with this exit code
//	broker ARG…               'sqlstream broker' runs until the script ends; $BROKER is its address
//	strict-broker             one that makes no topic by itself
//	replace FILE OLD NEW      in a file
//	await FILE                until it is there
//	shows FILE                standard output is this, whatever the seconds in its footer
//	objects N                 standard output is N lines, each a JSON object
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:      filepath.Join("testdata", "script"),
		Deadline: time.Now().Add(2 * time.Minute), // a command that hangs shows where
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scriptExits, "broker": scriptBroker, "strict-broker": scriptStrictBroker, "replace": scriptReplace, "await": scriptAwait, "shows": scriptShows, "objects": scriptObjects,
		},
		Condition: func(c string) (bool, error) { return c == "root" && os.Geteuid() == 0, nil },
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	for _, trace := range []string{"goroutine ", "panic:"} {
		if strings.Contains(ts.ReadFile("stderr"), trace) {
			ts.Fatalf("a stack trace is shown")
		}
	}
}

// scriptBroker waits for the address on the command's first line.
func scriptBroker(ts *testscript.TestScript, neg bool, args []string) {
	program, err := exec.LookPath("sqlstream")
	ts.Check(err)
	c := exec.Command(program, append([]string{"broker", "--listen", "127.0.0.1:0"}, args...)...)
	c.Dir = ts.Getenv("WORK")
	out, err := c.StdoutPipe()
	ts.Check(err)
	ts.Check(c.Start())
	ts.Defer(func() {
		_ = c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			ts.Logf("broker: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	ts.Setenv("BROKER", strings.TrimSpace(line))
}

func scriptStrictBroker(ts *testscript.TestScript, neg bool, args []string) {
	b, err := broker.Start(broker.Options{Listen: "127.0.0.1:0"})
	ts.Check(err)
	ts.Defer(func() { b.Close() })
	ts.Setenv("BROKER", b.Addr())
}

func scriptReplace(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	before := ts.ReadFile(args[0])
	after := strings.ReplaceAll(before, args[1], args[2])
	if before == after {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(after), 0o600))
}

// scriptAwait polls: the file is made by another process.
func scriptAwait(ts *testscript.TestScript, neg bool, args []string) {
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s did not appear", args[0])
		}
		<-time.After(10 * time.Millisecond)
	}
}

var footerSeconds = regexp.MustCompile(`\(\d+\.\d s\)`)

func scriptShows(ts *testscript.TestScript, neg bool, args []string) {
	got := footerSeconds.ReplaceAllString(ts.ReadFile("stdout"), "(0.0 s)")
	if want := ts.ReadFile(args[0]); got != want {
		ts.Fatalf("standard output is not %s but\n%s", args[0], got)
	}
}

func scriptObjects(ts *testscript.TestScript, neg bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	if strconv.Itoa(len(lines)) != args[0] {
		ts.Fatalf("%d lines, want %s", len(lines), args[0])
	}
	for _, l := range lines {
		var object map[string]any
		if err := json.Unmarshal([]byte(l), &object); err != nil {
			ts.Fatalf("%s: %v", l, err)
		}
	}
}

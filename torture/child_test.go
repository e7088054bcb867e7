package torture

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sqlstream/sqlstream/exec"
)

// child is a job in an operating system's process of its own, with its state
// in Badger: this test program, started again.
type child struct {
	World  World
	Folder string
	Job    Job
	Name   string // step to die at; "": none
	Nth    int
	After  bool
}

const childEnv = "SQLSTREAM_TORTURE_CHILD"

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		os.Exit(runChild(text))
	}
	os.Exit(m.Run())
}

func runChild(text string) int {
	var c child
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	c.World.Dir = Folder(c.Folder)
	_, err := c.World.Run(c.Job, At(c.Name, c.Nth, c.After, Kill))
	if err != nil && !errors.Is(err, exec.ErrFinished) {
		fmt.Println(err)
		return 1
	}
	return 0
}

// start runs the child and tells whether it was killed.
func (c child) start(t *testing.T) bool {
	t.Helper()
	c.World.Broker, c.World.Dir = nil, nil
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return false
}

// TestKillNine kills real processes with SIGKILL at steps of faults 1 to 7,
// with Badger as their directory: to Kafka and to files.
func TestKillNine(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, p := range []point{{"write", true}, {"precommit", true}, {"chunks", true}, {"metadata", true}, {"LATEST", false}, {"commit", false}, {"commit", true}, {"outcomes", true}} {
		for _, files := range []bool{false, true} {
			w := c.world(t, 60)
			ch := child{World: *w, Folder: t.TempDir(), Job: twoWriters, Name: p.name, Nth: 2, After: p.after}
			if files {
				ch.Job.Files = filepath.Join(t.TempDir(), "out")
			}
			if !ch.start(t) {
				t.Fatalf("%v: the process was not killed", p)
			}
			ch.Name, ch.Nth = "start", 1 // again in its recovery
			if !ch.start(t) {
				t.Fatalf("%v: the second process was not killed", p)
			}
			ch.Name = ""
			if ch.start(t) {
				t.Fatal("killed by nobody")
			}
			if files {
				exactFiles(t, w, ch.Job.Files)
			} else {
				exact(t, w)
			}
		}
	}
}

package torture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"syscall"
	"time"

	"github.com/sqlstream/sqlstream/exec"
)

// Child is a job in an operating system's process of its own, with its state
// in Badger: this program, started again with childEnv set.
type Child struct {
	World  World
	Folder string // the state directory
	Job    Job
	Name   string // step to die at; "": none
	Nth    int
	After  bool
}

const childEnv = "SQLSTREAM_TORTURE_CHILD"

// MaybeChild runs the child and exits, if this process is one. Programs that
// start children call it first.
func MaybeChild() {
	text := os.Getenv(childEnv)
	if text == "" {
		return
	}
	var c Child
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	c.World.Dir = Folder(c.Folder)
	_, err := c.World.Run(c.Job, At(c.Name, c.Nth, c.After, Kill))
	if err != nil && !errors.Is(err, exec.ErrFinished) {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Run starts the process and tells whether it was killed: by itself, at its
// step, or from here, after a time (0: never).
func (c Child) Run(after time.Duration) (killed bool, err error) {
	c.World.Broker, c.World.Dir = nil, nil
	text, err := json.Marshal(c)
	if err != nil {
		return false, err
	}
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	cmd := osexec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return false, err
	}
	if after > 0 {
		t := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer t.Stop()
	}
	err = cmd.Wait()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signal() == syscall.SIGKILL {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w: %s", err, out.String())
	}
	return false, nil
}

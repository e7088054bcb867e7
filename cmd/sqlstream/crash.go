package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sqlstream/sqlstream/session"
)

// crashes runs a job file as a process that is killed and started again,
// until it comes to its end.
type crashes struct {
	*app
	file     string
	stateDir string
	defines  map[string]string
	binary   string // "": this program
	kills    []kill
	random   *rand.Rand

	late     int64
	restarts int
	cpu      time.Duration // of all processes that ended by themselves or were killed
}

// kill is a SIGKILL that is tied to progress: after a checkpoint is complete
// and a random delay, so that it hits any moment of the next one.
type kill struct {
	after    int64
	from, to time.Duration
}

const pollJob = 10 * time.Millisecond

func (c *crashes) run(ctx context.Context) error {
	kills := append([]kill(nil), c.kills...)
	for {
		ended, err := c.attempt(ctx, &kills)
		if err != nil {
			return err
		}
		if ended {
			break
		}
		c.restarts++
	}
	if len(kills) > 0 {
		return fmt.Errorf("the job ended before it could be killed after checkpoint %d; a lower --rate makes it last longer", kills[0].after)
	}
	return nil
}

// attempt starts the job and kills it when the next checkpoint of kills is
// complete. ended is true if it came to its end instead.
func (c *crashes) attempt(ctx context.Context, kills *[]kill) (ended bool, err error) {
	args := []string{"run", c.file, "--state-dir", c.stateDir}
	for k, v := range c.defines {
		args = append(args, "--define", k+"="+v)
	}
	cmd := child(ctx, args...)
	if c.binary != "" {
		cmd = exec.CommandContext(ctx, c.binary, args...)
	}
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return false, err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	defer func() { c.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() }()
	tick := time.NewTicker(pollJob)
	defer tick.Stop()
	for {
		select {
		case err := <-over:
			if err != nil {
				return false, fmt.Errorf("the job failed: %w\n%s", err, log.String())
			}
			return true, nil
		case <-tick.C:
			if len(*kills) == 0 || c.completed() < (*kills)[0].after {
				continue
			}
			c.strike(cmd, (*kills)[0])
			*kills = (*kills)[1:]
			<-over
			return false, nil
		}
	}
}

// jobDir is the folder of the only job below the state directory.
func (c *crashes) jobDir() string {
	entries, _ := os.ReadDir(c.stateDir)
	for _, e := range entries {
		if e.IsDir() {
			return filepath.Join(c.stateDir, e.Name())
		}
	}
	return c.stateDir
}

// completed asks the running job for its last complete checkpoint.
func (c *crashes) completed() int64 {
	r, err := session.Ask(c.jobDir(), session.Request{Command: "status"})
	if err != nil || r.Status == nil {
		return 0
	}
	_, _, late, _ := session.Counts(*r.Status)
	c.late = max(c.late, late)
	return int64(r.Status.Progress.LastCompleted)
}

func (c *crashes) strike(cmd *exec.Cmd, k kill) {
	delay := k.from + time.Duration(c.random.Int64N(int64(k.to-k.from)))
	time.Sleep(delay)
	_ = cmd.Process.Kill()
	fmt.Fprintf(c.err, "kill -9 %d ms after checkpoint %d\n", delay.Milliseconds(), k.after)
}

// child is this program as a process that dies with ctx.
func child(ctx context.Context, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.CommandContext(ctx, self, args...)
}

// runBroker runs the broker as a process of its own, so that only the
// engine is killed, and returns its address.
func runBroker(ctx context.Context, topics ...string) (address string, stop func(), err error) {
	args := []string{"broker", "--listen", "127.0.0.1:0"}
	for _, t := range topics {
		args = append(args, "--topic", t)
	}
	cmd := child(ctx, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the broker did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

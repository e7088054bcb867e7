package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
)

// A running job listens on control.sock in its state directory: one request
// and one reply a connection, each a JSON object on a line.

// Request is what another process asks of a running job.
type Request struct {
	Command string `json:"command"` // status, checkpoints, transactions, stop, drain, savepoint
}

// Reply is the answer.
type Reply struct {
	Error        string            `json:"error,omitempty"`
	Text         string            `json:"text,omitempty"`
	Status       *exec.Status      `json:"status,omitempty"`
	Checkpoints  []checkpoint.Info `json:"checkpoints,omitempty"`
	Transactions []Transaction     `json:"transactions,omitempty"`
	Sinks        []Sink            `json:"sinks,omitempty"` // beside transactions
}

const (
	socketName = "control.sock"
	// pointerName names the socket's path where it had to lie elsewhere.
	pointerName = "control"
	// maxSocketPath: longer ones cannot be bound.
	maxSocketPath  = 100
	controlTimeout = 30 * time.Second
)

// control serves one job.
type control struct {
	job      *Job
	listener net.Listener
	cleanup  []string
	wait     sync.WaitGroup
}

func listen(j *Job) (*control, error) {
	path, cleanup, err := socketPath(j.Dir)
	if err != nil {
		return nil, err
	}
	_ = os.Remove(path) // of a process that was killed: the directory's lock is ours
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	c := &control{job: j, listener: l, cleanup: cleanup}
	c.wait.Add(1)
	go c.serve()
	return c, nil
}

// socketPath is where the socket lies: in the state directory, or where its
// path would be too long in a folder of its own that a file names.
func socketPath(dir string) (path string, cleanup []string, err error) {
	if path = filepath.Join(dir, socketName); len(path) <= maxSocketPath {
		return path, nil, nil
	}
	folder, err := os.MkdirTemp("", "sqlstream-")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(folder, socketName)
	pointer := filepath.Join(dir, pointerName)
	if err := os.WriteFile(pointer, []byte(path), 0o600); err != nil {
		return "", nil, err
	}
	return path, []string{pointer, folder}, nil
}

func (c *control) close() {
	if c == nil {
		return
	}
	_ = c.listener.Close()
	c.wait.Wait()
	for _, p := range c.cleanup {
		_ = os.RemoveAll(p)
	}
}

func (c *control) serve() {
	defer c.wait.Done()
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return
		}
		go c.answer(conn)
	}
}

func (c *control) answer(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(controlTimeout))
	var req Request
	if err := json.NewDecoder(bufio.NewReader(conn)).Decode(&req); err != nil {
		return
	}
	_ = json.NewEncoder(conn).Encode(c.handle(req))
}

func (c *control) handle(req Request) (r Reply) {
	var err error
	switch req.Command {
	case "status":
		st := c.job.Status()
		st.Err = nil
		r.Status = &st
	case "checkpoints":
		r.Checkpoints, err = c.job.store.List()
	case "transactions":
		if r.Transactions, err = transactions(c.job.store); err == nil {
			r.Sinks, err = c.job.sinks()
		}
	case "stop", "drain":
		c.job.Stop(req.Command == "drain")
		r.Text = "stopping"
	case "savepoint":
		var id checkpoint.ID
		ctx, cancel := context.WithTimeout(context.Background(), controlTimeout)
		defer cancel()
		if id, err = c.job.Checkpoint(ctx, checkpoint.Savepoint); err == nil {
			r.Text = fmt.Sprintf("savepoint %d", id)
		}
	default:
		err = fmt.Errorf("unknown command %q", req.Command)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// ErrNotRunning: no process runs the job of this directory.
var ErrNotRunning = errors.New("the job is not running")

// Ask sends a request to the process that runs the job of a state directory.
func Ask(dir string, req Request) (*Reply, error) {
	path := filepath.Join(dir, socketName)
	if other, err := os.ReadFile(filepath.Join(dir, pointerName)); err == nil {
		path = string(other)
	}
	conn, err := net.DialTimeout("unix", path, controlTimeout)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || isRefused(err) {
			return nil, ErrNotRunning
		}
		return nil, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(controlTimeout))
	if err := json.NewEncoder(conn).Encode(req); err != nil {
		return nil, err
	}
	var r Reply
	if err := json.NewDecoder(conn).Decode(&r); err != nil {
		return nil, err
	}
	if r.Error != "" {
		return nil, errors.New(r.Error)
	}
	return &r, nil
}

func isRefused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

package torture

import (
	"strings"
	"syscall"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
)

// Directory is where a job's state outlives its processes.
type Directory interface {
	// open locks it and gives the process's view.
	open(job checkpoint.Job, wrap func(checkpoint.Engine) checkpoint.Engine) (checkpoint.Store, error)
	// crash kills whoever has it open; what is not durable is gone.
	crash()
}

// Memory is a directory that knows what was made durable and what was not.
type Memory struct{ *checkpoint.MemDir }

// NewMemory is an empty one.
func NewMemory() Memory { return Memory{checkpoint.NewMemDir()} }

// Copy is a copy of what is durable now.
func (m Memory) Copy() Memory { return Memory{m.MemDir.Copy()} }

func (m Memory) open(job checkpoint.Job, wrap func(checkpoint.Engine) checkpoint.Engine) (checkpoint.Store, error) {
	e, err := m.Engine()
	if err != nil {
		return nil, err
	}
	s, err := checkpoint.OpenKVStore(wrap(e), "memory", job)
	if err != nil {
		e.Close()
		return nil, err
	}
	return s, nil
}

func (m Memory) crash() { m.Crash() }

// Folder is a Badger directory. A crash is the real one: kill -9 of the
// operating system's process, so only a process of its own may be killed.
type Folder string

func (f Folder) open(job checkpoint.Job, wrap func(checkpoint.Engine) checkpoint.Engine) (checkpoint.Store, error) {
	return badger.OpenWrapped(string(f), job, wrap)
}

func (f Folder) crash() {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {}
}

// tappedEngine makes durable writes steps.
type tappedEngine struct {
	checkpoint.Engine
	p *stepper
}

func (e tappedEngine) Apply(entries []checkpoint.Entry) error {
	return e.p.do(writeName(entries), "", func() error { return e.Engine.Apply(entries) })
}

func (e tappedEngine) Flush() error {
	return e.p.do("chunks", "", e.Engine.Flush)
}

func (e tappedEngine) WriteLatest(rec []byte) error {
	return e.p.do("LATEST", "", func() error { return e.Engine.WriteLatest(rec) })
}

// writeName tells the writes of a Store apart by their keys; see
// checkpoint/DESIGN.md, "On disk".
func writeName(entries []checkpoint.Entry) string {
	for _, e := range entries {
		switch {
		case e.Value == nil:
			return "retain"
		case strings.HasPrefix(e.Key, "meta/"):
			return "metadata"
		case strings.HasPrefix(e.Key, "pending/"):
			return "outcomes"
		case strings.HasPrefix(e.Key, "journal/"):
			return "journal"
		case e.Key == "sys/begun":
			return "begin"
		}
	}
	return "open"
}

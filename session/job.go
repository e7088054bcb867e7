package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/build"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// Job is an INSERT or a statement set that was started.
type Job struct {
	ID      string // short, unique in the session
	Name    string // stable over restarts: the folder of its state
	Dir     string // state directory; "": in memory
	Started time.Time
	Summary *build.Summary
	Plan    *Plan
	// Resumed is the checkpoint it goes on from; 0: it began anew.
	Resumed     checkpoint.ID
	ResumedTime time.Time

	*exec.Job
	store    checkpoint.Store
	control  *control
	stopped  bool // by STOP JOB, without drain; the session's
	finished chan struct{}

	mu   sync.Mutex
	err  error
	end  time.Time
	over bool
}

// Err is why the job failed, once it is over.
func (j *Job) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Over tells whether the job has ended.
func (j *Job) Over() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.over
}

// Await waits until the job is over and its state directory is released.
func (j *Job) Await() error {
	<-j.finished
	return j.Err()
}

// Elapsed is how long the job has run.
func (j *Job) Elapsed() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over {
		return j.end.Sub(j.Started)
	}
	return time.Since(j.Started)
}

// insert starts a job, and waits for it where asked to.
func (s *Session) insert(ctx context.Context, st ast.Statement) error {
	p, err := s.plan(st)
	if err != nil {
		return err
	}
	if p.DefaultedInterval {
		s.out.Notice(fmt.Sprintf("note: exactly-once without '%s': set to %s", intervalKey, DefaultInterval))
	}
	name := s.jobName(p)
	j, err := s.start(ctx, p)
	if errors.Is(err, exec.ErrFinished) {
		s.out.Notice(fmt.Sprintf("job %s has finished before (%s); start it with --fresh to run it again", name, filepath.Join(s.opt.StateDir, folderOf(name))))
		return nil
	}
	if err != nil {
		return runtimeError(err)
	}
	if j.Dir == "" && !j.Summary.Bounded && needsInterval(p.Plan) {
		s.out.Notice(fmt.Sprintf("note: the state of job %s is in memory, so exactly-once ends with this process; --state-dir names a folder to keep it in", j.ID))
	}
	if !s.opt.Wait && !p.runtime.wait {
		if s.opt.OnJob == nil {
			s.out.Notice(fmt.Sprintf("job %s (%s) started", j.ID, j.Name))
		}
		return nil
	}
	return s.await(ctx, j)
}

// await waits for a job. The end of ctx stops it with a final checkpoint.
func (s *Session) await(ctx context.Context, j *Job) error {
	select {
	case <-j.finished:
	case <-ctx.Done():
		j.Stop(false)
		<-j.finished
	}
	return runtimeError(j.Err())
}

// start opens the job's state and runs it.
func (s *Session) start(ctx context.Context, p *Plan) (*Job, error) {
	g, sum, err := s.graph(p, nil)
	if err != nil {
		return nil, err
	}
	j := &Job{ID: fmt.Sprint(len(s.jobs) + 1), Name: s.jobName(p), Started: time.Now(), Summary: sum, Plan: p, finished: make(chan struct{})}
	if err := s.openState(j, p); err != nil {
		if errors.Is(err, exec.ErrFinished) {
			s.finished[p.Name]++
		}
		return nil, err
	}
	cfg := s.runConfig(p)
	cfg.JobName, cfg.Store = j.Name, j.store
	cfg.OnEvent = func(e exec.Event) { s.event(j, e) }
	if s.opt.OnJob != nil {
		s.opt.OnJob(j)
	}
	// The job outlives the statement: its context is not the caller's.
	if j.Job, err = exec.Run(context.WithoutCancel(ctx), g, cfg); err != nil {
		return nil, errors.Join(err, j.store.Close())
	}
	if j.Dir != "" {
		if j.control, err = listen(j); err != nil {
			s.opt.Log.Warn("no control socket", "job", j.Name, "error", err)
		}
	}
	s.jobs = append(s.jobs, j)
	if s.opt.OnRun != nil {
		s.opt.OnRun(j)
	}
	go j.watch()
	return j, nil
}

func (s *Session) event(j *Job, e exec.Event) {
	if s.opt.OnEvent != nil {
		s.opt.OnEvent(j, e)
	}
}

// watch releases what the job holds when it is over.
func (j *Job) watch() {
	err := j.Wait()
	j.control.close()
	err = errors.Join(err, j.store.Close())
	j.mu.Lock()
	j.err, j.over, j.end = err, true, time.Now()
	j.mu.Unlock()
	close(j.finished)
}

// jobName makes the names of several jobs of one session unique: -2, -3 …
// Those that had finished before count, so that a file that is run again finds
// each of its jobs where it was. A job that was stopped goes on under its name.
func (s *Session) jobName(p *Plan) string {
	n := 1 + s.finished[p.Name]
	last := map[string]*Job{} // by name
	for _, j := range s.jobs {
		if j.Plan.Name == p.Name {
			last[j.Name] = j
		}
	}
	for name, j := range last {
		if j.stopped && j.Over() && j.Plan.Hash == p.Hash {
			return name
		}
		n++
	}
	if n == 1 {
		return p.Name
	}
	return fmt.Sprintf("%s-%d", p.Name, n)
}

// openState opens the job's directory, or memory.
func (s *Session) openState(j *Job, p *Plan) (err error) {
	job := identity(j.Name, p)
	if s.opt.StateDir == "" {
		j.store, err = checkpoint.NewMemStore(job)
		return err
	}
	j.Dir = filepath.Join(s.opt.StateDir, folderOf(j.Name))
	if err := os.MkdirAll(s.opt.StateDir, 0o700); err != nil {
		return &Error{Kind: External, Err: fmt.Errorf("state directory %s cannot be made: %w; --state-dir names another one", s.opt.StateDir, err)}
	}
	if err := s.setAside(j); err != nil {
		return err
	}
	if j.store, err = s.openStore(j.Dir, job); err != nil {
		return err
	}
	return j.noteResume()
}

// A look into a directory ('txn list', 'checkpoint show') holds its lock for
// a moment; a job waits so long for one that no running job holds.
const (
	lockPatience = 5 * time.Second
	lockRetry    = 50 * time.Millisecond
)

func (s *Session) openStore(dir string, job checkpoint.Job) (checkpoint.Store, error) {
	for begin := s.opt.Clock.Now(); ; {
		store, err := badger.Open(dir, job)
		if !errors.Is(err, checkpoint.ErrLocked) || s.opt.Clock.Now().Sub(begin) > lockPatience {
			return store, err
		}
		if _, askErr := Ask(dir, Request{Command: "status"}); askErr == nil {
			return nil, err
		}
		<-s.opt.Clock.After(lockRetry)
	}
}

// setAside is --fresh.
func (s *Session) setAside(j *Job) error {
	if _, err := os.Stat(j.Dir); !s.opt.Fresh || err != nil {
		return nil
	}
	if s.opt.ConfirmFresh != nil {
		if err := s.opt.ConfirmFresh(j.Name, j.Dir); err != nil {
			return err
		}
	}
	aside, err := badger.SetAside(j.Dir, s.opt.Clock.Now())
	if err == nil && aside != "" {
		s.out.Notice(fmt.Sprintf("earlier state set aside as %s", aside))
	}
	return err
}

// identity is what a state directory remembers of its job.
func identity(name string, p *Plan) checkpoint.Job {
	job := checkpoint.Job{Name: name, Hash: p.Hash}
	for _, n := range p.Nodes {
		job.Operators = append(job.Operators, checkpoint.JobOperator{UID: n.UID, Name: n.Describe()})
	}
	return job
}

// noteResume finds where the job goes on; ErrFinished if there is nothing left
// to do.
func (j *Job) noteResume() error {
	m, err := j.store.Latest()
	if err != nil {
		return errors.Join(err, j.store.Close())
	}
	if m == nil {
		return nil
	}
	if m.Finished && len(m.Pending) == 0 {
		return errors.Join(exec.ErrFinished, j.store.Close())
	}
	j.Resumed = m.ID
	j.ResumedTime = time.UnixMilli(m.TimeMillis)
	return nil
}

// folderOf makes a file name of a job's name.
func folderOf(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, strings.TrimLeft(name, "."))
}

// Jobs are the jobs that the session started, oldest first.
func (s *Session) Jobs() []*Job { return append([]*Job(nil), s.jobs...) }

// Running are the jobs that have not ended.
func (s *Session) Running() []*Job {
	var running []*Job
	for _, j := range s.jobs {
		if !j.Over() {
			running = append(running, j)
		}
	}
	return running
}

// AwaitAll waits for all jobs; the end of ctx stops them, each with a final
// checkpoint. It returns the first error.
func (s *Session) AwaitAll(ctx context.Context) error {
	var first error
	for _, j := range s.jobs {
		if err := s.await(ctx, j); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Close cancels the jobs that still run, without a checkpoint.
func (s *Session) Close() {
	for _, j := range s.Running() {
		j.Cancel()
		<-j.finished
	}
}

// job finds a job by id or name.
func (s *Session) job(id string) *Job {
	for _, j := range s.jobs {
		if j.ID == id || j.Name == id {
			return j
		}
	}
	return nil
}

// stopJob is STOP JOB.
func (s *Session) stopJob(ctx context.Context, st *ast.StopJob) error {
	j := s.job(st.ID)
	if j == nil {
		return perr.New(st.Pos, "there is no job '%s'", st.ID).WithHint("SHOW JOBS lists them")
	}
	if j.Over() {
		s.out.Notice(fmt.Sprintf("job %s is over", j.ID))
		return nil
	}
	if st.Savepoint {
		id, err := j.Checkpoint(ctx, checkpoint.Savepoint)
		if err != nil {
			return runtimeError(err)
		}
		s.out.Notice(fmt.Sprintf("savepoint %d in %s", id, j.Dir))
	}
	j.Stop(st.Drain)
	<-j.finished
	j.stopped = !st.Drain
	if err := j.Err(); err != nil {
		return runtimeError(err)
	}
	s.out.Notice(fmt.Sprintf("job %s stopped", j.ID))
	return nil
}

package exec

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// Job is a running graph. All methods are safe for concurrent use.
type Job struct {
	graph  *Graph
	chains *chains
	cfg    Config
	ctx    context.Context
	cancel context.CancelCauseFunc
	own    checkpoint.Store // made by Run, closed by the job; nil: the caller's

	requests chan request
	done     chan struct{}
	err      error // valid once done is closed

	// Of the goroutine that runs attempts.
	splits       map[string][]Split // by source UID
	sinksStarted bool

	mu      sync.Mutex
	stop    bool
	drain   bool
	hurry   chan struct{} // closed by the first Stop: ends a wait for a restart
	attempt *attempt      // that runs or ran last; nil before the first
	watch   watch
	eventMu sync.Mutex
}

// Run starts a graph: it checks the graph and the latest checkpoint and
// returns; sinks and sources are opened beside. ErrFinished (errors.Is) says
// that the store's job has come to its end; one that has, but was killed
// before all of its transactions were settled, only settles them. The end of
// ctx cancels the job.
func Run(ctx context.Context, g *Graph, cfg Config) (*Job, error) {
	if err := cfg.complete(g); err != nil {
		return nil, err
	}
	cs, err := cutChains(g)
	if err != nil {
		return nil, err
	}
	j := &Job{
		graph: g, chains: cs, cfg: cfg, requests: make(chan request), done: make(chan struct{}),
		splits: map[string][]Split{}, hurry: make(chan struct{}),
	}
	if err := j.openStore(); err != nil {
		return nil, err
	}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	go j.loop()
	return j, nil
}

func (j *Job) openStore() error {
	if j.cfg.Store == nil {
		s, err := checkpoint.NewMemStore(checkpoint.Job{Name: j.cfg.JobName, Hash: j.cfg.JobHash})
		if err != nil {
			return err
		}
		j.own, j.cfg.Store = s, s
	}
	j.noteLosses()
	m, err := j.cfg.Store.Latest()
	if err != nil {
		return err
	}
	if m != nil && m.Finished && len(m.Pending) == 0 {
		return fmt.Errorf("%w: its last checkpoint is %d", ErrFinished, m.ID)
	}
	return nil
}

// loop runs attempts until the job is over.
func (j *Job) loop() {
	j.err = j.attempts()
	if j.own != nil {
		if err := j.own.Close(); j.err == nil {
			j.err = err
		}
	}
	j.cancel(ErrCancelled)
	j.conclude(j.err)
	close(j.done)
}

// askedDelay comes before a restart that the protocol asks for, where the
// strategy has none: it mends what was found, and is no failure.
const askedDelay = time.Second

func (j *Job) attempts() error {
	everStarted := false
	for {
		a := newAttempt(j)
		j.setAttempt(a)
		err := a.run()
		everStarted = everStarted || a.started
		switch {
		case err == nil:
			return nil
		case j.ctx.Err() != nil:
			return ErrCancelled
		case isFatal(err) || !everStarted && !errors.Is(err, checkpoint.ErrRestart):
			// What does not start even once is a mistake to be shown, not to be
			// tried for ever.
			return err
		}
		delay, again := j.cfg.Restart.Next(j.cfg.Clock.Now())
		if !again && errors.Is(err, checkpoint.ErrRestart) {
			delay, again = askedDelay, true
		}
		if !again && j.cfg.Restart == (NoRestart{}) {
			return err
		}
		if !again {
			return fmt.Errorf("%w (not restarted again: %v)", err, j.cfg.Restart)
		}
		if err := j.pause(delay, err); err != nil {
			return err
		}
	}
}

// isFatal: marked so, or of a kind that says so of itself.
func isFatal(err error) bool {
	var f *FatalError
	var own interface{ Fatal() bool }
	return errors.As(err, &f) || errors.As(err, &own) && own.Fatal()
}

// pause waits before a restart. A Stop ends the wait.
func (j *Job) pause(d time.Duration, cause error) error {
	j.noteRestarting(d, cause)
	select {
	case <-j.cfg.Clock.After(d):
	case <-j.hurry:
	case <-j.ctx.Done():
		return ErrCancelled
	}
	return nil
}

// Wait returns when the job is over: nil after its end, a stop or a drain;
// ErrCancelled after Cancel; else why it failed.
func (j *Job) Wait() error {
	<-j.done
	return j.err
}

// Done is closed when the job is over.
func (j *Job) Done() <-chan struct{} { return j.done }

// Stop takes the final checkpoint, commits, and ends the job; with drain
// event time ends first, so that all windows fire and nothing can be resumed.
// It returns at once; see Wait.
func (j *Job) Stop(drain bool) {
	j.mu.Lock()
	if !j.stop {
		close(j.hurry)
	}
	j.stop = true
	j.drain = j.drain || drain
	j.mu.Unlock()
	go func() {
		select {
		case j.requests <- request{stop: true, drain: drain}:
		case <-j.done:
		}
	}()
}

func (j *Job) stopAsked() (stop, drain bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stop, j.drain
}

// Cancel ends the job at once: no checkpoint, no commit; what is pending is
// settled by the next run. It returns at once; see Wait.
func (j *Job) Cancel() { j.cancel(ErrCancelled) }

// Checkpoint takes a checkpoint (Periodic or Savepoint) now and returns its
// id when it is complete.
func (j *Job) Checkpoint(ctx context.Context, kind checkpoint.Kind) (checkpoint.ID, error) {
	reply := make(chan triggered, 1)
	select {
	case j.requests <- request{kind: kind, reply: reply}:
	case <-j.done:
		return 0, ErrFinished
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case r := <-reply:
		return r.id, r.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (j *Job) setAttempt(a *attempt) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.attempt = a
	j.watch.attempts++
}

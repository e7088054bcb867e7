package exec

import (
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// JobState is where a job stands.
type JobState uint8

const (
	Starting JobState = iota
	Running
	Restarting
	Finished
	Failed
	Cancelled
)

func (s JobState) String() string {
	return [...]string{"STARTING", "RUNNING", "RESTARTING", "FINISHED", "FAILED", "CANCELLED"}[s]
}

// CheckpointStatus is one checkpoint of this process, for people.
type CheckpointStatus struct {
	ID       checkpoint.ID
	Kind     checkpoint.Kind
	State    string // "in progress", "completed", "aborted"
	Reason   string // why it was aborted
	Injected time.Time
	Duration time.Duration // until it was completed or aborted
}

// watch is what the job remembers for Status. Guarded by Job.mu.
type watch struct {
	state       JobState
	attempts    int
	lastError   error
	stats       checkpoint.Stats
	checkpoints []CheckpointStatus // the last ones, oldest first
	losses      checkpoint.Losses
}

const checkpointsRemembered = 20

// emit tells the listener, one event at a time.
func (j *Job) emit(e Event) {
	e.Time = j.cfg.Clock.Now()
	if e.Err != nil {
		j.cfg.Log.Warn(e.Kind.String(), "job", j.cfg.JobName, "text", e.Text, "error", e.Err)
	} else {
		j.cfg.Log.Info(e.Kind.String(), "job", j.cfg.JobName, "text", e.Text)
	}
	if j.cfg.OnEvent == nil {
		return
	}
	j.eventMu.Lock()
	defer j.eventMu.Unlock()
	j.cfg.OnEvent(e)
}

func (j *Job) setState(s JobState, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.watch.state = s
	if err != nil {
		j.watch.lastError = err
	}
}

// running notes that all subtasks of an attempt are open.
func (j *Job) running(a *attempt) {
	j.setState(Running, nil)
	if m := a.restored.meta; m != nil {
		age := a.clock.Now().Sub(time.UnixMilli(m.TimeMillis)).Round(time.Millisecond)
		j.emit(Event{Kind: EventRestored, Checkpoint: m.ID, Text: fmt.Sprintf("restored from checkpoint %d, taken %v ago", m.ID, age)})
	}
	j.emit(Event{Kind: EventStarted, Text: fmt.Sprintf("job %s runs with %d subtasks", j.cfg.JobName, len(a.tasks))})
}

func (j *Job) noteRestarting(d time.Duration, cause error) {
	j.setState(Restarting, cause)
	j.emit(Event{Kind: EventRestarting, Delay: d, Err: cause, Text: fmt.Sprintf("restarts in %v because of: %v", d, cause)})
}

// conclude notes how the job ended.
func (j *Job) conclude(err error) {
	switch {
	case err == nil:
		j.setState(Finished, nil)
		j.emit(Event{Kind: EventFinished, Text: "job " + j.cfg.JobName + " is over"})
	case errors.Is(err, ErrCancelled):
		j.setState(Cancelled, nil)
		j.emit(Event{Kind: EventCancelled, Text: "job " + j.cfg.JobName + " was cancelled"})
	default:
		j.setState(Failed, err)
		var p *PanicError
		if errors.As(err, &p) {
			j.cfg.Log.Error("panic", "stack", p.Stack)
		}
		j.emit(Event{Kind: EventFailed, Err: err, Text: err.Error()})
	}
}

func (j *Job) noteStats(s checkpoint.Stats) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.watch.stats = s
}

func (j *Job) noteInjected(in checkpoint.Inject) {
	j.mu.Lock()
	defer j.mu.Unlock()
	l := append(j.watch.checkpoints, CheckpointStatus{
		ID: in.Checkpoint, Kind: in.Kind, State: "in progress", Injected: j.cfg.Clock.Now(),
	})
	if len(l) > checkpointsRemembered {
		l = append([]CheckpointStatus(nil), l[len(l)-checkpointsRemembered:]...)
	}
	j.watch.checkpoints = l
}

// closeCheckpoint notes the end of a checkpoint and returns how long it took.
func (j *Job) closeCheckpoint(id checkpoint.ID, state, reason string) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.watch.checkpoints {
		if c := &j.watch.checkpoints[i]; c.ID == id {
			c.State, c.Reason, c.Duration = state, reason, j.cfg.Clock.Now().Sub(c.Injected)
			return c.Duration
		}
	}
	return 0
}

func (j *Job) noteAborted(ab checkpoint.Aborted) {
	d := j.closeCheckpoint(ab.Checkpoint, "aborted", ab.Reason)
	j.emit(Event{
		Kind: EventCheckpointAborted, Checkpoint: ab.Checkpoint, Savepoint: ab.Kind == checkpoint.Savepoint, Duration: d,
		Text: fmt.Sprintf("checkpoint %d: %s", ab.Checkpoint, ab.Reason),
	})
}

func (j *Job) noteCompleted(m *checkpoint.Metadata) {
	d := j.closeCheckpoint(m.ID, "completed", "")
	j.emit(Event{
		Kind: EventCheckpointCompleted, Checkpoint: m.ID, Savepoint: m.Kind == checkpoint.Savepoint, Duration: d,
		Text: fmt.Sprintf("checkpoint %d (%v) completed in %v", m.ID, m.Kind, d.Round(time.Millisecond)),
	})
}

// noteLosses keeps the count: Status must not touch a store that may be
// closed.
func (j *Job) noteLosses() {
	losses := j.cfg.Store.Losses()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.watch.losses = losses
}

func (j *Job) noteOutcomes(outcomes []Outcome) {
	j.noteLosses()
	j.emit(Event{Kind: EventCommitted, Outcomes: outcomes, Text: outcomesText(outcomes)})
}

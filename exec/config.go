package exec

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
)

// Config says how a Graph is run. The zero value runs it once, without
// periodic checkpoints, and keeps nothing.
type Config struct {
	JobName string // Graph.Name if empty
	JobHash string // into the checkpoints' metadata
	// Store keeps checkpoints; nil: in memory, gone with the job. The caller
	// opens and closes it.
	Store checkpoint.Store
	Clock Clock        // nil: the system's
	Log   *slog.Logger // nil: nothing is logged

	Checkpoint CheckpointConfig
	Restart    RestartStrategy // nil: no restart

	// WatermarkInterval is pipeline.auto-watermark-interval. 0 cuts a batch
	// after each row that raises its split's watermark, so that row n meets
	// the watermark of the rows before it.
	WatermarkInterval time.Duration
	// RowMode hands operators that fold rows one selected row at a time
	// (table.exec.mini-batch.enabled = 'false').
	RowMode bool
	// MemoryLimit in bytes over the state of all operators; 0: none. Beyond it
	// the job stops and names the largest operator.
	MemoryLimit int64
	// Fresh accepts what earlier runs with another state directory left.
	Fresh bool
	// OnEvent is told what happens, one event at a time; it must return soon.
	OnEvent func(Event)
}

// CheckpointConfig holds the options execution.checkpointing.*.
type CheckpointConfig struct {
	Interval        time.Duration // 0: no periodic ones
	Timeout         time.Duration // 0: 10 min
	MinPause        time.Duration
	MaxConcurrent   int // 0: 1
	TolerableFailed int // negative: any number
	Keep            int // 0: 3
}

// Errors that callers branch on.
var (
	// ErrFinished: the directory's job has come to its end; there is nothing
	// to resume.
	ErrFinished = errors.New("the job has finished")
	// ErrCancelled: Job.Cancel, or the end of Run's context.
	ErrCancelled = errors.New("the job was cancelled")
)

func (c *Config) complete(g *Graph) error {
	if c.JobName == "" {
		c.JobName = g.Name
	}
	if c.Clock == nil {
		c.Clock = SystemClock{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Restart == nil {
		c.Restart = NoRestart{}
	}
	if c.Checkpoint.Timeout == 0 {
		c.Checkpoint.Timeout = 10 * time.Minute
	}
	if c.Checkpoint.MaxConcurrent == 0 {
		c.Checkpoint.MaxConcurrent = 1
	}
	if c.Checkpoint.Keep == 0 {
		c.Checkpoint.Keep = 3
	}
	if c.WatermarkInterval < 0 {
		return fmt.Errorf("pipeline.auto-watermark-interval is %v, expected 0 or more", c.WatermarkInterval)
	}
	return nil
}

// SystemClock is the machine's time.
type SystemClock struct{}

func (SystemClock) Now() time.Time                         { return time.Now() }
func (SystemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

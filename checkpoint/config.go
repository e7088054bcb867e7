package checkpoint

import (
	"fmt"
	"time"
)

// Config is fixed for the life of a Coordinator.
type Config struct {
	Header Header // copied into every metadata

	Interval time.Duration // between two periodic injections; 0: none, only Trigger and Final
	Timeout  time.Duration // from injection to the last ack; 0: none
	MinPause time.Duration // from the end of one checkpoint to the next periodic injection
	// MaxConcurrent checkpoints that are injected and not yet stored; at
	// least 1. Final is the one that may exceed it.
	MaxConcurrent int
	// TolerableFailed checkpoints in a row; one more fails the job. Negative:
	// any number.
	TolerableFailed int
	Keep            int // newest checkpoints to keep, at least 1

	Sources  []Subtask // source subtasks, by chain head: Ended is expected of each
	Subtasks []Subtask // all subtasks, sources included: an Ack is expected of each

	Next ID // Store.NextID
	// Pending: committables of the restored metadata that have no durable
	// outcome, after Committer.Commit was tried at start (Store.Latest
	// subtracts; what Commit left Unknown is still in it).
	Pending []Committable
}

const (
	retryMin = time.Second
	retryMax = 30 * time.Second
)

func (c *Config) validate() error {
	switch {
	case c.Interval < 0:
		return fmt.Errorf("execution.checkpointing.interval is %v, expected 0 or more", c.Interval)
	case c.Timeout < 0:
		return fmt.Errorf("execution.checkpointing.timeout is %v, expected 0 (none) or more", c.Timeout)
	case c.MinPause < 0:
		return fmt.Errorf("execution.checkpointing.min-pause is %v, expected 0 or more", c.MinPause)
	case c.MaxConcurrent < 1:
		return fmt.Errorf("execution.checkpointing.max-concurrent-checkpoints is %d, expected 1 or more", c.MaxConcurrent)
	case c.Keep < 1:
		return fmt.Errorf("number of checkpoints to keep is %d, expected 1 or more", c.Keep)
	case c.Next < 1:
		return fmt.Errorf("next checkpoint is %d, expected 1 or more", c.Next)
	case len(c.Subtasks) == 0:
		return fmt.Errorf("a job without subtasks cannot be checkpointed")
	}
	return c.validateSubtasks()
}

func (c *Config) validateSubtasks() error {
	seen := make(map[Subtask]bool, len(c.Subtasks))
	for _, s := range c.Subtasks {
		if seen[s] {
			return fmt.Errorf("subtask %v is listed twice", s)
		}
		seen[s] = true
	}
	for _, s := range c.Sources {
		if !seen[s] {
			return fmt.Errorf("source %v is not among the subtasks", s)
		}
	}
	return nil
}

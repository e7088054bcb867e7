package physical

import (
	"time"

	"github.com/sqlstream/sqlstream/connectors"
)

// MiniBatch is table.exec.mini-batch.enabled.
type MiniBatch uint8

const (
	MiniBatchUnset MiniBatch = iota // one change per key and input batch
	MiniBatchOn                     // held up to the latency and size
	MiniBatchOff                    // row by row, as Flink does by default
)

// Config is what the session says to a plan. The zero value is usable but for
// Zone.
type Config struct {
	JobName     string         // pipeline.name
	Parallelism int            // parallelism.default; 0 counts as 1
	Zone        *time.Location // table.local-time-zone

	StateTTL    time.Duration // table.exec.state.ttl; 0: kept for ever
	IdleTimeout time.Duration // table.exec.source.idle-timeout; 0: never

	MiniBatch        MiniBatch
	MiniBatchLatency time.Duration
	MiniBatchSize    int64

	DropNulls bool // table.exec.sink.not-null-enforcer = DROP

	CheckpointInterval time.Duration // 0: none
	MaxConcurrent      int           // checkpoints in flight
}

func (c Config) parallelism() int { return max(c.Parallelism, 1) }

func (c Config) env() connectors.Env {
	return connectors.Env{JobName: c.JobName, Zone: c.Zone, CheckpointInterval: c.CheckpointInterval, MaxConcurrent: c.MaxConcurrent}
}

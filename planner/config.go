// Package planner turns bound statements into the physical plan of a job.
// Package bind makes the logical plan, build the graph that runs.
package planner

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Config is what the session says to a plan.
type Config = physical.Config

// setting reads one SET key.
type setting struct {
	key  string
	read func(*Config, string) error
}

// settings are the keys that change a plan. Keys that only the session or
// the runtime reads are theirs.
var settings = []setting{
	{"pipeline.name", func(c *Config, v string) error { c.JobName = v; return nil }},
	{"parallelism.default", readParallelism},
	{"table.exec.resource.default-parallelism", readParallelism},
	{"table.local-time-zone", readZone},
	{"table.exec.state.ttl", duration(func(c *Config) *time.Duration { return &c.StateTTL })},
	{"table.exec.source.idle-timeout", duration(func(c *Config) *time.Duration { return &c.IdleTimeout })},
	{"table.exec.mini-batch.enabled", readMiniBatch},
	{"table.exec.mini-batch.allow-latency", duration(func(c *Config) *time.Duration { return &c.MiniBatchLatency })},
	{"table.exec.mini-batch.size", readMiniBatchSize},
	{"table.exec.sink.not-null-enforcer", readEnforcer},
	{"execution.checkpointing.interval", duration(func(c *Config) *time.Duration { return &c.CheckpointInterval })},
	{"execution.checkpointing.max-concurrent-checkpoints", readConcurrent},
}

// ConfigOf reads a session's settings; keys that no plan depends on are left
// alone. The error names the key.
func ConfigOf(set map[string]string) (Config, error) {
	c := Config{Parallelism: 1, Zone: time.UTC, MiniBatchSize: -1, MaxConcurrent: 1}
	for _, s := range settings {
		v, ok := set[s.key]
		if !ok {
			continue
		}
		if err := s.read(&c, strings.TrimSpace(v)); err != nil {
			return Config{}, fmt.Errorf("'%s' = '%s': %w", s.key, v, err)
		}
	}
	if c.MiniBatch == physical.MiniBatchOn && (c.MiniBatchLatency <= 0 || c.MiniBatchSize <= 0) {
		return Config{}, fmt.Errorf("'table.exec.mini-batch.enabled' = 'true' needs 'table.exec.mini-batch.allow-latency' and 'table.exec.mini-batch.size' above 0")
	}
	return c, nil
}

// SettingKeys are the keys that ConfigOf reads, sorted, for completion and
// for naming the nearest one to a misspelt key.
func SettingKeys() []string {
	var keys []string
	for _, s := range settings {
		keys = append(keys, s.key)
	}
	sort.Strings(keys)
	return keys
}

func duration(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, v string) (err error) {
		*field(c), err = connectors.ParseDuration(v)
		return err
	}
}

func readParallelism(c *Config, v string) error {
	n, err := strconv.Atoi(v)
	if n == -1 && err == nil {
		return nil
	}
	if err != nil || n < 1 || n > 128 {
		return fmt.Errorf("expected a number from 1 to 128")
	}
	c.Parallelism = n
	return nil
}

func readZone(c *Config, v string) error {
	zone, err := ParseZone(v)
	if err == nil {
		c.Zone = zone
	}
	return err
}

// ParseZone reads a time zone: a name ("Europe/Berlin"), "UTC", "default", or
// an offset ("GMT+01:00", "+01:00").
func ParseZone(v string) (*time.Location, error) {
	if v == "default" {
		return time.UTC, nil
	}
	for _, prefix := range []string{"GMT", "UTC", ""} {
		if rest, ok := strings.CutPrefix(v, prefix); ok {
			if t, err := time.Parse("-07:00", rest); err == nil {
				_, offset := t.Zone()
				return time.FixedZone(v, offset), nil
			}
		}
	}
	zone, err := time.LoadLocation(v)
	if err != nil || v == "" || v == "Local" {
		return nil, fmt.Errorf("unknown time zone; expected a name such as 'Europe/Berlin' or 'UTC', or an offset such as 'GMT+01:00'")
	}
	return zone, nil
}

func readMiniBatch(c *Config, v string) error {
	switch strings.ToLower(v) {
	case "true":
		c.MiniBatch = physical.MiniBatchOn
	case "false":
		c.MiniBatch = physical.MiniBatchOff
	default:
		return fmt.Errorf("expected 'true' or 'false'")
	}
	return nil
}

func readMiniBatchSize(c *Config, v string) error {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return fmt.Errorf("expected a number of rows")
	}
	c.MiniBatchSize = n
	return nil
}

func readEnforcer(c *Config, v string) error {
	switch strings.ToLower(v) {
	case "error":
		c.DropNulls = false
	case "drop":
		c.DropNulls = true
	default:
		return fmt.Errorf("expected 'error' or 'drop'")
	}
	return nil
}

func readConcurrent(c *Config, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return fmt.Errorf("expected a number from 1")
	}
	c.MaxConcurrent = n
	return nil
}

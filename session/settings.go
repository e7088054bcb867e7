package session

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/planner"
)

// runtime is what SET keys say to the runtime.
type runtime struct {
	exec.CheckpointConfig
	restart   exec.RestartStrategy
	watermark time.Duration
	rowMode   bool
	wait      bool // table.dml-sync
}

// runtimeKeys are the keys read here, with Flink's defaults where it has
// them.
var runtimeKeys = map[string]string{
	"execution.checkpointing.interval":                     "",
	"execution.checkpointing.timeout":                      "10 min",
	"execution.checkpointing.min-pause":                    "0 ms",
	"execution.checkpointing.max-concurrent-checkpoints":   "1",
	"execution.checkpointing.tolerable-failed-checkpoints": "0",
	"state.checkpoints.num-retained":                       "3",
	"pipeline.auto-watermark-interval":                     "200 ms",
	"table.dml-sync":                                       "false",
	"table.exec.mini-batch.enabled":                        "",
	"execution.runtime-mode":                               "streaming",
	"execution.checkpointing.mode":                         "EXACTLY_ONCE",
	"sql-client.execution.result-mode":                     "tableau",
	"sql-client.verbose":                                   "false",
	"execution.attached":                                   "true",
	"table.sql-dialect":                                    "default",
	"sql-client.execution.max-table-result.rows":           "1000000",
}

func init() {
	for _, k := range exec.RestartKeys {
		runtimeKeys[k[0]] = k[1]
	}
}

// Settings are all keys that mean something, sorted, for completion and to
// name the nearest one.
func Settings() []string {
	seen := map[string]bool{}
	for _, k := range planner.SettingKeys() {
		seen[k] = true
	}
	for k := range runtimeKeys {
		seen[k] = true
	}
	keys := make([]string, 0, len(seen))
	for k := range seen {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// reader reads settings and keeps the first error.
type reader struct {
	set map[string]string
	err error
}

func (r *reader) text(key string) string {
	if v, ok := r.set[key]; ok {
		return strings.TrimSpace(v)
	}
	return runtimeKeys[key]
}

func (r *reader) fail(key string, err error) {
	if r.err == nil && err != nil {
		r.err = userError("'%s' = '%s': %w", key, r.text(key), err)
	}
}

func (r *reader) duration(key string) time.Duration {
	if r.text(key) == "" {
		return 0
	}
	d, err := connectors.ParseDuration(r.text(key))
	r.fail(key, err)
	return d
}

func (r *reader) int(key string) int {
	n, err := strconv.Atoi(r.text(key))
	if err != nil {
		err = fmt.Errorf("expected a number")
	}
	r.fail(key, err)
	return n
}

func (r *reader) bool(key string) bool {
	switch strings.ToLower(r.text(key)) {
	case "true":
		return true
	case "false", "":
		return false
	}
	r.fail(key, fmt.Errorf("expected 'true' or 'false'"))
	return false
}

// runtimeOf reads what the runtime is told.
func runtimeOf(set map[string]string) (runtime, error) {
	r := &reader{set: set}
	rt := runtime{
		CheckpointConfig: exec.CheckpointConfig{
			Interval:        r.duration("execution.checkpointing.interval"),
			Timeout:         r.duration("execution.checkpointing.timeout"),
			MinPause:        r.duration("execution.checkpointing.min-pause"),
			MaxConcurrent:   r.int("execution.checkpointing.max-concurrent-checkpoints"),
			TolerableFailed: r.int("execution.checkpointing.tolerable-failed-checkpoints"),
			Keep:            r.int("state.checkpoints.num-retained"),
		},
		restart:   r.restart(),
		watermark: r.duration("pipeline.auto-watermark-interval"),
		wait:      r.bool("table.dml-sync"),
	}
	if v, ok := set["table.exec.mini-batch.enabled"]; ok {
		rt.rowMode = strings.EqualFold(strings.TrimSpace(v), "false")
	}
	r.modes()
	return rt, r.err
}

func (r *reader) restart() exec.RestartStrategy {
	s, err := exec.ParseRestart(func(key string) (string, bool) { v, ok := r.set[key]; return strings.TrimSpace(v), ok }, connectors.ParseDuration)
	if r.err == nil && err != nil {
		r.err = &Error{Kind: User, Err: err}
	}
	return s
}

// modes checks keys that have one value here.
func (r *reader) modes() {
	const mode = "execution.runtime-mode"
	if v := r.text(mode); !strings.EqualFold(v, "streaming") && r.err == nil {
		if strings.EqualFold(v, "batch") || strings.EqualFold(v, "automatic") {
			r.err = &Error{Kind: Unsupported, Err: fmt.Errorf("'%s' = '%s' is not supported yet; bounded sources end a streaming job too", mode, v)}
			return
		}
		r.fail(mode, fmt.Errorf("expected 'streaming'"))
	}
}

// set checks and keeps one setting.
func (s *Session) set(key, value string) error {
	next := map[string]string{}
	for k, v := range s.settings {
		next[k] = v
	}
	next[key] = value
	if _, err := planner.ConfigOf(next); err != nil && !strings.Contains(key, "mini-batch") {
		return &Error{Kind: User, Err: err}
	}
	if _, err := runtimeOf(next); err != nil {
		return err
	}
	if key == resultMode && !slices.Contains(settingValues[key], strings.ToLower(value)) {
		return userError("'%s' = '%s': expected one of %s", key, value, strings.Join(settingValues[key], ", "))
	}
	s.settings = next
	if known(key) {
		return nil
	}
	note := fmt.Sprintf("note: nothing reads '%s'", key)
	if near := connectors.Nearest(key, Settings()); near != "" {
		note += fmt.Sprintf("; did you mean '%s'?", near)
	}
	s.out.Notice(note)
	return nil
}

func known(key string) bool {
	for _, k := range Settings() {
		if k == key {
			return true
		}
	}
	return false
}

package session

import (
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/build"
)

// TestWhySilent: the split that holds windows back is named, and only where
// something waits for event time.
func TestWhySilent(t *testing.T) {
	source := func(uid, watermark string, idle time.Duration) build.Source {
		return build.Source{UID: uid, Table: "t" + uid, Watermark: watermark, IdleTimeout: idle}
	}
	split := func(uid, id string, mark types.Time) exec.SplitStatus {
		return exec.SplitStatus{UID: uid, ID: id, Watermark: mark}
	}
	idle := func(s exec.SplitStatus) exec.SplitStatus { s.Idle = true; return s }
	plain, timed := source("1", "", 0), source("2", "ts - 5", 0)
	for _, c := range []struct {
		name      string
		sources   []build.Source
		splits    []exec.SplitStatus
		want, not string
	}{
		{"no event time", []build.Source{plain}, []exec.SplitStatus{split("1", "a-0", types.MinTime)}, "makes a row", "holds"},
		{"empty split", []build.Source{timed}, []exec.SplitStatus{split("2", "b-0", 1000), split("2", "b-1", types.MinTime)},
			"split b-1 of t2 has no record and holds windows back; with 'table.exec.source.idle-timeout'", "b-0"},
		{"other source", []build.Source{plain, timed}, []exec.SplitStatus{split("1", "a-0", types.MinTime), split("2", "b-0", 1000)},
			"the watermark of t2 is 1970-01-01 00:00:01.000; a window fires", "a-0"},
		{"slow split", []build.Source{timed}, []exec.SplitStatus{split("2", "b-0", 5000), split("2", "b-1", 1000)}, "held by split b-1 of t2", "b-0"},
		{"time-out set", []build.Source{source("2", "ts", 5*time.Second)}, []exec.SplitStatus{split("2", "b-0", 5000), split("2", "b-1", types.MinTime)},
			"it counts as idle after 5s", "idle-timeout"},
		{"all idle", []build.Source{timed}, []exec.SplitStatus{idle(split("2", "b-0", 5000))}, "all splits are idle", "holds"},
	} {
		st := exec.Status{Splits: c.splits, Nodes: []exec.NodeStatus{{Kind: "source", Subtasks: []exec.SubtaskStatus{{RowsIn: 7}}}}}
		got := WhySilent(st, c.sources)
		if !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: %q; want %q in it, not %q", c.name, got, c.want, c.not)
		}
	}
}

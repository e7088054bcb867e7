package exec_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors/blackhole"
	"github.com/sqlstream/sqlstream/connectors/conntest"
	"github.com/sqlstream/sqlstream/connectors/datagen"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/exectest"
)

// generated is datagen → blackhole: 10 rows a second by the given clock.
func generated(t *testing.T, options map[string]string) *exec.Graph {
	t.Helper()
	table := conntest.Table(t, datagen.Connector, nil, "id BIGINT, name STRING", options)
	scan := conntest.AllColumns(table)
	source, err := datagen.Connector.Source(table)
	if err != nil {
		t.Fatal(err)
	}
	in, err := source.Scan(scan)
	if err != nil {
		t.Fatal(err)
	}
	target, err := blackhole.Connector.Sink(conntest.Table(t, blackhole.Connector, nil, "id BIGINT, name STRING", nil))
	if err != nil {
		t.Fatal(err)
	}
	out, err := target.Sink()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Graph{Name: "generated", Nodes: []*exec.Node{
		{UID: "datagen", Name: "datagen", Parallelism: 1, Output: scan.Output, Source: &exec.SourceNode{Source: in, Bounded: source.Bounded()}},
		{UID: "blackhole", Name: "blackhole", Parallelism: 1, Inputs: []exec.Edge{{From: 0}}, Sink: &exec.SinkNode{Sink: out, Guarantee: target.Guarantee()}},
	}}
}

// rowsIn is the number of rows that the sink has taken.
func rowsIn(j *exec.Job) int64 { return j.Status().Nodes[1].Subtasks[0].RowsIn }

func TestPeriodicCheckpointsByTheClock(t *testing.T) {
	clock, dir := exectest.NewClock(), checkpoint.NewMemDir()
	resumed := 0 // row from which the job resumes
	start := func() *exec.Job {
		t.Helper()
		store, err := dir.Open(checkpoint.Job{Name: "generated"})
		if err != nil {
			t.Fatal(err)
		}
		m, err := store.Latest()
		if err != nil {
			t.Fatal(err)
		}
		if m != nil {
			resumed, _ = strconv.Atoi(string(m.Sources[0].Splits[0].Position))
		}
		g := generated(t, map[string]string{"rows-per-second": "10", "number-of-rows": "100"})
		j, err := exec.Run(context.Background(), g, exec.Config{
			Store: store, Clock: clock, Checkpoint: exec.CheckpointConfig{Interval: 2 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Cancel(); j.Wait() })
		until(t, "the job runs", func() bool { return j.Status().State == exec.Running })
		return j
	}
	j := start()
	for second := range int64(6) {
		clock.Advance(time.Second)
		until(t, "rows come at their rate", func() bool { return rowsIn(j) == 10*(second+1) })
		until(t, "a checkpoint every 2 s", func() bool { return int64(j.Status().Progress.Completed) == (second+1)/2 })
	}
	clock.Advance(time.Second)
	until(t, "rows after the last checkpoint", func() bool { return rowsIn(j) == 70 })
	j.Cancel()
	waitFor(j)
	dir.Crash()
	j = start()
	if resumed < 50 || resumed > 60 {
		t.Fatalf("resumed from row %d; the last checkpoint was due between 50 and 60", resumed)
	}
	for rows := int64(0); rows < int64(100-resumed); {
		clock.Advance(time.Second)
		rows = min(rows+10, int64(100-resumed))
		until(t, "rows after the restore", func() bool { return rowsIn(j) == rows })
	}
	if err := waitFor(j); err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

//go:embed sql/*.sql
var files embed.FS

// figures of one query.
type figures struct {
	Query       string  `json:"query"`
	Events      int     `json:"events"`
	Rows        int64   `json:"rows"`
	Correct     bool    `json:"correct"`
	Interval    string  `json:"checkpoint_interval"`
	Checkpoints int     `json:"checkpoints"`
	CPUSeconds  float64 `json:"cpu_seconds"`
	WallSeconds float64 `json:"wall_seconds"`
	PerCPU      float64 `json:"events_per_cpu_second"`
	Target      float64 `json:"first_target"`
	PeakMB      int64   `json:"peak_mb"`
	// Of several runs this is the middle one; Lowest and Highest are those of
	// events per CPU-second.
	Runs    int     `json:"runs"`
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
}

// middle is the run with the median CPU time. A run that does not count makes
// the whole not count.
func middle(runs []figures) figures {
	slices.SortFunc(runs, func(a, b figures) int { return cmp.Compare(a.CPUSeconds, b.CPUSeconds) })
	f := runs[len(runs)/2]
	f.Runs, f.Highest, f.Lowest = len(runs), runs[0].PerCPU, runs[len(runs)-1].PerCPU
	for _, r := range runs {
		f.Correct = f.Correct && r.Correct
		f.Checkpoints = min(f.Checkpoints, r.Checkpoints)
	}
	return f
}

// counts: a figure counts only with the right output and at least three
// periodic checkpoints inside the run.
func (f figures) counts() bool { return f.Correct && f.Checkpoints >= 4 }

var completed = regexp.MustCompile(`(\d+) checkpoints`)

// measure runs one query to the end of the topic and checks what it wrote.
func (c *cluster) measure(ctx context.Context, o options, q query, run int, want digest) (figures, error) {
	f := figures{Query: q.name, Events: o.events, Interval: o.interval.String(), Target: q.target}
	folder, err := os.MkdirTemp("", "sqlstream-bench-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(folder)
	job, err := writeJob(folder, q.name)
	if err != nil {
		return f, err
	}
	args := []string{"run", job, "--state-dir", filepath.Join(folder, "state"),
		"--define", "query=" + q.topic(run), "--define", "bootstrap=" + c.bootstrap, "--define", fmt.Sprintf("interval=%d ms", o.interval.Milliseconds())}
	if o.profile != "" {
		args = append(args, "--cpuprofile", filepath.Join(o.profile, q.name+".prof"))
	}
	cmd := exec.CommandContext(ctx, o.binary, args...)
	var log bytes.Buffer
	cmd.Stderr = &log
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return f, err
	}
	peak := watchPeak(cmd.Process.Pid)
	err = cmd.Wait()
	f.PeakMB = peak()
	if err != nil {
		return f, fmt.Errorf("%w\n%s", err, log.String())
	}
	f.WallSeconds = time.Since(begin).Seconds()
	f.CPUSeconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	f.PerCPU = float64(o.events) / f.CPUSeconds
	if m := completed.FindSubmatch(log.Bytes()); m != nil {
		f.Checkpoints, _ = strconv.Atoi(string(m[1]))
	}
	got, err := c.read(ctx, q.topic(run), q.upsert)
	if err != nil {
		return f, err
	}
	f.Rows, f.Correct = got.rows, got == want
	if !f.Correct {
		fmt.Fprintf(os.Stderr, "%s: %s, expected %s\n", q.name, got, want)
	}
	return f, c.drop(ctx, q.topic(run))
}

// rate is K events per CPU-second, of several runs with their range.
func (f figures) rate() string {
	if f.Runs == 1 {
		return fmt.Sprintf("%.0f", f.PerCPU/1000)
	}
	return fmt.Sprintf("%.0f (%.0f–%.0f)", f.PerCPU/1000, f.Lowest/1000, f.Highest/1000)
}

// writeJob joins the common head and the query.
func writeJob(folder, name string) (string, error) {
	var text []byte
	for _, part := range []string{"head", name} {
		b, err := files.ReadFile("sql/" + part + ".sql")
		if err != nil {
			return "", err
		}
		text = append(text, b...)
	}
	path := filepath.Join(folder, name+".sql")
	return path, os.WriteFile(path, text, 0o644)
}

func report(w io.Writer, o options, rows []figures) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0
	t.AppendHeader(table.Row{"query", "events", "rows out", "output", "checkpoints (every)", "CPU s", "wall s", "K events per CPU-second", "first target", "peak MB", ""})
	for _, f := range rows {
		output, note := "as expected", ""
		if !f.Correct {
			output = "WRONG"
		}
		if !f.counts() {
			note = "does not count: wrong, or fewer than 3 periodic checkpoints"
		}
		t.AppendRow(table.Row{f.Query, f.Events, f.Rows, output, fmt.Sprintf("%d (%s)", f.Checkpoints, f.Interval), fmt.Sprintf("%.2f", f.CPUSeconds),
			fmt.Sprintf("%.2f", f.WallSeconds), f.rate(), fmt.Sprintf("%.0f", f.Target/1000), f.PeakMB, note})
	}
	t.Render()
	fmt.Fprintf(w, "seed %d, %d events a second of event time, parallelism 1, exactly-once, JSON in and out\n", o.seed, o.perSecond)
}

package exectest

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Engine describes a job between feeds and a ledger, for engine scripts.
type Engine struct {
	// Inputs are the feeds, nodes 0, 1 … of the graph. Each has one split, "0",
	// unless Splits says more ("0", "1", …).
	Inputs []EngineInput
	// Nodes are the operators, after the feeds; the last one's rows go to the
	// ledger. Called at each start with the parallelism wanted.
	Nodes  func(parallelism int) []*exec.Node
	Output []types.Field
	Upsert []int // key, if the output is an upsert stream
	Config exec.Config
}

// EngineInput is a feed of an engine script.
type EngineInput struct {
	Name    string
	Columns string
	Splits  int
}

// RunEngine runs an engine script: a datadriven file whose commands drive a
// job in row mode, with an exactly-once sink and a fake clock.
//
//	rows NAME [split=S]     the lines below are appended to a feed
//	watermark T [in=NAME] [split=S]  ends event time up to T there (everywhere)
//	checkpoint              takes one; prints what has become visible
//	crash                   kills the process, forgets what is not durable, starts again
//	fail                    an error of a source: a restart inside the process
//	rescale N               stops with a checkpoint, starts with parallelism N
//	stop                    stops with a checkpoint, starts again; prints what has become visible
//	drain                   the same, but event time ends; the script is over
//	end                     ends all feeds; prints what has become visible
//	now T                   moves processing time to T
//	table                   prints the final table so far
//
// Lines are sorted if their order is not defined (several inputs, splits or
// subtasks). After the file, the job is drained and its changelog checked.
func RunEngine(t *testing.T, path string, e Engine) {
	t.Helper()
	r := &engineRun{t: t, e: e, parallelism: 1, clock: NewClock(), dir: checkpoint.NewMemDir(), ledger: NewLedger(e.Output)}
	for _, in := range e.Inputs {
		var splits []string
		for s := range max(in.Splits, 1) {
			splits = append(splits, fmt.Sprint(s))
		}
		r.feeds = append(r.feeds, NewFeed(Columns(in.Columns), splits...))
		r.unordered = r.unordered || len(splits) > 1
	}
	r.unordered = r.unordered || len(e.Inputs) > 1
	defer r.kill()
	r.start()
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return r.command(d) })
	if _, err := Fold(r.ledger.Visible(), e.Upsert); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

type engineRun struct {
	t           *testing.T
	e           Engine
	parallelism int
	unordered   bool
	clock       *Clock
	dir         *checkpoint.MemDir
	store       checkpoint.Store
	feeds       []*Feed
	ledger      *Ledger
	job         *exec.Job
}

func (r *engineRun) graph() *exec.Graph {
	g := &exec.Graph{Name: "script"}
	for i, f := range r.feeds {
		g.Nodes = append(g.Nodes, f.Node(fmt.Sprintf("feed%d", i), min(r.parallelism, len(f.splits))))
	}
	g.Nodes = append(g.Nodes, r.e.Nodes(r.parallelism)...)
	last := len(g.Nodes) - 1
	p := g.Nodes[last].Parallelism
	g.Nodes = append(g.Nodes, r.ledger.Node("ledger", p, exec.Edge{From: last}))
	return g
}

func (r *engineRun) start() {
	r.t.Helper()
	s, err := r.dir.Open(checkpoint.Job{Name: "script", Hash: "script"})
	if err != nil {
		r.t.Fatal(err)
	}
	cfg := r.e.Config
	cfg.Store, cfg.Clock, cfg.RowMode = s, r.clock, true
	if cfg.Restart == nil {
		cfg.Restart = &exec.FixedDelay{Attempts: 100}
	}
	r.store = s
	for _, f := range r.feeds {
		f.Forget()
	}
	if r.job, err = exec.Run(context.Background(), r.graph(), cfg); err != nil {
		r.t.Fatal(err)
	}
}

func (r *engineRun) kill() {
	if r.job != nil {
		r.job.Cancel()
		r.job.Wait()
		r.job = nil
	}
}

const scriptLimit = 20 * time.Second

// settle waits until the job has read all feeds.
func (r *engineRun) settle() {
	for i, f := range r.feeds {
		if !f.AwaitRead(scriptLimit) {
			select {
			case <-r.job.Done():
				r.t.Fatalf("the job is over: %v", r.job.Wait())
			default:
				r.t.Fatalf("feed %s is not read", r.e.Inputs[i].Name)
			}
		}
	}
}

func (r *engineRun) command(d *datadriven.TestData) string {
	switch d.Cmd {
	case "rows":
		return r.rows(d)
	case "watermark":
		return r.watermark(d)
	case "now":
		at, err := ParseTime(argument(d))
		if err != nil {
			return "error: " + err.Error()
		}
		r.settle()
		r.clock.Advance(time.UnixMilli(int64(at)).Sub(r.clock.Now()))
		return ""
	case "table":
		rows, err := Fold(r.ledger.Visible(), r.e.Upsert)
		if err != nil {
			return "error: " + err.Error()
		}
		return lines(rows)
	}
	if r.job == nil {
		return "error: the job is over"
	}
	return r.control(d)
}

func argument(d *datadriven.TestData) string {
	var words []string
	for _, a := range d.CmdArgs {
		if len(a.Vals) == 0 {
			words = append(words, a.Key)
		}
	}
	return strings.Join(words, " ")
}

func (r *engineRun) control(d *datadriven.TestData) string {
	switch d.Cmd {
	case "checkpoint":
		r.settle()
		ctx, cancel := context.WithTimeout(context.Background(), scriptLimit)
		defer cancel()
		if _, err := r.job.Checkpoint(ctx, checkpoint.Periodic); err != nil {
			return "error: " + err.Error()
		}
	case "crash":
		r.settle()
		r.kill()
		r.dir.Crash()
		r.start()
	case "fail":
		r.settle()
		r.feeds[0].Fail(fmt.Errorf("the source failed"))
	case "rescale":
		n := 0
		if _, err := fmt.Sscan(argument(d), &n); err != nil || n < 1 {
			return "error: expected rescale N"
		}
		r.parallelism = n
		return r.finish(false, true)
	case "stop":
		return r.finish(false, true)
	case "drain":
		return r.finish(true, false)
	case "end":
		for _, f := range r.feeds {
			f.EndAll()
		}
		return r.await(false)
	default:
		return "error: unknown command " + d.Cmd
	}
	return r.news()
}

// finish stops the job, and starts the next one.
func (r *engineRun) finish(drain, again bool) string {
	r.settle()
	r.job.Stop(drain)
	return r.await(again)
}

func (r *engineRun) await(again bool) string {
	select {
	case <-r.job.Done():
	case <-time.After(scriptLimit):
		r.t.Fatal("the job does not end")
	}
	err := r.job.Wait()
	r.job = nil
	if cerr := r.store.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "error: " + err.Error()
	}
	if again {
		r.start()
	}
	return r.news()
}

// news is what has become visible.
func (r *engineRun) news() string {
	l := r.ledger.Take()
	if r.unordered || r.parallelism > 1 {
		sort.Strings(l)
	}
	return lines(l)
}

func lines(l []string) string {
	if len(l) == 0 {
		return ""
	}
	return strings.Join(l, "\n") + "\n"
}

func (r *engineRun) feed(name string) (*Feed, error) {
	for i, in := range r.e.Inputs {
		if in.Name == name {
			return r.feeds[i], nil
		}
	}
	return nil, fmt.Errorf("there is no input %q", name)
}

func split(d *datadriven.TestData) string {
	if d.HasArg("split") {
		for _, a := range d.CmdArgs {
			if a.Key == "split" && len(a.Vals) == 1 {
				return a.Vals[0]
			}
		}
	}
	return "0"
}

func (r *engineRun) rows(d *datadriven.TestData) string {
	f, err := r.feed(argument(d))
	if err != nil {
		return "error: " + err.Error()
	}
	b, err := Rows(f.Fields, d.Input)
	if err != nil {
		return "error: " + err.Error()
	}
	// One input's rows are processed before another's come, so that scripts
	// with several inputs have one outcome.
	f.Add(split(d), b)
	if r.job != nil {
		r.settle()
	}
	return ""
}

func (r *engineRun) watermark(d *datadriven.TestData) string {
	at, err := ParseTime(argument(d))
	if err != nil {
		return "error: " + err.Error()
	}
	feeds := r.feeds
	if d.HasArg("in") {
		var name string
		d.ScanArgs(r.t, "in", &name)
		f, err := r.feed(name)
		if err != nil {
			return "error: " + err.Error()
		}
		feeds = []*Feed{f}
	}
	for _, f := range feeds {
		if d.HasArg("split") {
			f.Watermark(split(d), at)
			continue
		}
		for s := range f.splits {
			f.Watermark(s, at)
		}
	}
	r.settle()
	return ""
}

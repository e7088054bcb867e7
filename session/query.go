package session

import (
	"context"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/build"
)

// query streams the rows of a SELECT until it ends or ctx does.
func (s *Session) query(ctx context.Context, st *ast.QueryStmt) error {
	p, err := s.plan(st)
	if err != nil {
		return err
	}
	c := &collector{out: s.out}
	g, sum, err := s.graph(p, c)
	if err != nil {
		return err
	}
	return s.collect(ctx, p, g, sum, c)
}

func (s *Session) collect(ctx context.Context, p *Plan, g *exec.Graph, sum *build.Summary, c *collector) error {
	begin := time.Now()
	if err := s.out.Begin(sum.Output, !sum.Append); err != nil {
		return err
	}
	// A query starts anew each time, and is not tried again: its rows have been
	// shown.
	cfg := s.runConfig(p)
	cfg.Restart, cfg.Checkpoint.Interval = exec.NoRestart{}, 0
	job, err := exec.Run(ctx, g, cfg)
	if err == nil {
		if s.opt.OnQuery != nil {
			s.opt.OnQuery(&Query{job, c, sum.Sources})
		}
		err = job.Wait()
	}
	cancelled := ctx.Err() != nil
	if cancelled {
		err = nil
	}
	end := s.out.End(Summary{Rows: c.rows, Elapsed: time.Since(begin), Cancelled: cancelled, Failed: err != nil, Streamed: true})
	if err != nil {
		return runtimeError(err)
	}
	return end
}

// runConfig is what a job of the plan runs with, but for its store.
func (s *Session) runConfig(p *Plan) exec.Config {
	return exec.Config{
		JobName: p.Name, JobHash: p.Hash, Clock: s.opt.Clock, Log: s.opt.Log, Checkpoint: p.runtime.CheckpointConfig,
		Restart: p.runtime.restart, WatermarkInterval: p.runtime.watermark, RowMode: p.runtime.rowMode,
		MemoryLimit: s.opt.MemoryLimit, Fresh: s.opt.Fresh,
	}
}

// collector hands rows to the session's output. Writers of several subtasks
// share it.
type collector struct {
	mu   sync.Mutex
	out  Output
	rows int64
}

// Query is a SELECT that runs.
type Query struct {
	job     *exec.Job
	c       *collector
	sources []build.Source
}

// Rows is how many rows or changes have come.
func (q *Query) Rows() int64 {
	q.c.mu.Lock()
	defer q.c.mu.Unlock()
	return q.c.rows
}

// WhySilent looks for the reason that no rows come.
func (q *Query) WhySilent() string { return WhySilent(q.job.Status(), q.sources) }

// WhySilent looks for the reason that a job puts nothing out; "" if it does
// put rows out.
func (j *Job) WhySilent() string {
	st := j.Status()
	if _, out, _, _ := Counts(st); out > 0 {
		return ""
	}
	return WhySilent(st, j.Summary.Sources)
}

func (c *collector) Writer(context.Context, exec.SinkContext) (exec.Writer, error) {
	return collecting{c}, nil
}

type collecting struct{ *collector }

func (c collecting) Write(_ context.Context, b *vec.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows += int64(b.Len())
	return c.out.Rows(b)
}

func (collecting) Flush(context.Context) error { return nil }
func (collecting) Close() error                { return nil }

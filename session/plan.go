package session

import (
	"bytes"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/build"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// DefaultInterval is the checkpoint interval of a job with an exactly-once
// sink that sets none.
const DefaultInterval = 10 * time.Second

const intervalKey = "execution.checkpointing.interval"

// Plan is a planned statement.
type Plan struct {
	*physical.Plan
	Name string // of the job
	// DefaultedInterval: the checkpoint interval is ours, because an
	// exactly-once sink needs one.
	DefaultedInterval bool
	runtime           runtime
}

// plan plans a query, an INSERT or a statement set.
func (s *Session) plan(st ast.Statement) (*Plan, error) {
	b, cfg, err := s.binder()
	if err != nil {
		return nil, err
	}
	p := &Plan{Name: cfg.JobName}
	if p.runtime, err = runtimeOf(s.settings); err != nil {
		return nil, err
	}
	if q, ok := st.(*ast.QueryStmt); ok {
		return p, s.planQuery(p, b, q, cfg)
	}
	inserts := insertsOf(st)
	if p.Name == "" {
		p.Name = "insert-into_" + inserts[0].Target.Name.Last()
	}
	cfg.JobName = p.Name
	_, set := s.settings[intervalKey]
	if !set {
		cfg.CheckpointInterval = DefaultInterval
	}
	if err := planInserts(p, b, inserts, cfg); err != nil {
		return nil, err
	}
	switch exactlyOnce := needsInterval(p.Plan); {
	case !exactlyOnce && !set:
		cfg.CheckpointInterval = 0
		return p, planInserts(p, b, inserts, cfg)
	case !exactlyOnce || cfg.CheckpointInterval > 0 && set:
		return p, nil
	case set:
		return nil, perr.New(st.Position(), "an exactly-once sink needs checkpoints, but '%s' is 0", intervalKey).
			WithHint("SET '%s' = '10 s', or 'sink.semantic' = 'at-least-once'", intervalKey)
	}
	p.DefaultedInterval, p.runtime.Interval = true, DefaultInterval
	return p, nil
}

func (s *Session) planQuery(p *Plan, b *bind.Binder, q *ast.QueryStmt, cfg planner.Config) error {
	if p.Name == "" {
		p.Name = "select"
	}
	cfg.JobName = p.Name
	l, err := b.Query(q.Query)
	if err != nil {
		return err
	}
	p.Plan, err = planner.PlanQuery(l, cfg)
	return err
}

func insertsOf(st ast.Statement) []*ast.Insert {
	switch st := st.(type) {
	case *ast.Insert:
		return []*ast.Insert{st}
	case *ast.StatementSet:
		return st.Inserts
	}
	panic(fmt.Sprintf("session: %T is no INSERT", st))
}

func planInserts(p *Plan, b *bind.Binder, inserts []*ast.Insert, cfg planner.Config) error {
	sinks := make([]*logical.Sink, len(inserts))
	for i, ins := range inserts {
		var err error
		if sinks[i], err = b.Insert(ins); err != nil {
			return err
		}
	}
	var err error
	p.Plan, err = planner.PlanInserts(sinks, cfg)
	return err
}

// needsInterval: exactly-once sinks commit when a checkpoint is complete.
func needsInterval(p *physical.Plan) bool {
	for _, n := range p.Nodes {
		if s, ok := n.Op.(*physical.Sink); ok && s.Sink.Guarantee() == exec.ExactlyOnce {
			return true
		}
	}
	return false
}

// explain answers EXPLAIN.
func (s *Session) explain(st *ast.Explain) error {
	if _, ok := st.Stmt.(*ast.CreateTable); ok {
		return unsupported(st)
	}
	p, err := s.plan(st.Stmt)
	if err != nil {
		return err
	}
	if err := s.buildable(p); err != nil {
		return err
	}
	text, err := p.Text()
	if err != nil {
		return err
	}
	return s.texts([]string{"result"}, [][]vec.Value{row(text)})
}

// Text is the plan as EXPLAIN prints it.
func (p *Plan) Text() (string, error) {
	var b bytes.Buffer
	err := p.Explain(&b)
	return b.String(), err
}

// buildable refuses what could be planned, but not run.
func (s *Session) buildable(p *Plan) error {
	_, _, err := s.graph(p, &collector{out: s.out})
	return err
}

// graph makes the plan's graph.
func (s *Session) graph(p *Plan, result exec.Sink) (*exec.Graph, *build.Summary, error) {
	return build.Graph(p.Plan, build.Env{Result: result, Capture: s.opt.Capture})
}

package physical

import (
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

func (l *lowerer) window(p *logical.Window) (*Node, error) { return nil, perr.NotYet(p.Pos(), "x") }
func (l *lowerer) groupWindow(p *logical.Aggregate) (*Node, error) {
	return nil, perr.NotYet(p.Pos(), "x")
}
func (l *lowerer) windowAggregate(p *logical.Aggregate) (*Node, error) { return nil, nil }
func (l *lowerer) join(p *logical.Join) (*Node, error)                 { return nil, perr.NotYet(p.Pos(), "x") }
func (l *lowerer) temporalJoin(p *logical.TemporalJoin) (*Node, error) {
	return nil, perr.NotYet(p.Pos(), "x")
}
func (l *lowerer) over(p *logical.Over) (*Node, error)     { return nil, perr.NotYet(p.Pos(), "x") }
func (l *lowerer) rank(p *logical.Rank) (*Node, error)     { return nil, perr.NotYet(p.Pos(), "x") }
func (l *lowerer) sort(p *logical.Sort) (*Node, error)     { return nil, perr.NotYet(p.Pos(), "x") }
func (l *lowerer) setOp(p *logical.SetOp) (*Node, error)   { return nil, perr.NotYet(p.Pos(), "x") }
func (l *lowerer) unnest(p *logical.Unnest) (*Node, error) { return nil, perr.NotYet(p.Pos(), "x") }

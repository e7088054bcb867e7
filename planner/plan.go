package planner

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/planner/rules"
)

// PlanQuery plans a SELECT; its rows go to the sink that is given to
// build.Graph. Errors are *perr.Error where they have a place in the text.
func PlanQuery(q logical.Plan, c Config) (*physical.Plan, error) {
	return plan([]logical.Plan{q}, c)
}

// PlanInserts plans INSERTs as one job; what they share is computed once.
func PlanInserts(sinks []*logical.Sink, c Config) (*physical.Plan, error) {
	roots := make([]logical.Plan, len(sinks))
	for i, s := range sinks {
		roots[i] = s
	}
	return plan(roots, c)
}

func plan(roots []logical.Plan, c Config) (*physical.Plan, error) {
	roots, err := rules.Apply(roots, &fn.Env{Zone: c.Zone})
	if err != nil {
		return nil, err
	}
	return physical.Lower(roots, c)
}

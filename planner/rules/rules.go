// Package rules rewrites logical plans: each rule is one file and keeps the
// meaning of the plan and its output columns.
package rules

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// rule rewrites the plans of one job.
type rule struct {
	name  string
	apply func(c *context, p logical.Plan) (logical.Plan, error)
}

// context is what rules know beside the plan.
type context struct{ env *fn.Env }

// ordered are the rules in the order in which they run, once each over every
// plan.
var ordered = []rule{}

// Apply rewrites the plans of one job.
func Apply(roots []logical.Plan, env *fn.Env) ([]logical.Plan, error) {
	c := &context{env: env}
	out := make([]logical.Plan, len(roots))
	for i, p := range roots {
		for _, r := range ordered {
			var err error
			if p, err = r.apply(c, p); err != nil {
				return nil, err
			}
		}
		out[i] = p
	}
	return out, nil
}

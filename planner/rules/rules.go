// Package rules rewrites logical plans: each rule is one file and keeps the
// meaning of a plan and its output columns.
package rules

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// context is what rules know beside the plans.
type context struct{ env *fn.Env }

// rule rewrites the plan of one statement.
type rule struct {
	name  string
	apply func(*context, logical.Plan) (logical.Plan, error)
}

// ordered are the rules in the order in which they run, once each.
var ordered = []rule{
	{"fold_constants", foldConstants},
	{"flatten_unions", flattenUnions},
	{"push_watermarks", pushWatermarks},
	{"merge_projects", mergeProjects},
	{"simplify_joins", simplifyJoins},
	{"push_filters", pushFilters},
	{"rank", recogniseRank},
	{"drop_watermarks", dropWatermarks},
	{"merge_projects_again", mergeProjects},
	{"known_values", knownValues},
	{"prune_columns", pruneColumns},
}

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
	return shareScans(out), nil
}

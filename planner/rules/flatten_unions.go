package rules

import "github.com/sqlstream/sqlstream/planner/logical"

// flattenUnions makes one UNION ALL of nested ones.
func flattenUnions(_ *context, p logical.Plan) (logical.Plan, error) {
	return simply(p, func(q logical.Plan) logical.Plan {
		u, ok := q.(*logical.SetOp)
		if !ok || u.Kind != logical.Union || !u.All {
			return q
		}
		var in []logical.Plan
		for _, i := range u.In {
			if v, ok := i.(*logical.SetOp); ok && v.Kind == logical.Union && v.All {
				in = append(in, v.In...)
				continue
			}
			in = append(in, i)
		}
		return u.With(in...)
	})
}

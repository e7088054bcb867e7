package build

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/planner/perr"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// factory makes an operator's instances.
type factory = func() (exec.Operator, error)

// of is the factory of a specification.
func of[S any](s S, make func(S) (exec.Operator, error)) (factory, error) {
	return func() (exec.Operator, error) { return make(s) }, nil
}

// operator makes the factory of a node, and completes its specification.
func (b *builder) operator(n *physical.Node) (factory, error) {
	c := b.common(n)
	switch o := n.Op.(type) {
	case *physical.Calc:
		o.Common = c
		return of(o.CalcSpec, op.NewCalc)
	case *physical.GroupAggregate:
		o.Common = c
		return of(o.GroupAggSpec, op.NewGroupAgg)
	case *physical.WindowAggregate:
		o.Common = c
		return of(o.WindowAggSpec, op.NewWindowAgg)
	case *physical.Join:
		o.Common = c
		return of(o.JoinSpec, op.NewJoin)
	case *physical.Rank:
		o.Common = c
		return of(o.TopNSpec, op.NewTopN)
	case *physical.Deduplicate:
		o.Common = c
		return of(o.DeduplicateSpec, op.NewDeduplicate)
	case *physical.ChangelogNormalize:
		o.Common = c
		return of(o.NormalizeSpec, op.NewNormalize)
	case *physical.WindowRank:
		o.Common = c
		return of(o.WindowTopNSpec, op.NewWindowTopN)
	case *physical.TemporalSort:
		o.Common = c
		return of(o.TemporalSortSpec, op.NewTemporalSort)
	case *physical.WindowTableFunction:
		o.Common = c
		return of(o.WindowTableSpec, op.NewWindowTable)
	case *physical.Union:
		o.Common = c
		return of(o.UnionSpec, op.NewUnion)
	case *physical.DropUpdateBefore:
		o.Common = c
		return of(o.DropUpdateBeforeSpec, op.NewDropUpdateBefore)
	case *physical.NotNull:
		o.Common = c
		return of(o.NotNullSpec, op.NewNotNull)
	case *physical.UpsertChanges:
		o.Common = c
		return of(o.UpsertChangesSpec, op.NewUpsertChanges)
	case *physical.Replicate:
		o.Common = c
		return of(o.ReplicateSpec, op.NewReplicate)
	case *physical.IntervalJoin:
		o.Common = c
		return of(o.IntervalJoinSpec, op.NewIntervalJoin)
	case *physical.Unnest:
		o.Common = c
		return of(o.UnnestSpec, op.NewUnnest)
	case *physical.Expand:
		o.Common = c
		return of(o.ExpandSpec, op.NewExpand)
	case *physical.OverAggregate:
		o.Common = c
		return of(o.OverSpec, op.NewOver)
	case *physical.WindowJoin:
		o.Common = c
		return of(o.WindowJoinSpec, op.NewWindowJoin)
	case *physical.TemporalJoin:
		o.Common = c
		return of(o.TemporalJoinSpec, op.NewTemporalJoin)
	}
	return nil, perr.NotYet(n.At, "%s", n.Title())
}

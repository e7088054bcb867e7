package build

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// operator makes the factory of an operator's instances.
func (b *builder) operator(n *physical.Node) (func() (exec.Operator, error), error) {
	c := b.common(n)
	switch o := n.Op.(type) {
	case *physical.Calc:
		s := o.CalcSpec
		s.Common = c
		return func() (exec.Operator, error) { return op.NewCalc(s) }, nil
	case *physical.GroupAggregate:
		s := o.GroupAggSpec
		s.Common = c
		return func() (exec.Operator, error) { return op.NewGroupAgg(s) }, nil
	case *physical.WindowAggregate:
		s := o.WindowAggSpec
		s.Common = c
		return func() (exec.Operator, error) { return op.NewWindowAgg(s) }, nil
	case *physical.Union:
		s := o.UnionSpec
		s.Common = c
		return func() (exec.Operator, error) { return op.NewUnion(s) }, nil
	case *physical.DropUpdateBefore:
		s := o.DropUpdateBeforeSpec
		s.Common = c
		return func() (exec.Operator, error) { return op.NewDropUpdateBefore(s) }, nil
	case *physical.NotNull:
		s := o.NotNullSpec
		s.Common = c
		return func() (exec.Operator, error) { return op.NewNotNull(s) }, nil
	case *physical.Replicate:
		s := o.ReplicateSpec
		s.Common = c
		return func() (exec.Operator, error) { return op.NewReplicate(s) }, nil
	}
	return nil, fmt.Errorf("%s is not supported yet", n.Title())
}

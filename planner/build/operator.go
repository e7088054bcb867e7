package build

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// operator makes the factory of an operator's instances.
func (b *builder) operator(n *physical.Node) (func() (exec.Operator, error), error) {
	return nil, fmt.Errorf("%s is not supported yet", n.Title())
}

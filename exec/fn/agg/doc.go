// Package agg holds the aggregate functions, one file each. An accumulator
// lives in columns, lists and ordered maps of its operator's table and folds a
// batch of rows a call.
package agg

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// oneArg refuses any other number of arguments.
func oneArg(name string, args []fn.Arg) (types.Type, error) {
	if len(args) != 1 {
		return types.Type{}, fmt.Errorf("%s takes one argument, not %d", name, len(args))
	}
	return args[0].Type, nil
}

// wrong is the refusal of an argument's type.
func wrong(name string, t types.Type, want string) error {
	return fmt.Errorf("%s takes %s, not %s", name, want, t.Text())
}

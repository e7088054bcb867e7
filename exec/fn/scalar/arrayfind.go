package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	registerFind("ARRAY_CONTAINS", "ARRAY_CONTAINS(array, x)", "Whether an array has an element equal to x; NULL equals NULL.", boolean,
		boolRows(func(r row) (bool, bool) { return r.list(0).index(r.args[1], r.i) >= 0, !r.null(0) }))
	registerFind("ARRAY_POSITION", "ARRAY_POSITION(array, x)", "Where x first stands in an array, counted from 1; 0 if it does not.", types.Of(types.Int),
		intRows(func(r row) (int64, bool) { return int64(r.list(0).index(r.args[1], r.i)) + 1, !r.null(0) }))
}

// registerFind: the element may be NULL, the array gives NULL.
func registerFind(name, syntax, doc string, result types.Type, kernel func() fn.Kernel) {
	fn.Register(&fn.Scalar{Name: name, Syntax: syntax, Doc: doc, Bind: func(args []fn.Arg) (*fn.Bound, error) {
		array, elem, err := bindElement(syntax, args)
		if err != nil {
			return nil, err
		}
		return &fn.Bound{Params: []types.Type{array, elem}, Result: result.Nullable(!array.NotNull), NullAware: true, New: kernel}, nil
	}})
}

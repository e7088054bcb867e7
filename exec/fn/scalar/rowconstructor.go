package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "ROW", Syntax: "ROW(a [, b …])", Doc: "A row of the given fields, which are called EXPR$0, EXPR$1 and so on.", Bind: bindRow})
}

func bindRow(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bindAll("ROW(a [, b …])", args, 1, anyArg)
	if err != nil {
		return nil, err
	}
	fields := make([]types.Field, len(ts))
	for i, t := range ts {
		fields[i] = types.Field{Name: fmt.Sprintf("EXPR$%d", i), Type: t.WithAttr(types.NoTime)}
	}
	return &fn.Bound{Params: ts, Result: types.RowOf(fields...).Nullable(false), NullAware: true,
		New: func() fn.Kernel { return makeRows }}, nil
}

func makeRows(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	for i, k := range out.Kids {
		k.CopyRows(args[i], rows)
	}
	return nil
}

package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "TYPEOF", Syntax: "TYPEOF(x [, force])", Doc: "Name of the type of x.", Bind: bindTypeof})
}

func bindTypeof(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("TYPEOF(x [, force])", args, 1, anyArg, boolArg)
	if err != nil {
		return nil, err
	}
	name := args[0].Type.WithAttr(types.NoTime).String()
	return &fn.Bound{Params: ts, Result: types.String().Nullable(false), NullAware: true, New: func() fn.Kernel {
		return func(_ *fn.Env, _ []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				out.SetString(int(i), name)
			}
			return nil
		}
	}}, nil
}

package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "ELT", Syntax: "ELT(n, a, b …)", Doc: "The nth of the other arguments; NULL if there is none.", Bind: bindElt})
}

func bindElt(args []fn.Arg) (*fn.Bound, error) {
	if len(args) < 2 || !args[0].Type.IsInteger() {
		return nil, fmt.Errorf("ELT(n, a, b …) takes an integer and strings")
	}
	if _, err := bindAll("ELT(n, a, b …)", args[1:], 1, textual); err != nil {
		return nil, err
	}
	t, err := commonArg("ELT(n, a, b …)", args[1:])
	if err != nil {
		return nil, err
	}
	return &fn.Bound{Params: append([]types.Type{args[0].Type}, same(t, len(args)-1)...), Result: t.Nullable(true), NullAware: true, New: func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				n := args[0].I64[i]
				if args[0].IsNull(int(i)) || n < 1 || n >= int64(len(args)) {
					out.SetNull(int(i))
					continue
				}
				setFrom(out, i, args[n], int(i))
			}
			return nil
		}
	}}, nil
}

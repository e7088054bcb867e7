package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "GREATEST", Syntax: "GREATEST(a, b …)", Doc: "The greatest argument; NULL if one is NULL.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindExtreme("GREATEST(a, b …)", args, 1) }})
	fn.Register(&fn.Scalar{Name: "LEAST", Syntax: "LEAST(a, b …)", Doc: "The least argument; NULL if one is NULL.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindExtreme("LEAST(a, b …)", args, -1) }})
}

func bindExtreme(syntax string, args []fn.Arg, sign int) (*fn.Bound, error) {
	t, err := commonArg(syntax, args)
	if err != nil {
		return nil, err
	}
	t = widest(t, args)
	if t.Kind >= types.Array {
		return nil, fmt.Errorf("values of %s have no order", t.Text())
	}
	return &fn.Bound{Params: same(t, len(args)), Result: t, New: func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, r := range rows {
				best := args[0]
				for _, a := range args[1:] {
					if compareAt(a, int(r), best, int(r))*sign > 0 {
						best = a
					}
				}
				setFrom(out, r, best, int(r))
			}
			return nil
		}
	}}, nil
}

package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// bindNegate is unary minus: of integers it wraps, of decimals, floats and
// intervals it is exact.
func bindNegate(args []fn.Arg) (*fn.Bound, error) {
	t := args[0].Type
	if t.Kind == types.Null {
		t = types.Of(types.Int)
	}
	if !t.IsNumeric() && !t.IsInterval() {
		return nil, fmt.Errorf("cannot negate %s", t.Text())
	}
	b := &fn.Bound{Params: []types.Type{t}, Result: t, Total: true}
	switch bits := intBits[t.Kind]; {
	case vec.KindOf(t) == vec.F64:
		b.New = func() fn.Kernel { return negateFloat }
	case vec.KindOf(t) == vec.I128:
		b.New = func() fn.Kernel { return negateWide }
	case bits == 0:
		b.New = func() fn.Kernel { return intLoops("*", 64).constKernel(ints, 0, -1) }
	default:
		b.New = func() fn.Kernel { return intLoops("*", bits).constKernel(ints, 0, -1) }
	}
	return b, nil
}

func negateFloat(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	for _, r := range rows {
		out.F64[r] = -args[0].F64[r]
	}
	return nil
}

func negateWide(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
	for _, r := range rows {
		out.I128[r] = args[0].I128[r].Neg()
	}
	return nil
}

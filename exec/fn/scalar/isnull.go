package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "IS NULL", Syntax: "a IS NULL", Doc: "Whether a value is NULL.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindIsNull("a IS NULL", args, true) }})
	fn.Register(&fn.Scalar{Name: "IS NOT NULL", Syntax: "a IS NOT NULL", Doc: "Whether a value is not NULL.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindIsNull("a IS NOT NULL", args, false) }})
	for name, same := range map[string]bool{"IS DISTINCT FROM": false, "IS NOT DISTINCT FROM": true} {
		fn.Register(&fn.Scalar{Name: name, Syntax: "a " + name + " b", Doc: "Comparison in which NULL equals NULL; it is never NULL itself.",
			Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindDistinct(name, args, same) }})
	}
}

func bindIsNull(syntax string, args []fn.Arg, null bool) (*fn.Bound, error) {
	ts, err := bind(syntax, args, 0, anyArg)
	b := &fn.Bound{Params: ts, Result: boolean.Nullable(false), NullAware: true}
	b.New = func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, r := range rows {
				out.Bool[r] = args[0].IsNull(int(r)) == null
			}
			return nil
		}
	}
	b.NewSelect = func([]*vec.Value) fn.Selector {
		return func(_ *fn.Env, args []*vec.Vector, rows, dst []int32) ([]int32, error) {
			switch {
			case args[0].Nulls != nil:
				return nullSelect(args[0].Nulls, null, rows, dst[:0]), nil
			case null:
				return dst[:0], nil
			}
			return append(dst[:0], rows...), nil
		}
	}
	return b, err
}

func nullSelect(nulls []uint64, null bool, rows, dst []int32) []int32 {
	dst = dst[:len(rows)]
	n := 0
	for _, r := range rows {
		dst[n] = r
		if (nulls[r>>6]>>(r&63)&1 != 0) == null {
			n++
		}
	}
	return dst[:n]
}

// bindDistinct compares with the kernel of "=" where both are not null.
func bindDistinct(name string, args []fn.Arg, same bool) (*fn.Bound, error) {
	eq, err := bindCompare(name, equal, args)
	if err != nil {
		return nil, err
	}
	return &fn.Bound{Params: eq.Params, Result: boolean.Nullable(false), NullAware: true, New: func() fn.Kernel {
		return distinctKernel(eq.New(), same)
	}}, nil
}

func distinctKernel(eq fn.Kernel, same bool) fn.Kernel {
	var both []int32
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		both = both[:0]
		for _, r := range rows {
			if !args[0].IsNull(int(r)) && !args[1].IsNull(int(r)) {
				both = append(both, r)
			}
		}
		if err := eq(env, args, both, out); err != nil {
			return err
		}
		for _, r := range rows {
			a, b := args[0].IsNull(int(r)), args[1].IsNull(int(r))
			if a || b {
				out.Bool[r] = a == b
			}
			out.Bool[r] = out.Bool[r] == same
		}
		return nil
	}
}

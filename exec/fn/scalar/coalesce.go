package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "COALESCE", Syntax: "COALESCE(a [, b …])", Doc: "The first argument that is not NULL; later ones are computed only where they are needed.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindCoalesce("COALESCE(a [, b …])", args) }})
	fn.Register(&fn.Scalar{Name: "IFNULL", Syntax: "IFNULL(a, b)", Doc: "a, or b where a is NULL.", Bind: bindIfNull})
	fn.Register(&fn.Scalar{Name: "IF", Syntax: "IF(condition, a, b)", Doc: "a where the condition is true, else b.", Bind: bindIf})
	fn.Register(&fn.Scalar{Name: "NULLIF", Syntax: "NULLIF(a, b)", Doc: "NULL where a equals b, else a.", Bind: bindNullIf})
}

// same is n parameters of one type.
func same(t types.Type, n int) []types.Type {
	ts := make([]types.Type, n)
	for i := range ts {
		ts[i] = t
	}
	return ts
}

func bindCoalesce(syntax string, args []fn.Arg) (*fn.Bound, error) {
	t, err := commonArg(syntax, args)
	if err != nil {
		return nil, err
	}
	t = widest(t, args)
	p := same(t, len(args))
	for _, a := range args {
		t.NotNull = t.NotNull || a.Type.NotNull
	}
	return &fn.Bound{Params: p, Result: t}, nil
}

// widest is DOUBLE where FLOAT came first of the two; CASE and UNION keep it.
func widest(t types.Type, args []fn.Arg) types.Type {
	for _, a := range args {
		if t.Kind == types.Float && a.Type.Kind == types.Double {
			return types.Of(types.Double).Nullable(!t.NotNull)
		}
	}
	return t
}

func bindIfNull(args []fn.Arg) (*fn.Bound, error) {
	if _, err := bind("IFNULL(a, b)", args, 0, anyArg, anyArg); err != nil {
		return nil, err
	}
	return bindCoalesce("IFNULL(a, b)", args)
}

func bindIf(args []fn.Arg) (*fn.Bound, error) {
	if _, err := bind("IF(condition, a, b)", args, 0, boolArg, anyArg, anyArg); err != nil {
		return nil, err
	}
	t, err := commonArg("IF(condition, a, b)", args[1:])
	return &fn.Bound{Params: []types.Type{boolean, t, t}, Result: t}, err
}

// bindNullIf compares in the common type and gives the first argument, in its
// own type.
func bindNullIf(args []fn.Arg) (*fn.Bound, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("NULLIF takes 2 arguments, not %d", len(args))
	}
	t := args[0].Type
	eq, err := bindCompare("NULLIF", equal, args)
	if err != nil {
		return nil, err
	}
	b := &fn.Bound{Params: []types.Type{t, eq.Params[1]}, Result: t.Nullable(true), NullAware: true}
	if !eq.Params[0].Equal(t) {
		if !t.IsExact() || !eq.Params[0].IsExact() && eq.Params[0].Kind != types.Double {
			return nil, fmt.Errorf("NULLIF compares values of one type, not %s and %s", t.Text(), args[1].Type.Text())
		}
		b.New = func() fn.Kernel { return nullIfKernel(numberEquality(t, eq.Params[1])) }
		return b, nil
	}
	b.New = func() fn.Kernel { return nullIfKernel(eq.New()) }
	return b, nil
}

func nullIfKernel(eq fn.Kernel) fn.Kernel {
	var both []int32
	test := vec.New(boolean)
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		out.CopyRows(args[0], rows)
		test.Resize(out.Len())
		both = both[:0]
		for _, r := range rows {
			if !args[0].IsNull(int(r)) && !args[1].IsNull(int(r)) {
				both = append(both, r)
			}
		}
		if err := eq(env, args, both, test); err != nil {
			return err
		}
		for _, r := range both {
			if test.Bool[r] {
				out.SetNull(int(r))
			}
		}
		return nil
	}
}

// numberEquality compares an exact number of type a with one of type b, which
// is wider or a DOUBLE.
func numberEquality(a, b types.Type) fn.Kernel {
	x, y := fn.AsDecimal(a), fn.AsDecimal(b)
	var wa, wb []vec.Int128
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		left := widen(args[0], rows, &wa)
		if b.IsApprox() {
			for _, r := range rows {
				out.Bool[r] = left[r].Float(x.Scale) == args[1].F64[r]
			}
			return nil
		}
		right := widen(args[1], rows, &wb)
		s := max(x.Scale, y.Scale)
		for _, r := range rows {
			l, okL := left[r].Rescale(x.Scale, s)
			m, okR := right[r].Rescale(y.Scale, s)
			out.Bool[r] = okL && okR && l == m
		}
		return nil
	}
}

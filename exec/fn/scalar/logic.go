package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "NOT", Syntax: "NOT a", Doc: "Negation; of an unknown value unknown.", Bind: bindNot})
	for _, t := range []struct {
		name       string
		true, null bool // what TRUE and NULL give; FALSE gives the opposite of TRUE unless it is null too
		false      bool
	}{
		{"IS TRUE", true, false, false},
		{"IS NOT TRUE", false, true, true},
		{"IS FALSE", false, false, true},
		{"IS NOT FALSE", true, true, false},
		{"IS UNKNOWN", false, true, false},
		{"IS NOT UNKNOWN", true, false, true},
	} {
		fn.Register(&fn.Scalar{Name: t.name, Syntax: "a " + t.name, Doc: "Test of a BOOLEAN that is never NULL itself.",
			Bind: func(args []fn.Arg) (*fn.Bound, error) {
				return bindTruth("a "+t.name, args, t.true, t.false, t.null)
			}})
	}
}

var boolean = types.Of(types.Boolean)

func bindNot(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("NOT a", args, 0, boolArg)
	return &fn.Bound{Params: ts, Result: strict(boolean, args), Total: true, New: func() fn.Kernel { return not }}, err
}

func not(_ *fn.Env, args []*vec.Vector, _ []int32, out *vec.Vector) error {
	a := args[0].Bool[:len(out.Bool)]
	for i := range out.Bool {
		out.Bool[i] = !a[i]
	}
	return nil
}

// bindTruth is a test given by its results for TRUE, FALSE and NULL.
func bindTruth(syntax string, args []fn.Arg, ifTrue, ifFalse, ifNull bool) (*fn.Bound, error) {
	ts, err := bind(syntax, args, 0, boolArg)
	return &fn.Bound{Params: ts, Result: boolean.Nullable(false), NullAware: true, New: func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, r := range rows {
				switch {
				case args[0].IsNull(int(r)):
					out.Bool[r] = ifNull
				case args[0].Bool[r]:
					out.Bool[r] = ifTrue
				default:
					out.Bool[r] = ifFalse
				}
			}
			return nil
		}
	}}, err
}

package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	for _, c := range []struct {
		name, doc string
		test      relation
	}{
		{"=", "Equality. Padding of CHAR counts; rows and arrays are compared element by element.", equal},
		{"<>", "Inequality.", equal | negated},
		{"<", "Less than. Strings are ordered by their UTF-8 bytes.", less},
		{"<=", "Less than or equal.", less | swap | negated},
		{">", "Greater than.", less | swap},
		{">=", "Greater than or equal.", less | negated},
	} {
		fn.Register(&fn.Scalar{Name: c.name, Aliases: compareAliases[c.name], Syntax: "a " + c.name + " b", Doc: c.doc,
			Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindCompare(c.name, c.test, args) }})
	}
}

var compareAliases = map[string][]string{"<>": {"!="}}

// relation is how a comparison is made of two loops: equality and less-than,
// with the arguments swapped or the result negated.
type relation uint8

const (
	equal   relation = 0
	less    relation = 1
	swap    relation = 2
	negated relation = 4
)

// holds tells whether the relation is true of the sign of a comparison.
func (t relation) holds(sign int) bool {
	var b bool
	switch t &^ negated {
	case equal:
		b = sign == 0
	case less:
		b = sign < 0
	default:
		b = sign > 0
	}
	return b != (t&negated != 0)
}

func bindCompare(name string, test relation, args []fn.Arg) (*fn.Bound, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("%s takes 2 arguments, not %d", name, len(args))
	}
	t, err := fn.CommonCompared(name, args[0], args[1])
	if err != nil {
		return nil, err
	}
	if t.Kind >= types.Array && test&less != 0 {
		return nil, fmt.Errorf("values of %s have no order; only = and <> compare them", t.Text())
	}
	a, b := comparedAs(args[0].Type, t), comparedAs(args[1].Type, t)
	bound := &fn.Bound{Params: []types.Type{a, b}, Result: strict(types.Of(types.Boolean), args)}
	switch vec.KindOf(t) {
	case vec.I64:
		compareInts(bound, test)
	case vec.F64:
		compareFloats(bound, test)
	case vec.I128:
		bound.New = func() fn.Kernel { return compareWide(test) }
	case vec.Bytes:
		compareBytes(bound, test)
	case vec.Bool:
		bound.New = func() fn.Kernel { return compareBools(test) }
	default:
		bound.New = func() fn.Kernel { return compareNested(test) }
	}
	return bound, nil
}

// comparedAs is the type an argument is cast to for a comparison in type t:
// its own where values of both are stored alike.
func comparedAs(own, t types.Type) types.Type {
	switch {
	case own.Kind == types.Null || vec.KindOf(own) != vec.KindOf(t):
	case own.IsInteger() && t.IsInteger(), own.IsApprox() && t.IsApprox():
		return own
	case own.IsString() && t.IsString(), own.IsBinary() && t.IsBinary():
		return own
	case own.Kind == types.Decimal && t.Kind == types.Decimal && own.Scale == t.Scale:
		return own
	case own.IsInteger() && t.Kind == types.Decimal && t.Scale == 0:
		return own
	case own.Kind == t.Kind && own.Kind < types.Array && own.Kind != types.Decimal:
		return own
	}
	return t
}

package scalar

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	for op, doc := range map[string]string{
		"+": "Sum of numbers, a date or time moved by an interval, or sum of intervals. Integers wrap around; a decimal that does not fit is NULL.",
		"-": "Difference of numbers, a date or time moved back by an interval, or the negative of one argument.",
		"*": "Product of numbers, or of an interval and a number.",
		"/": "Quotient. Of integers it is truncated; division by zero fails but for DOUBLE and FLOAT.",
		"%": "Remainder, with the sign of the dividend.",
	} {
		fn.Register(&fn.Scalar{Name: op, Aliases: arithAliases[op], Syntax: "a " + op + " b", Doc: doc,
			Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindArith(op, args) }})
	}
}

var arithAliases = map[string][]string{"%": {"MOD"}}

// bindArith chooses the overload of an arithmetic operator.
func bindArith(op string, args []fn.Arg) (*fn.Bound, error) {
	if op == "-" && len(args) == 1 {
		return bindNegate(args)
	}
	if len(args) != 2 {
		return nil, fmt.Errorf("%s takes 2 arguments, not %d", op, len(args))
	}
	a, b := args[0].Type, args[1].Type
	if a.Kind == types.Null {
		a = b.Nullable(true)
	}
	if b.Kind == types.Null {
		b = a.Nullable(true)
	}
	switch {
	case op == "%" && (a.IsApprox() || b.IsApprox()):
		return nil, fmt.Errorf("cannot compute %s %% %s; the remainder is of integers and decimals", a.Text(), b.Text())
	case a.IsNumeric() && b.IsNumeric():
		return bindNumbers(op, a, b), nil
	case a.IsInterval() || b.IsInterval():
		if bound := bindInterval(op, a, b); bound != nil {
			return bound, nil
		}
	}
	return nil, fmt.Errorf("cannot compute %s %s %s%s", a.Text(), op, b.Text(), arithHint(op, a, b))
}

func arithHint(op string, a, b types.Type) string {
	switch {
	case op == "+" && (a.IsString() || b.IsString()):
		return "; use || to join strings, or CAST to a number"
	case op == "-" && a.IsTemporal() && b.IsTemporal():
		return "; use TIMESTAMPDIFF(SECOND, from, to)"
	case a.IsTemporal() && b.IsInteger():
		return "; use an INTERVAL, such as INTERVAL '1' DAY"
	}
	return ""
}

func bindNumbers(op string, a, b types.Type) *fn.Bound {
	t, _ := fn.Common(a, b)
	switch {
	case t.IsApprox():
		return bindFloats(op, t, a, b)
	case t.Kind == types.Decimal:
		return bindDecimals(op, a, b)
	}
	if op == "%" {
		return bindRemainder(a, b, t)
	}
	return bindIntegers(op, a, b, t)
}

var intBits = map[types.Kind]int{types.TinyInt: 8, types.SmallInt: 16, types.Int: 32, types.BigInt: 64}

func bindIntegers(op string, a, b, t types.Type) *fn.Bound {
	l := intLoops(op, intBits[t.Kind])
	bound := &fn.Bound{Params: []types.Type{a, b}, Result: t, Total: op != "/",
		New: func() fn.Kernel { return l.kernel(ints) }}
	bound.NewConst = func(consts []*vec.Value) fn.Kernel {
		switch c := consts[1]; {
		case c != nil && (op != "/" || c.I != 0):
			return l.constKernel(ints, 0, c.I)
		case consts[0] != nil && (op == "+" || op == "*"):
			return l.constKernel(ints, 1, consts[0].I)
		}
		return nil
	}
	if op == "/" {
		bound.New = func() fn.Kernel { return nonZero("/", intText, l.some) }
	}
	return bound
}

// nonZero checks the divisors of the rows asked for, then computes those.
func nonZero(op string, text func(*vec.Vector, int32) string, some func(out, a, b []int64, rows []int32)) fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			if args[1].I64[r] == 0 {
				return fmt.Errorf("division by zero: %s %s 0", text(args[0], r), op)
			}
		}
		some(out.I64, args[0].I64, args[1].I64, rows)
		return nil
	}
}

func intText(v *vec.Vector, r int32) string { return fmt.Sprint(v.I64[r]) }

// bindRemainder: the result has the type of the divisor.
func bindRemainder(a, b, _ types.Type) *fn.Bound {
	bound := &fn.Bound{Params: []types.Type{a, b}, Result: b.Nullable(!a.NotNull || !b.NotNull),
		New: func() fn.Kernel { return nonZero("%", intText, remSome) }}
	bound.NewConst = func(consts []*vec.Value) fn.Kernel {
		if k := consts[1]; k != nil && k.I > 0 && k.I <= math.MaxUint32 {
			return remainderBy(k.I)
		}
		return nil
	}
	return bound
}

// remainderBy is the remainder by a constant without a division, for values
// of 32 bits (D. Lemire et al., Faster remainder by direct computation).
func remainderBy(k int64) fn.Kernel {
	inverse := math.MaxUint64/uint64(k) + 1
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		a, o := args[0].I64, out.I64
		for _, i := range rows {
			x := a[i]
			if uint64(x) > math.MaxUint32 {
				o[i] = x % k
				continue
			}
			hi, _ := bits.Mul64(inverse*uint64(x), uint64(k))
			o[i] = int64(hi)
		}
		return nil
	}
}

func remSome(out, a, b []int64, rows []int32) {
	for _, i := range rows {
		out[i] = a[i] % b[i]
	}
}

func bindFloats(op string, t, a, b types.Type) *fn.Bound {
	p := t.Nullable(true)
	bound := &fn.Bound{Params: []types.Type{p, p}, Result: t.Nullable(!a.NotNull || !b.NotNull), Total: true}
	l := floatLoops(op, t.Kind == types.Float)
	bound.New = func() fn.Kernel { return l.kernel(floats) }
	bound.NewConst = func(consts []*vec.Value) fn.Kernel {
		if consts[1] != nil {
			return l.constKernel(floats, 0, consts[1].F)
		}
		if op == "+" || op == "*" {
			return l.constKernel(floats, 1, consts[0].F)
		}
		return nil
	}
	return bound
}

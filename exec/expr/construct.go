package expr

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// NewCall resolves a function or operator by name, chooses its overload for
// the arguments and inserts implicit casts. Names and calling conventions of
// SQL's special syntax are listed in CALLS.md. Errors have no position.
func NewCall(name string, args []Expr) (Expr, error) {
	if x, ok, err := special(strings.ToUpper(name), args); ok {
		return x, err
	}
	f, ok := fn.Lookup(name)
	if !ok {
		return nil, unknownFunction(name)
	}
	as := make([]fn.Arg, len(args))
	for i, x := range args {
		as[i] = argOf(x)
	}
	b, err := f.Bind(as)
	if err != nil {
		return nil, err
	}
	return NewBound(f, b, args)
}

// special are the names that do not become a Call of their own.
func special(name string, xs []Expr) (x Expr, ok bool, err error) {
	switch name {
	case "AND":
		x, err = NewAnd(xs...)
	case "OR":
		x, err = NewOr(xs...)
	case "IN":
		x, err = newInArgs(xs)
	case "BETWEEN", "BETWEEN SYMMETRIC":
		x, err = newBetweenArgs(xs, name != "BETWEEN")
	default:
		return nil, false, nil
	}
	return x, true, err
}

// NewBound calls a function that is bound already; arguments are cast to its
// parameters.
func NewBound(f *fn.Scalar, b *fn.Bound, args []Expr) (Expr, error) {
	if len(b.Params) != len(args) {
		return nil, fmt.Errorf("%s takes %d arguments, not %d", f.Name, len(b.Params), len(args))
	}
	c := &Call{Fn: f, Bound: b, Args: make([]Expr, len(args))}
	for i, x := range args {
		y, err := Coerce(x, b.Params[i])
		if err != nil {
			return nil, fmt.Errorf("argument %d of %s: %w", i+1, f.Name, err)
		}
		c.Args[i] = y
	}
	return c, nil
}

func argOf(x Expr) fn.Arg {
	a := fn.Arg{Type: x.Type()}
	switch x := x.(type) {
	case *Literal:
		a.Literal = &x.V
	case *Call:
		a.Func = x.Fn.Name
	}
	return a
}

// Coerce returns x as a value of type t, with an implicit cast where the
// types differ. Nullability is that of x.
func Coerce(x Expr, t types.Type) (Expr, error) {
	from := x.Type()
	if from.Equal(t) {
		return x, nil
	}
	if from.Kind == types.Null {
		return NullOf(t), nil
	}
	c, err := NewCast(x, t, false)
	if err != nil {
		return nil, err
	}
	if c, ok := c.(*Cast); ok {
		c.Implicit = true
	}
	return c, nil
}

// NewCast is CAST(x AS t), or TRY_CAST. It refuses conversions that no value
// survives. The result is not null if x is not null and the cast not a TRY.
func NewCast(x Expr, t types.Type, try bool) (Expr, error) {
	from := x.Type()
	t.Attr = types.NoTime
	if from.Kind == types.Null {
		return NullOf(t), nil
	}
	if !Castable(from, t) {
		return nil, fmt.Errorf("cannot cast %s to %s%s", from.Text(), t.Text(), castHint(from, t))
	}
	t = t.Nullable(!from.NotNull || try)
	return &Cast{X: x, T: t, Try: try}, nil
}

// NewAnd is the conjunction of boolean terms; nested conjunctions are
// flattened.
func NewAnd(terms ...Expr) (Expr, error) {
	flat, err := flatten("AND", terms, func(x Expr) []Expr {
		if a, ok := x.(*And); ok {
			return a.Terms
		}
		return nil
	})
	if err != nil || len(flat) == 1 {
		return first(flat), err
	}
	return &And{Terms: flat}, nil
}

// NewOr is the disjunction of boolean terms; nested ones are flattened.
func NewOr(terms ...Expr) (Expr, error) {
	flat, err := flatten("OR", terms, func(x Expr) []Expr {
		if o, ok := x.(*Or); ok {
			return o.Terms
		}
		return nil
	})
	if err != nil || len(flat) == 1 {
		return first(flat), err
	}
	return &Or{Terms: flat}, nil
}

func first(xs []Expr) Expr {
	if len(xs) == 0 {
		return nil
	}
	return xs[0]
}

func flatten(op string, terms []Expr, parts func(Expr) []Expr) ([]Expr, error) {
	if len(terms) == 0 {
		return nil, fmt.Errorf("%s needs a term", op)
	}
	var flat []Expr
	for _, x := range terms {
		if inner := parts(x); inner != nil {
			flat = append(flat, inner...)
			continue
		}
		b, err := condition(op, x)
		if err != nil {
			return nil, err
		}
		flat = append(flat, b)
	}
	return flat, nil
}

func condition(op string, x Expr) (Expr, error) {
	switch t := x.Type(); t.Kind {
	case types.Boolean:
		return x, nil
	case types.Null:
		return NullOf(types.Of(types.Boolean)), nil
	default:
		return nil, fmt.Errorf("%s needs a BOOLEAN, not %s", op, t.Text())
	}
}

// NewCase is a searched CASE; without otherwise (nil) the rest is NULL.
// Branches are cast to their common type.
func NewCase(whens []When, otherwise Expr) (Expr, error) {
	if len(whens) == 0 {
		return nil, fmt.Errorf("CASE needs a WHEN")
	}
	if otherwise == nil {
		otherwise = NullOf(types.Of(types.Null))
	}
	ts := make([]types.Type, 0, len(whens)+1)
	for _, w := range whens {
		ts = append(ts, w.Then.Type())
	}
	t, err := LeastRestrictive(append(ts, otherwise.Type())...)
	if err != nil {
		return nil, fmt.Errorf("branches of CASE: %w", err)
	}
	if t.Kind == types.Null {
		return nil, fmt.Errorf("all branches of CASE are NULL; CAST one of them")
	}
	c := &Case{T: t}
	for _, w := range whens {
		cond, err := condition("WHEN", w.Cond)
		if err != nil {
			return nil, err
		}
		then, err := Coerce(w.Then, t)
		if err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, When{cond, then})
	}
	c.Else, err = Coerce(otherwise, t)
	return c, err
}

// NewSimpleCase is CASE operand WHEN value …: the Cond of each When is the
// value that operand is compared with.
func NewSimpleCase(operand Expr, whens []When, otherwise Expr) (Expr, error) {
	searched := make([]When, len(whens))
	for i, w := range whens {
		eq, err := NewCall("=", []Expr{operand, w.Cond})
		if err != nil {
			return nil, err
		}
		searched[i] = When{eq, w.Then}
	}
	return NewCase(searched, otherwise)
}

// NewField is a field of the row x.
func NewField(x Expr, name string) (Expr, error) {
	t := x.Type()
	if t.Kind != types.Row {
		return nil, fmt.Errorf("%s has no fields: it is a %s", x, t.Text())
	}
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		if f.Name == name {
			return FieldAt(x, i), nil
		}
		names[i] = f.Name
	}
	return nil, fmt.Errorf("%s has no field %q; it has %s", x, name, strings.Join(names, ", "))
}

// FieldAt is field i of the row x.
func FieldAt(x Expr, i int) Expr {
	f := x.Type().Fields[i]
	t := f.Type.Nullable(!f.Type.NotNull || !x.Type().NotNull)
	if l, ok := x.(*Literal); ok {
		if l.V.Null {
			return NullOf(t)
		}
		return &Literal{T: t, V: l.V.L[i]}
	}
	return &Field{X: x, Index: i, Name: f.Name, T: t}
}

// NewBetween is x BETWEEN [SYMMETRIC] low AND high.
func NewBetween(x, low, high Expr, symmetric bool) (Expr, error) {
	in, err := inRange(x, low, high)
	if err != nil || !symmetric {
		return in, err
	}
	swapped, err := inRange(x, high, low)
	if err != nil {
		return nil, err
	}
	return NewOr(in, swapped)
}

func inRange(x, low, high Expr) (Expr, error) {
	ge, err := NewCall(">=", []Expr{x, low})
	if err != nil {
		return nil, err
	}
	le, err := NewCall("<=", []Expr{x, high})
	if err != nil {
		return nil, err
	}
	return NewAnd(ge, le)
}

func newBetweenArgs(xs []Expr, symmetric bool) (Expr, error) {
	if len(xs) != 3 {
		return nil, fmt.Errorf("BETWEEN takes a value and two bounds")
	}
	return NewBetween(xs[0], xs[1], xs[2], symmetric)
}

func newInArgs(xs []Expr) (Expr, error) {
	if len(xs) < 2 {
		return nil, fmt.Errorf("IN takes a value and a list")
	}
	return NewIn(xs[0], xs[1:])
}

// NewIn is x IN (list). A list of constants becomes one set; else it is a
// disjunction of equalities.
func NewIn(x Expr, list []Expr) (Expr, error) {
	list, err := readAs(x.Type(), list)
	if err != nil {
		return nil, err
	}
	constants := len(list) > 1
	for _, y := range list {
		if _, err := comparison("IN", x, y); err != nil {
			return nil, err
		}
		constants = constants && isSetItem(y)
	}
	if constants && isSetType(x.Type()) {
		return newInSet(x, list)
	}
	eqs := make([]Expr, len(list))
	for i, y := range list {
		eq, err := NewCall("=", []Expr{x, y})
		if err != nil {
			return nil, err
		}
		eqs[i] = eq
	}
	return NewOr(eqs...)
}

// readAs reads a list of only string literals as values of type t where t is
// a number or BOOLEAN: Flink refuses a = '1' but takes a IN ('1').
func readAs(t types.Type, list []Expr) ([]Expr, error) {
	if !t.IsNumeric() && t.Kind != types.Boolean {
		return list, nil
	}
	cast := make([]Expr, len(list))
	for i, y := range list {
		if l, ok := y.(*Literal); !ok || !l.T.IsString() {
			return list, nil
		}
		c, err := Coerce(y, t)
		if err != nil {
			return nil, err
		}
		cast[i] = Fold(c, nil)
	}
	return cast, nil
}

func isSetItem(x Expr) bool {
	l, ok := x.(*Literal)
	return ok && isSetType(l.T)
}

func isSetType(t types.Type) bool { return t.Kind < types.Array && !t.IsApprox() }

// newInSet casts all to the type they are compared in. A literal that does
// not survive the cast could not be equal to anything.
func newInSet(x Expr, list []Expr) (Expr, error) {
	t := x.Type()
	for _, y := range list {
		c, err := comparison("IN", &Column{T: t}, y)
		if err != nil {
			return nil, err
		}
		t = c.Nullable(!t.NotNull || !y.Type().NotNull)
	}
	f, ok := fn.Lookup("IN_SET")
	if !ok {
		return nil, unknownFunction("IN_SET")
	}
	args := append([]Expr{x}, list...)
	as := make([]fn.Arg, len(args))
	for i := range args {
		y, err := Coerce(args[i], t)
		if err != nil {
			return nil, err
		}
		if args[i] = y; i > 0 {
			args[i] = Fold(y, nil)
		}
		as[i] = argOf(args[i])
	}
	b, err := f.Bind(as)
	if err != nil {
		return nil, err
	}
	return NewBound(f, b, args)
}

// comparison is the type that x and y are compared in.
func comparison(op string, x, y Expr) (types.Type, error) {
	return fn.CommonCompared(op, argOf(x), argOf(y))
}

// LeastRestrictive is the common type of CASE, COALESCE, UNION, VALUES, IN
// and ARRAY; see fn.Common.
func LeastRestrictive(ts ...types.Type) (types.Type, error) { return fn.Common(ts...) }

// NullOf is NULL of type t.
func NullOf(t types.Type) *Literal {
	return &Literal{T: t.Nullable(true), V: vec.NullValue(vec.KindOf(t))}
}

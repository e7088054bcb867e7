package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Fold replaces immutable sub-expressions without columns by their values,
// and conditions that are decided. What fails (a division by zero) stays as it is and fails
// at run time. Without an env nothing is folded that depends on the session's
// time zone.
func Fold(x Expr, env *fn.Env) Expr {
	return Rewrite(x, func(y Expr) Expr { return foldNode(y, env) })
}

func foldNode(x Expr, env *fn.Env) Expr {
	switch x := x.(type) {
	case *Column, *Literal:
		return x
	case *And:
		return foldTerms(x, x.Terms, false)
	case *Or:
		return foldTerms(x, x.Terms, true)
	case *Case:
		return foldCase(x)
	}
	if !foldable(x, env) {
		return x
	}
	p, err := Compile([]Expr{x}, Options{Plain: true})
	if err != nil {
		return x
	}
	if env == nil {
		env = &fn.Env{}
	}
	out, err := p.Eval(env, &vec.Batch{N: 1})
	if err != nil {
		return x
	}
	return &Literal{T: x.Type().Nullable(!x.Type().NotNull || out[0].IsNull(0)), V: out[0].At(0)}
}

// foldable: x is immutable and its children are literals.
func foldable(x Expr, env *fn.Env) bool {
	zoned := x.Type().Kind == types.TimestampLTZ
	if c, ok := x.(*Call); ok {
		if c.Fn.Volatility != fn.Immutable {
			return false
		}
		zoned = zoned || c.Fn.Zoned
	}
	for _, c := range Children(x) {
		if _, ok := c.(*Literal); !ok {
			return false
		}
		zoned = zoned || c.Type().Kind == types.TimestampLTZ
	}
	return !zoned || env != nil
}

// foldTerms leaves out the terms that do not matter, and all behind one that
// decides.
func foldTerms(x Expr, terms []Expr, or bool) Expr {
	var left []Expr
	for _, t := range terms {
		l, ok := t.(*Literal)
		if !ok || l.V.Null {
			left = append(left, t)
			continue
		}
		if (l.V.I != 0) == or {
			if left = append(left, t); len(left) == 1 {
				return l
			}
			break
		}
	}
	switch {
	case len(left) == len(terms):
		return x
	case len(left) == 0:
		return Bool(!or)
	case len(left) == 1:
		return left[0]
	case or:
		return &Or{Terms: left}
	}
	return &And{Terms: left}
}

// foldCase drops branches that are never taken and ends at one that always is.
func foldCase(x *Case) Expr {
	c := &Case{Else: x.Else, T: x.T}
	for _, w := range x.Whens {
		l, ok := w.Cond.(*Literal)
		if !ok {
			c.Whens = append(c.Whens, w)
			continue
		}
		if !l.V.Null && l.V.I != 0 {
			c.Else = w.Then
			break
		}
	}
	switch len(c.Whens) {
	case 0:
		return c.Else
	case len(x.Whens):
		return x
	}
	return c
}

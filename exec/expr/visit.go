package expr

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// Children are the direct sub-expressions of x, in order of evaluation.
func Children(x Expr) []Expr {
	switch x := x.(type) {
	case *Column, *Literal:
		return nil
	case *Call:
		return x.Args
	case *Cast:
		return []Expr{x.X}
	case *Case:
		var cs []Expr
		for _, w := range x.Whens {
			cs = append(cs, w.Cond, w.Then)
		}
		return append(cs, x.Else)
	case *And:
		return x.Terms
	case *Or:
		return x.Terms
	case *Field:
		return []Expr{x.X}
	}
	panic("expr: unknown node")
}

// withChildren is x with its children replaced, in the order of Children.
func withChildren(x Expr, cs []Expr) Expr {
	switch x := x.(type) {
	case *Call:
		return &Call{Fn: x.Fn, Bound: x.Bound, Args: cs}
	case *Cast:
		c := *x
		c.X = cs[0]
		return &c
	case *Case:
		c := &Case{T: x.T, Else: cs[len(cs)-1]}
		for i := range x.Whens {
			c.Whens = append(c.Whens, When{cs[2*i], cs[2*i+1]})
		}
		return c
	case *And:
		return &And{Terms: cs}
	case *Or:
		return &Or{Terms: cs}
	case *Field:
		f := *x
		f.X = cs[0]
		return &f
	}
	return x
}

// Walk visits x and, where visit returns true, what is below it.
func Walk(x Expr, visit func(Expr) bool) {
	if !visit(x) {
		return
	}
	for _, c := range Children(x) {
		Walk(c, visit)
	}
}

// Rewrite replaces nodes from the leaves up: f is given each node with its
// children already rewritten and returns what stands there instead. Nodes
// that f leaves alone are shared.
func Rewrite(x Expr, f func(Expr) Expr) Expr {
	old := Children(x)
	var cs []Expr
	for i, c := range old {
		r := Rewrite(c, f)
		if r != c && cs == nil {
			cs = slices.Clone(old)
		}
		if cs != nil {
			cs[i] = r
		}
	}
	if cs != nil {
		x = withChildren(x, cs)
	}
	return f(x)
}

// Columns are the indexes of the input columns that xs use, ascending.
func Columns(xs ...Expr) []int {
	var used []int
	for _, x := range xs {
		Walk(x, func(y Expr) bool {
			if c, ok := y.(*Column); ok {
				used = append(used, c.Index)
			}
			return true
		})
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// Remap gives every column the index that to says.
func Remap(x Expr, to func(index int) int) Expr {
	return Rewrite(x, func(y Expr) Expr {
		c, ok := y.(*Column)
		if !ok || to(c.Index) == c.Index {
			return y
		}
		return &Column{Index: to(c.Index), Name: c.Name, T: c.T}
	})
}

// Shift adds by to the index of every column that is at least from.
func Shift(x Expr, from, by int) Expr {
	return Remap(x, func(i int) int {
		if i >= from {
			return i + by
		}
		return i
	})
}

// Substitute replaces column i by cols[i].
func Substitute(x Expr, cols []Expr) Expr {
	return Rewrite(x, func(y Expr) Expr {
		if c, ok := y.(*Column); ok {
			return cols[c.Index]
		}
		return y
	})
}

// Equal tells whether x and y compute the same value: same tree, types
// included; names of columns do not count. Expressions of volatile functions
// are never equal.
func Equal(x, y Expr) bool {
	if !sameNode(x, y) {
		return false
	}
	a, b := Children(x), Children(y)
	return slices.EqualFunc(a, b, Equal)
}

func sameNode(x, y Expr) bool {
	if !x.Type().Equal(y.Type()) {
		return false
	}
	switch x := x.(type) {
	case *Column:
		y, ok := y.(*Column)
		return ok && x.Index == y.Index
	case *Literal:
		y, ok := y.(*Literal)
		return ok && valueEqual(x.V, y.V)
	case *Call:
		y, ok := y.(*Call)
		return ok && x.Fn == y.Fn && x.Fn.Volatility != fn.PerRow
	case *Cast:
		y, ok := y.(*Cast)
		return ok && x.Try == y.Try
	case *Case:
		_, ok := y.(*Case)
		return ok
	case *And:
		_, ok := y.(*And)
		return ok
	case *Or:
		_, ok := y.(*Or)
		return ok
	case *Field:
		y, ok := y.(*Field)
		return ok && x.Index == y.Index
	}
	panic("expr: unknown node")
}

// IsConstant tells whether x has one value for the life of the job: no
// columns and only immutable functions.
func IsConstant(x Expr) bool {
	constant := true
	Walk(x, func(y Expr) bool {
		switch y := y.(type) {
		case *Column:
			constant = false
		case *Call:
			constant = constant && y.Fn.Volatility == fn.Immutable
		}
		return constant
	})
	return constant
}

// Conjuncts are the terms of a top-level AND, or x itself; nil gives none.
func Conjuncts(x Expr) []Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *And:
		return x.Terms
	}
	return []Expr{x}
}

// Uncast is x without implicit casts around it.
func Uncast(x Expr) Expr {
	for {
		c, ok := x.(*Cast)
		if !ok || !c.Implicit {
			return x
		}
		x = c.X
	}
}

package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	registerElement("ARRAY_APPEND", "ARRAY_APPEND(array, x)", "An array with x behind its elements.", func(b builder, r row) bool {
		b.addAll(r.list(0))
		b.kid.AppendFrom(r.args[1], r.i)
		return true
	})
	registerElement("ARRAY_PREPEND", "ARRAY_PREPEND(array, x)", "An array with x before its elements.", func(b builder, r row) bool {
		b.kid.AppendFrom(r.args[1], r.i)
		b.addAll(r.list(0))
		return true
	})
	registerElement("ARRAY_REMOVE", "ARRAY_REMOVE(array, x)", "An array without the elements equal to x.", func(b builder, r row) bool {
		l := r.list(0)
		for j := range l.n {
			if !sameAt(l.v, l.off+j, r.args[1], r.i) {
				b.add(l, j)
			}
		}
		return true
	})
	registerSame("ARRAY_DISTINCT", "ARRAY_DISTINCT(array)", "An array with each of its elements once.", func(b builder, r row) bool {
		start := b.kid.Len()
		for l, j := r.list(0), 0; j < l.n; j++ {
			if !b.has(start, l, j) {
				b.add(l, j)
			}
		}
		return true
	})
	registerSame("ARRAY_REVERSE", "ARRAY_REVERSE(array)", "An array in the opposite order.", func(b builder, r row) bool {
		l := r.list(0)
		for j := l.n - 1; j >= 0; j-- {
			b.add(l, j)
		}
		return true
	})
}

// registerElement is a function of an array and an element that may be NULL.
func registerElement(name, syntax, doc string, f func(builder, row) bool) {
	fn.Register(&fn.Scalar{Name: name, Syntax: syntax, Doc: doc, Bind: func(args []fn.Arg) (*fn.Bound, error) {
		array, elem, err := bindElement(syntax, args)
		if err != nil {
			return nil, err
		}
		return &fn.Bound{Params: []types.Type{array, elem}, Result: array, NullAware: true,
			New: arrayRows(func(b builder, r row) bool { return !r.null(0) && f(b, r) })}, nil
	}})
}

// registerSame is a function of one array that gives one of its type.
func registerSame(name, syntax, doc string, f func(builder, row) bool) {
	simple{name: name, syntax: syntax, doc: doc, params: []param{arrayArg}, kernel: arrayRows(f),
		resultOf: func(ts []types.Type) types.Type { return ts[0] }}.register()
}

// arrayOrder compares elements of one array; nulls have their own place.
func arrayOrder(v *vec.Vector, i, j int, descending, nullsFirst bool) int {
	a, b := v.IsNull(i), v.IsNull(j)
	switch {
	case a && b:
		return 0
	case a || b:
		if a == nullsFirst {
			return -1
		}
		return 1
	case descending:
		return compareAt(v, j, v, i)
	}
	return compareAt(v, i, v, j)
}

package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
)

func init() {
	registerArrays("ARRAY_CONCAT", "ARRAY_CONCAT(a, b …)", "The elements of all arrays.", 1, func(b builder, r row) {
		for i := range r.args {
			b.addAll(r.list(i))
		}
	})
	registerArrays("ARRAY_UNION", "ARRAY_UNION(a, b)", "The elements of both arrays, each once.", 2, func(b builder, r row) {
		start := b.kid.Len()
		for i := range r.args {
			for l, j := r.list(i), 0; j < l.n; j++ {
				if !b.has(start, l, j) {
					b.add(l, j)
				}
			}
		}
	})
	registerArrays("ARRAY_EXCEPT", "ARRAY_EXCEPT(a, b)", "The elements of a that are not in b, each once.", 2, func(b builder, r row) { keepIf(b, r, false) })
	registerArrays("ARRAY_INTERSECT", "ARRAY_INTERSECT(a, b)", "The elements that are in both arrays, each once.", 2, func(b builder, r row) { keepIf(b, r, true) })
}

func keepIf(b builder, r row, inOther bool) {
	l, other, start := r.list(0), r.list(1), b.kid.Len()
	for j := range l.n {
		if (other.index(l.v, l.off+j) >= 0) == inOther && !b.has(start, l, j) {
			b.add(l, j)
		}
	}
}

func registerArrays(name, syntax, doc string, n int, f func(builder, row)) {
	fn.Register(&fn.Scalar{Name: name, Syntax: syntax, Doc: doc, Bind: func(args []fn.Arg) (*fn.Bound, error) {
		t, err := bindArrays(syntax, args, n)
		if err != nil {
			return nil, err
		}
		return &fn.Bound{Params: same(t, len(args)), Result: t, New: arrayRows(func(b builder, r row) bool {
			f(b, r)
			return true
		})}, nil
	}})
}

package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// list is the array of one row.
type list struct {
	v      *vec.Vector // the elements
	off, n int
}

func (r row) list(arg int) list {
	s := r.args[arg].Spans[r.i]
	return list{r.args[arg].Kids[0], int(s.Off), int(s.Len)}
}

// index is where an element equal to row i of v stands, from 0; −1 if
// nowhere. NULL equals NULL.
func (l list) index(v *vec.Vector, i int) int {
	for j := range l.n {
		if sameAt(l.v, l.off+j, v, i) {
			return j
		}
	}
	return -1
}

// builder appends elements to the array that is the result.
type builder struct{ kid *vec.Vector }

func (b builder) add(l list, j int) { b.kid.AppendFrom(l.v, l.off+j) }

func (b builder) addAll(l list) {
	for j := range l.n {
		b.add(l, j)
	}
}

// has tells whether the elements from start on have one equal to l's j.
func (b builder) has(start int, l list, j int) bool {
	return list{b.kid, start, b.kid.Len() - start}.index(l.v, l.off+j) >= 0
}

// arrayRows makes a kernel of a function that appends a row's elements;
// false makes the row NULL.
func arrayRows(f func(b builder, r row) bool) func() fn.Kernel {
	k := func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		b := builder{out.Kids[0]}
		for _, i := range rows {
			start := b.kid.Len()
			if !f(b, row{args, int(i)}) {
				out.SetNull(int(i))
			}
			out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(b.kid.Len() - start)}
		}
		return nil
	}
	return func() fn.Kernel { return k }
}

// bindElement checks (array, element): both get the common element type.
func bindElement(syntax string, args []fn.Arg) (array, elem types.Type, err error) {
	if len(args) != 2 || args[0].Type.Kind != types.Array {
		return array, elem, fmt.Errorf("%s takes an ARRAY and an element", syntax)
	}
	elem, err = fn.Common(*args[0].Type.Elem, args[1].Type)
	if err != nil {
		return array, elem, fmt.Errorf("%s: %w", syntax, err)
	}
	array = types.ArrayOf(elem).Nullable(!args[0].Type.NotNull)
	return array, elem, nil
}

// bindArrays checks n or more arrays of a common element type.
func bindArrays(syntax string, args []fn.Arg, n int) (types.Type, error) {
	ts := make([]types.Type, len(args))
	for i, a := range args {
		if a.Type.Kind != types.Array && a.Type.Kind != types.Null {
			return types.Type{}, fmt.Errorf("argument %d of %s must be an ARRAY, not %s", i+1, syntax, a.Type.Text())
		}
		ts[i] = a.Type
	}
	if len(args) < n {
		return types.Type{}, fmt.Errorf("%s takes at least %d arrays", syntax, n)
	}
	t, err := fn.Common(ts...)
	if err != nil {
		err = fmt.Errorf("%s: %w", syntax, err)
	}
	return t, err
}

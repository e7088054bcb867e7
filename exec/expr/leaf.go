package expr

import (
	"github.com/sqlstream/sqlstream/exec/vec"
)

// column is a column of the batch.
type column int

func (c column) eval(s *scope) (*vec.Vector, error) { return s.batch.Cols[c], nil }

// constant is a literal as a column of equal values, made once and only
// grown.
type constant struct {
	value vec.Value
	full  *vec.Vector
	view  vec.Vector
}

func newConstant(l *Literal) *constant { return &constant{value: l.V, full: vec.New(l.T)} }

func (c *constant) eval(s *scope) (*vec.Vector, error) {
	n := s.batch.N
	for c.full.Len() < n {
		c.grow()
	}
	c.view = head(c.full, n)
	return &c.view, nil
}

// grow adds one more row. The bytes and elements of all rows are those of
// the first.
func (c *constant) grow() {
	v := c.full
	if v.Len() == 0 || v.Kind == vec.Row || c.value.Null {
		v.AppendValue(c.value)
		return
	}
	switch v.Kind {
	case vec.Bool:
		v.Bool = append(v.Bool, v.Bool[0])
	case vec.I64:
		v.I64 = append(v.I64, v.I64[0])
	case vec.F64:
		v.F64 = append(v.F64, v.F64[0])
	case vec.I128:
		v.I128 = append(v.I128, v.I128[0])
	default:
		v.Spans = append(v.Spans, v.Spans[0])
	}
}

// head is a view of the first n rows.
func head(v *vec.Vector, n int) vec.Vector {
	w := vec.Vector{Kind: v.Kind, Nulls: v.Nulls, Data: v.Data, Kids: v.Kids}
	switch v.Kind {
	case vec.Bool:
		w.Bool = v.Bool[:n]
	case vec.I64:
		w.I64 = v.I64[:n]
	case vec.F64:
		w.F64 = v.F64[:n]
	case vec.I128:
		w.I128 = v.I128[:n]
	case vec.Row:
		w.N = n
	default:
		w.Spans = v.Spans[:n]
	}
	return w
}

// fieldOf is a field of a row column: the child itself, or with the row's
// nulls added a second header on its memory.
type fieldOf struct {
	row   *node
	index int
	view  vec.Vector
}

func (f *fieldOf) eval(s *scope) (*vec.Vector, error) {
	row, err := f.row.get(s)
	if err != nil {
		return nil, err
	}
	kid := row.Kids[f.index]
	if row.Nulls == nil {
		return kid, nil
	}
	v := &f.view
	v.Kind, v.Bool, v.I64, v.F64, v.I128 = kid.Kind, kid.Bool, kid.I64, kid.F64, kid.I128
	v.Spans, v.Data, v.Kids, v.N = kid.Spans, kid.Data, kid.Kids, kid.N
	v.CopyNulls(kid)
	v.OrNulls(row)
	return v, nil
}

package vec

import "slices"

// Len is the number of physical rows.
func (v *Vector) Len() int {
	switch v.Kind {
	case Bool:
		return len(v.Bool)
	case I64:
		return len(v.I64)
	case F64:
		return len(v.F64)
	case I128:
		return len(v.I128)
	case Row:
		return v.N
	default:
		return len(v.Spans)
	}
}

// Reset empties the vector and keeps its memory.
func (v *Vector) Reset() {
	v.Bool, v.I64, v.F64, v.I128 = v.Bool[:0], v.I64[:0], v.F64[:0], v.I128[:0]
	v.Spans, v.Data, v.N = v.Spans[:0], v.Data[:0], 0
	v.Nulls = nil
	for _, k := range v.Kids {
		k.Reset()
	}
}

// Resize makes the vector n rows long, for kernels that then write by row
// index. Nulls are cleared; old values are left as they are, new ones are
// undefined. Children of a Row are resized too, those of a List emptied.
func (v *Vector) Resize(n int) {
	v.Nulls = nil
	switch v.Kind {
	case Bool:
		v.Bool = resize(v.Bool, n)
	case I64:
		v.I64 = resize(v.I64, n)
	case F64:
		v.F64 = resize(v.F64, n)
	case I128:
		v.I128 = resize(v.I128, n)
	case Bytes:
		v.Spans, v.Data = resize(v.Spans, n), v.Data[:0]
		clear(v.Spans)
	case List:
		v.Spans = resize(v.Spans, n)
		clear(v.Spans)
		for _, k := range v.Kids {
			k.Reset()
		}
	case Row:
		v.N = n
		for _, k := range v.Kids {
			k.Resize(n)
		}
	}
}

// Truncate drops the rows from n on. Nulls of the others stay.
func (v *Vector) Truncate(n int) {
	switch v.Kind {
	case Bool:
		v.Bool = v.Bool[:n]
	case I64:
		v.I64 = v.I64[:n]
	case F64:
		v.F64 = v.F64[:n]
	case I128:
		v.I128 = v.I128[:n]
	case Row:
		v.N = n
		for _, k := range v.Kids {
			k.Truncate(n)
		}
	default:
		v.Spans = v.Spans[:n]
	}
	v.truncateNulls(n)
}

// truncateNulls keeps bits from n on clear, for rows that are appended.
func (v *Vector) truncateNulls(n int) {
	words := (n + 63) >> 6
	if len(v.Nulls) < words || v.Nulls == nil {
		return
	}
	v.Nulls = v.Nulls[:words]
	if n&63 != 0 {
		v.Nulls[words-1] &= 1<<(n&63) - 1
	}
}

func resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return slices.Grow(s[:0], n)[:n]
}

// SetBytes makes b the value of row i, which must be within the length.
func (v *Vector) SetBytes(i int, b []byte) {
	v.Spans[i] = Span{uint32(len(v.Data)), uint32(len(b))}
	v.Data = append(v.Data, b...)
}

// SetString is SetBytes for a string.
func (v *Vector) SetString(i int, s string) {
	v.Spans[i] = Span{uint32(len(v.Data)), uint32(len(s))}
	v.Data = append(v.Data, s...)
}

// AppendBytes adds a row to a Bytes vector.
func (v *Vector) AppendBytes(b []byte) {
	v.Spans = append(v.Spans, Span{uint32(len(v.Data)), uint32(len(b))})
	v.Data = append(v.Data, b...)
}

// AppendNull adds a null row.
func (v *Vector) AppendNull() {
	v.AppendZero()
	v.SetNull(v.Len() - 1)
}

// AppendZero adds a row that is not null (nor are its fields), to be written
// by index.
func (v *Vector) AppendZero() {
	switch v.Kind {
	case Bool:
		v.Bool = append(v.Bool, false)
	case I64:
		v.I64 = append(v.I64, 0)
	case F64:
		v.F64 = append(v.F64, 0)
	case I128:
		v.I128 = append(v.I128, Int128{})
	case Row:
		v.N++
		for _, k := range v.Kids {
			k.AppendZero()
		}
	default:
		v.Spans = append(v.Spans, Span{})
	}
	v.KeepNulls()
}

// AppendFrom adds a copy of row i of src, a vector of the same shape.
func (v *Vector) AppendFrom(src *Vector, i int) {
	if src.IsNull(i) {
		v.AppendNull()
		return
	}
	switch v.Kind {
	case Bool:
		v.Bool = append(v.Bool, src.Bool[i])
	case I64:
		v.I64 = append(v.I64, src.I64[i])
	case F64:
		v.F64 = append(v.F64, src.F64[i])
	case I128:
		v.I128 = append(v.I128, src.I128[i])
	case Bytes:
		v.AppendBytes(src.BytesAt(i))
	case List:
		v.appendList(src, src.Spans[i])
	case Row:
		v.N++
		for c, k := range v.Kids {
			k.AppendFrom(src.Kids[c], i)
		}
	}
	if v.Nulls != nil {
		v.needNulls(v.Len())
	}
}

func (v *Vector) appendList(src *Vector, s Span) {
	v.Spans = append(v.Spans, Span{uint32(v.Kids[0].Len()), s.Len})
	for c, k := range v.Kids {
		for j := s.Off; j < s.Off+s.Len; j++ {
			k.AppendFrom(src.Kids[c], int(j))
		}
	}
}

// AppendRows adds copies of the given rows of src, or of its first n if rows
// is nil. Fixed-width columns without nulls go at memory speed.
func (v *Vector) AppendRows(src *Vector, rows []int32, n int) {
	if src.Nulls != nil || v.Nulls != nil || v.Kind >= List {
		appendEach(v, src, rows, n)
		return
	}
	switch v.Kind {
	case Bool:
		v.Bool = gather(v.Bool, src.Bool, rows, n)
	case I64:
		v.I64 = gather(v.I64, src.I64, rows, n)
	case F64:
		v.F64 = gather(v.F64, src.F64, rows, n)
	case I128:
		v.I128 = gather(v.I128, src.I128, rows, n)
	case Bytes:
		v.appendSpans(src, rows, n)
	}
}

// appendSpans copies byte strings without nulls.
func (v *Vector) appendSpans(src *Vector, rows []int32, n int) {
	if rows == nil {
		rows = Identity(n)
	}
	v.Spans = slices.Grow(v.Spans, len(rows))
	for _, i := range rows {
		s := src.Spans[i]
		v.Spans = append(v.Spans, Span{uint32(len(v.Data)), s.Len})
		v.Data = append(v.Data, src.Data[s.Off:s.Off+s.Len]...)
	}
}

func appendEach(v, src *Vector, rows []int32, n int) {
	if rows == nil {
		for i := range n {
			v.AppendFrom(src, i)
		}
		return
	}
	for _, i := range rows {
		v.AppendFrom(src, int(i))
	}
}

func gather[T any](dst, src []T, rows []int32, n int) []T {
	if rows == nil {
		return append(dst, src[:n]...)
	}
	dst = slices.Grow(dst, len(rows))
	for _, i := range rows {
		dst = append(dst, src[i])
	}
	return dst
}

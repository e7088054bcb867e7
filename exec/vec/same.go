package vec

// Same tells whether value i of a and value j of b, vectors of one shape, are
// equal; nulls are, and so are −0 and 0, and any two NaN.
func Same(a *Vector, i int, b *Vector, j int) bool {
	if a.IsNull(i) || b.IsNull(j) {
		return a.IsNull(i) && b.IsNull(j)
	}
	switch a.Kind {
	case Bool:
		return a.Bool[i] == b.Bool[j]
	case I64:
		return a.I64[i] == b.I64[j]
	case F64:
		x, y := a.F64[i], b.F64[j]
		return x == y || x != x && y != y
	case I128:
		return a.I128[i] == b.I128[j]
	case Bytes:
		return string(a.BytesAt(i)) == string(b.BytesAt(j))
	case Row:
		for c := range a.Kids {
			if !Same(a.Kids[c], i, b.Kids[c], j) {
				return false
			}
		}
		return true
	default:
		return sameList(a, a.Spans[i], b, b.Spans[j])
	}
}

func sameList(a *Vector, s Span, b *Vector, t Span) bool {
	if s.Len != t.Len {
		return false
	}
	for k := range s.Len {
		for c := range a.Kids {
			if !Same(a.Kids[c], int(s.Off+k), b.Kids[c], int(t.Off+k)) {
				return false
			}
		}
	}
	return true
}

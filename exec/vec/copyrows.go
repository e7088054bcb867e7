package vec

// CopyRows sets the given rows of v to those of src, a vector of the same
// shape; v is long enough. Bytes and elements are added behind those v has.
func (v *Vector) CopyRows(src *Vector, rows []int32) {
	switch v.Kind {
	case Bool:
		copyEach(v.Bool, src.Bool, rows)
	case I64:
		copyEach(v.I64, src.I64, rows)
	case F64:
		copyEach(v.F64, src.F64, rows)
	case I128:
		copyEach(v.I128, src.I128, rows)
	case Bytes:
		for _, r := range rows {
			v.SetBytes(int(r), src.BytesAt(int(r)))
		}
	case List:
		v.copyLists(src, rows)
	case Row:
		for i, k := range v.Kids {
			k.CopyRows(src.Kids[i], rows)
		}
	}
	if src.Nulls == nil {
		return
	}
	for _, r := range rows {
		if src.IsNull(int(r)) {
			v.SetNull(int(r))
		}
	}
}

func copyEach[T any](dst, src []T, rows []int32) {
	for _, r := range rows {
		dst[r] = src[r]
	}
}

func (v *Vector) copyLists(src *Vector, rows []int32) {
	for _, r := range rows {
		if src.IsNull(int(r)) {
			continue
		}
		s := src.Spans[r]
		v.Spans[r] = Span{uint32(v.Kids[0].Len()), s.Len}
		for i, k := range v.Kids {
			for j := s.Off; j < s.Off+s.Len; j++ {
				k.AppendFrom(src.Kids[i], int(j))
			}
		}
	}
}

package scalar

import (
	"bytes"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// sameAt tells whether two values of one type are the same: nulls are, and
// maps are if they have the same entries in any order.
func sameAt(a *vec.Vector, i int, b *vec.Vector, j int) bool {
	if a.IsNull(i) || b.IsNull(j) {
		return a.IsNull(i) && b.IsNull(j)
	}
	switch a.Kind {
	case vec.Bool:
		return a.Bool[i] == b.Bool[j]
	case vec.I64:
		return a.I64[i] == b.I64[j]
	case vec.F64:
		return a.F64[i] == b.F64[j]
	case vec.I128:
		return a.I128[i] == b.I128[j]
	case vec.Bytes:
		return bytes.Equal(a.BytesAt(i), b.BytesAt(j))
	case vec.Row:
		for c := range a.Kids {
			if !sameAt(a.Kids[c], i, b.Kids[c], j) {
				return false
			}
		}
		return true
	}
	if a.Spans[i].Len != b.Spans[j].Len {
		return false
	}
	if len(a.Kids) == 2 {
		return sameEntries(a, i, b, j)
	}
	x, y := a.Spans[i], b.Spans[j]
	for n := range x.Len {
		if !sameAt(a.Kids[0], int(x.Off+n), b.Kids[0], int(y.Off+n)) {
			return false
		}
	}
	return true
}

func sameEntries(a *vec.Vector, i int, b *vec.Vector, j int) bool {
	x, y := a.Spans[i], b.Spans[j]
	for n := x.Off; n < x.Off+x.Len; n++ {
		found := false
		for m := y.Off; m < y.Off+y.Len && !found; m++ {
			found = sameAt(a.Kids[0], int(n), b.Kids[0], int(m)) && sameAt(a.Kids[1], int(n), b.Kids[1], int(m))
		}
		if !found {
			return false
		}
	}
	return true
}

// compareAt orders two values of a type that has an order; not null.
func compareAt(a *vec.Vector, i int, b *vec.Vector, j int) int {
	switch a.Kind {
	case vec.Bool:
		return sign(a.Bool[i]) - sign(b.Bool[j])
	case vec.I64:
		return ordered(a.I64[i], b.I64[j])
	case vec.F64:
		return ordered(a.F64[i], b.F64[j])
	case vec.I128:
		return a.I128[i].Cmp(b.I128[j])
	case vec.Bytes:
		return bytes.Compare(a.BytesAt(i), b.BytesAt(j))
	}
	panic("scalar: no order")
}

func ordered[T stored](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

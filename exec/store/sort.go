package store

import (
	"bytes"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// Sortable tells whether values of t have an order.
func Sortable(t types.Type) bool { return vec.KindOf(t) != vec.List && vec.KindOf(t) != vec.Row }

// SortKey appends bytes that order as the value does; the value is not null.
func SortKey(key []byte, v *vec.Vector, row int, desc bool) []byte {
	switch v.Kind {
	case vec.Bool:
		x := int64(0)
		if v.Bool[row] {
			x = 1
		}
		return state.AppendSortI64(key, x, desc)
	case vec.I64:
		return state.AppendSortI64(key, v.I64[row], desc)
	case vec.F64:
		return state.AppendSortF64(key, v.F64[row], desc)
	case vec.I128:
		return state.AppendSortI128(key, state.Int128(v.I128[row]), desc)
	case vec.Bytes:
		return state.AppendSortBytes(key, v.BytesAt(row), desc)
	default:
		panic("store: a nested value has no order")
	}
}

// SortKeyNulls is SortKey for a value that may be null.
func SortKeyNulls(key []byte, v *vec.Vector, row int, desc, nullsLast bool) []byte {
	null := v.IsNull(row)
	if null == nullsLast {
		key = append(key, 1)
	} else {
		key = append(key, 0)
	}
	if null {
		return key
	}
	return SortKey(key, v, row, desc)
}

// Before tells whether value row of v comes before that of the slot
// (greater: after it). Neither is null.
func Before(k *Column, slot int32, v *vec.Vector, row int, greater bool) bool {
	c := compare(k, slot, v, row)
	if greater {
		return c < 0
	}
	return c > 0
}

// compare is the order of the slot's value to that of v.
func compare(k *Column, slot int32, v *vec.Vector, row int) int {
	switch k.class {
	case state.Bool:
		return order(b2i(k.bools.At(slot)), b2i(v.Bool[row]))
	case state.I64:
		return order(k.ints.At(slot), v.I64[row])
	case state.F64:
		return compareFloats(k.floats.At(slot), v.F64[row])
	case state.I128:
		return vec.Int128(k.wides.At(slot)).Cmp(v.I128[row])
	case state.Bytes:
		return bytes.Compare(k.bytes.At(slot), v.BytesAt(row))
	default:
		panic("store: a nested value has no order")
	}
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func order[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareFloats puts NaN above all numbers.
func compareFloats(a, b float64) int {
	switch {
	case a != a && b != b:
		return 0
	case a != a:
		return 1
	case b != b:
		return -1
	}
	return order(a, b)
}

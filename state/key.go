package state

import "bytes"

// keyColumn is a key column by its class; one of the pointers is set.
type keyColumn struct {
	class Class
	bool  *column[bool]
	i64   *column[int64]
	f64   *column[float64]
	i128  *column[Int128]
	bytes *bytesColumn
}

func keyOf(class Class, p pager) keyColumn {
	k := keyColumn{class: class}
	switch c := p.(type) {
	case *column[bool]:
		k.bool = c
	case *column[int64]:
		k.i64 = c
	case *column[float64]:
		k.f64 = c
	case *column[Int128]:
		k.i128 = c
	case *bytesColumn:
		k.bytes = c
	}
	return k
}

// match sets bad[i] where the key of slots[i] is not that of rows[i]. Negative slots are skipped.
func (k *keyColumn) match(in *KeyCol, rows, slots []int32, bad []bool) {
	switch k.class {
	case Bool:
		matchColumn(k.bool, in.Bool, in, rows, slots, bad)
	case I64:
		matchColumn(k.i64, in.I64, in, rows, slots, bad)
	case I128:
		matchColumn(k.i128, in.I128, in, rows, slots, bad)
	case F64:
		matchFloats(k.f64, in, rows, slots, bad)
	default:
		matchBytes(k.bytes, in, rows, slots, bad)
	}
}

func matchFloats(c *column[float64], in *KeyCol, rows, slots []int32, bad []bool) {
	for i, s := range slots {
		if s < 0 {
			continue
		}
		null := in.isNull(rows[i])
		a, b := in.F64[rows[i]], c.at(s)
		if null != c.isNull(s) || !null && a != b && (a == a || b == b) {
			bad[i] = true
		}
	}
}

func matchBytes(c *bytesColumn, in *KeyCol, rows, slots []int32, bad []bool) {
	nulls := in.Null != nil || c.anyNull
	for i, s := range slots {
		if s < 0 {
			continue
		}
		null := false
		if nulls {
			if null = in.isNull(rows[i]); null != c.isNull(s) {
				bad[i] = true
			}
		}
		if v := c.at(s); !null && (v.Len != in.Spans[rows[i]].Len || !bytes.Equal(in.bytes(rows[i]), c.arena.get(v))) {
			bad[i] = true
		}
	}
}

func matchColumn[T comparable](c *column[T], vals []T, in *KeyCol, rows, slots []int32, bad []bool) {
	if in.Null != nil || c.anyNull {
		for i, s := range slots {
			if s < 0 {
				continue
			}
			null := in.isNull(rows[i])
			if null != c.isNull(s) || !null && vals[rows[i]] != c.pages[s>>PageShift][s&PageMask] {
				bad[i] = true
			}
		}
		return
	}
	for i, s := range slots {
		if s >= 0 && vals[rows[i]] != c.pages[s>>PageShift][s&PageMask] {
			bad[i] = true
		}
	}
}

// equal compares one key: nulls are equal, -0 = 0, NaN = NaN.
func (k *keyColumn) equal(in *KeyCol, row, s int32) bool {
	p, at := s>>PageShift, s&PageMask
	null := in.isNull(row)
	if null || k.isNull(s) {
		return null && k.isNull(s)
	}
	switch k.class {
	case Bool:
		return in.Bool[row] == k.bool.pages[p][at]
	case I64:
		return in.I64[row] == k.i64.pages[p][at]
	case F64:
		a, b := in.F64[row], k.f64.pages[p][at]
		return a == b || a != a && b != b
	case I128:
		return in.I128[row] == k.i128.pages[p][at]
	}
	return bytes.Equal(in.bytes(row), k.bytes.arena.get(k.bytes.pages[p][at]))
}

func (k *keyColumn) isNull(s int32) bool {
	switch k.class {
	case Bool:
		return k.bool.isNull(s)
	case I64:
		return k.i64.isNull(s)
	case F64:
		return k.f64.isNull(s)
	case I128:
		return k.i128.isNull(s)
	}
	return k.bytes.isNull(s)
}

// store writes the key of a new row; a null's value is zero.
func (k *keyColumn) store(in *KeyCol, row, s int32) {
	null := in.isNull(row)
	switch k.class {
	case Bool:
		storeCell(k.bool, in.Bool, row, s, null)
	case I64:
		storeCell(k.i64, in.I64, row, s, null)
	case F64:
		storeCell(k.f64, in.F64, row, s, null)
	case I128:
		storeCell(k.i128, in.I128, row, s, null)
	default:
		k.bytes.zero(s)
		if !null {
			k.bytes.set(s, in.bytes(row))
		}
		k.bytes.setNull(s, null)
	}
}

func storeCell[T any](c *column[T], vals []T, row, s int32, null bool) {
	var v T
	if !null {
		v = vals[row]
	}
	c.put(s, v)
	c.setNull(s, null)
}

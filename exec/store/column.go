// Package store carries values between vectors and keyed state: it maps SQL
// types to storage classes, columns to keys, and copies values by slot.
package store

import (
	"fmt"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// Class is how values of t are kept.
func Class(t types.Type) state.Class {
	switch vec.KindOf(t) {
	case vec.Bool:
		return state.Bool
	case vec.I64:
		return state.I64
	case vec.F64:
		return state.F64
	case vec.I128:
		return state.I128
	case vec.Bytes:
		return state.Bytes
	default:
		return state.List
	}
}

// Classes are those of several columns.
func Classes(fields []types.Field) []state.Class {
	cs := make([]state.Class, len(fields))
	for i, f := range fields {
		cs[i] = Class(f.Type)
	}
	return cs
}

// Columns is where handles of state columns come from: a table's values, a
// list, or an ordered map.
type Columns interface {
	BoolCol(i int) state.Col[bool]
	I64Col(i int) state.Col[int64]
	F64Col(i int) state.Col[float64]
	I128Col(i int) state.Col[state.Int128]
	BytesCol(i int) state.BytesCol
}

// TableKeys are the key columns of a table as Columns.
func TableKeys(t *state.Table) Columns { return keys{t} }

type keys struct{ t *state.Table }

func (k keys) BoolCol(i int) state.Col[bool]         { return k.t.KeyBool(i) }
func (k keys) I64Col(i int) state.Col[int64]         { return k.t.KeyI64(i) }
func (k keys) F64Col(i int) state.Col[float64]       { return k.t.KeyF64(i) }
func (k keys) I128Col(i int) state.Col[state.Int128] { return k.t.KeyI128(i) }
func (k keys) BytesCol(i int) state.BytesCol         { return k.t.KeyBytes(i) }

// Column copies values of one type to and from a state column. Slots to be
// written have been touched.
type Column struct {
	typ     types.Type
	class   state.Class
	bools   state.Col[bool]
	ints    state.Col[int64]
	floats  state.Col[float64]
	wides   state.Col[state.Int128]
	bytes   state.BytesCol
	scratch []byte
}

// NewColumn is column i of c, which holds values of t.
func NewColumn(c Columns, i int, t types.Type) *Column {
	k := &Column{typ: t, class: Class(t)}
	switch k.class {
	case state.Bool:
		k.bools = c.BoolCol(i)
	case state.I64:
		k.ints = c.I64Col(i)
	case state.F64:
		k.floats = c.F64Col(i)
	case state.I128:
		k.wides = c.I128Col(i)
	default:
		k.bytes = c.BytesCol(i)
	}
	return k
}

// NewColumns are the columns from first on, one for each field.
func NewColumns(c Columns, first int, fields []types.Field) []*Column {
	cols := make([]*Column, len(fields))
	for i, f := range fields {
		cols[i] = NewColumn(c, first+i, f.Type)
	}
	return cols
}

// Put stores value row of v in a slot.
func (k *Column) Put(slot int32, v *vec.Vector, row int) {
	null := v.IsNull(row)
	k.SetNull(slot, null)
	if null {
		return
	}
	switch k.class {
	case state.Bool:
		k.bools.Set(slot, v.Bool[row])
	case state.I64:
		k.ints.Set(slot, v.I64[row])
	case state.F64:
		k.floats.Set(slot, v.F64[row])
	case state.I128:
		k.wides.Set(slot, state.Int128(v.I128[row]))
	case state.Bytes:
		k.bytes.Set(slot, v.BytesAt(row))
	default:
		k.scratch = Encode(k.scratch[:0], v, row)
		k.bytes.Set(slot, k.scratch)
	}
}

// SetNull stores the null flag.
func (k *Column) SetNull(slot int32, null bool) {
	switch k.class {
	case state.Bool:
		k.bools.SetNull(slot, null)
	case state.I64:
		k.ints.SetNull(slot, null)
	case state.F64:
		k.floats.SetNull(slot, null)
	case state.I128:
		k.wides.SetNull(slot, null)
	default:
		k.bytes.SetNull(slot, null)
	}
}

// IsNull reads the null flag.
func (k *Column) IsNull(slot int32) bool {
	switch k.class {
	case state.Bool:
		return k.bools.IsNull(slot)
	case state.I64:
		return k.ints.IsNull(slot)
	case state.F64:
		return k.floats.IsNull(slot)
	case state.I128:
		return k.wides.IsNull(slot)
	default:
		return k.bytes.IsNull(slot)
	}
}

// PutAll stores v[rows[i]] in slots[i]; negative slots are skipped.
func (k *Column) PutAll(slots []int32, v *vec.Vector, rows []int32) {
	for i, s := range slots {
		if s >= 0 {
			k.Put(s, v, int(rows[i]))
		}
	}
}

// Append adds the value of a slot to dst.
func (k *Column) Append(dst *vec.Vector, slot int32) {
	if slot < 0 || k.IsNull(slot) {
		dst.AppendNull()
		return
	}
	switch k.class {
	case state.Bool:
		dst.Bool = append(dst.Bool, k.bools.At(slot))
	case state.I64:
		dst.I64 = append(dst.I64, k.ints.At(slot))
	case state.F64:
		dst.F64 = append(dst.F64, k.floats.At(slot))
	case state.I128:
		dst.I128 = append(dst.I128, vec.Int128(k.wides.At(slot)))
	case state.Bytes:
		dst.AppendBytes(k.bytes.At(slot))
	default:
		Decode(dst, k.bytes.At(slot))
		return
	}
	dst.KeepNulls()
}

// AppendAll adds the values of slots to dst; a negative slot gives null.
func (k *Column) AppendAll(dst *vec.Vector, slots []int32) {
	for _, s := range slots {
		k.Append(dst, s)
	}
}

// Equal compares the value of a slot with value row of v; nulls are equal.
func (k *Column) Equal(slot int32, v *vec.Vector, row int) bool {
	null := v.IsNull(row)
	if k.IsNull(slot) || null {
		return null && k.IsNull(slot)
	}
	switch k.class {
	case state.Bool:
		return k.bools.At(slot) == v.Bool[row]
	case state.I64:
		return k.ints.At(slot) == v.I64[row]
	case state.F64:
		a, b := k.floats.At(slot), v.F64[row]
		return a == b || a != a && b != b
	case state.I128:
		return vec.Int128(k.wides.At(slot)) == v.I128[row]
	case state.Bytes:
		return string(k.bytes.At(slot)) == string(v.BytesAt(row))
	default:
		k.scratch = Encode(k.scratch[:0], v, row)
		return string(k.bytes.At(slot)) == string(k.scratch)
	}
}

// Keys makes key columns of vectors; nested ones are encoded into scratch
// that the next call reuses.
type Keys struct {
	cols    []state.KeyCol
	scratch [][]byte
	spans   [][]state.Span
}

// Of returns the key columns; they share the vectors' memory and are valid
// as long as these, and until the next call.
func (k *Keys) Of(vs []*vec.Vector, rows []int32) []state.KeyCol {
	k.cols = k.cols[:0]
	for i, v := range vs {
		k.cols = append(k.cols, k.column(i, v, rows))
	}
	return k.cols
}

func (k *Keys) column(i int, v *vec.Vector, rows []int32) state.KeyCol {
	c := state.KeyCol{Null: v.Nulls}
	switch v.Kind {
	case vec.Bool:
		c.Class, c.Bool = state.Bool, v.Bool
	case vec.I64:
		c.Class, c.I64 = state.I64, v.I64
	case vec.F64:
		c.Class, c.F64 = state.F64, v.F64
	case vec.I128:
		c.Class, c.I128 = state.I128, as[state.Int128](v.I128)
	case vec.Bytes:
		c.Class, c.Spans, c.Data = state.Bytes, as[state.Span](v.Spans), v.Data
	default:
		c.Class = state.List
		c.Spans, c.Data = k.encode(i, v, rows)
	}
	return c
}

func (k *Keys) encode(i int, v *vec.Vector, rows []int32) ([]state.Span, []byte) {
	for len(k.scratch) <= i {
		k.scratch, k.spans = append(k.scratch, nil), append(k.spans, nil)
	}
	data, spans := k.scratch[i][:0], k.spans[i][:0]
	for range v.Len() {
		spans = append(spans, state.Span{})
	}
	for _, r := range rows {
		if v.IsNull(int(r)) {
			continue
		}
		off := len(data)
		data = Encode(data, v, int(r))
		spans[r] = state.Span{Off: uint32(off), Len: uint32(len(data) - off)}
	}
	k.scratch[i], k.spans[i] = data, spans
	return spans, data
}

// as views a slice as one of another type with the same layout.
func as[T, F any](s []F) []T {
	var t T
	var f F
	if unsafe.Sizeof(t) != unsafe.Sizeof(f) {
		panic(fmt.Sprintf("store: %T and %T differ", t, f))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

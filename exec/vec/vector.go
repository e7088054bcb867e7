// Package vec holds the rows of the engine: batches of typed columns with a
// null bitmap, and the hash of their keys.
package vec

import "github.com/sqlstream/sqlstream/exec/types"

// Kind is how a column's values are stored.
type Kind uint8

const (
	// Bool: BOOLEAN.
	Bool Kind = iota
	// I64: all integers; DATE in days, TIME in µs of the day, TIMESTAMP and
	// TIMESTAMP_LTZ up to precision 6 in µs, all since 1970-01-01; INTERVAL in
	// months or ms; DECIMAL up to precision 18 as the unscaled integer.
	I64
	// F64: DOUBLE; FLOAT as the float64 of the same value.
	F64
	// I128: DECIMAL of precision over 18 as the unscaled integer (two's
	// complement); timestamps of precision 7–9 as µs in Hi and the
	// remaining 0–999 ns in Lo.
	I128
	// Bytes: strings (UTF-8) and binaries, as spans of shared bytes.
	Bytes
	// List: ARRAY (one child), MAP (children keys and values) and MULTISET
	// (children elements and counts) as spans of their children.
	List
	// Row: ROW, a child a field; children are indexed like the parent. N
	// holds the length.
	Row
)

func (k Kind) String() string {
	return [...]string{"bool", "i64", "f64", "i128", "bytes", "list", "row"}[k]
}

// Int128 is a two's complement 128-bit integer, or a wide timestamp.
type Int128 struct {
	Hi int64
	Lo uint64
}

// Span is a range of Data (Bytes) or of the children (List).
type Span struct{ Off, Len uint32 }

// Vector is one column of a batch: exactly one of the value slices is in use
// (List: Spans and Kids), with one entry a physical row.
//
// A vector that came with a batch is never written by its receiver; see
// Batch. The value of a null entry is undefined but addressable.
type Vector struct {
	Kind  Kind
	Nulls []uint64 // bit i of the bitmap set: row i is null; nil: no nulls. Never shared between vectors: CopyNulls
	Bool  []bool
	I64   []int64
	F64   []float64
	I128  []Int128
	Spans []Span
	Data  []byte
	Kids  []*Vector
	N     int // length of a Row vector

	spare []uint64 // memory of an earlier Nulls
}

// New returns an empty vector that can hold values of t, children included.
func New(t types.Type) *Vector {
	v := &Vector{Kind: KindOf(t)}
	switch t.Kind {
	case types.Array:
		v.Kids = []*Vector{New(*t.Elem)}
	case types.Map:
		v.Kids = []*Vector{New(*t.Key), New(*t.Elem)}
	case types.Multiset:
		v.Kids = []*Vector{New(*t.Elem), {Kind: I64}}
	case types.Row:
		for _, f := range t.Fields {
			v.Kids = append(v.Kids, New(f.Type))
		}
	}
	return v
}

// KindOf is how values of t are stored.
func KindOf(t types.Type) Kind {
	switch t.Kind {
	case types.Boolean:
		return Bool
	case types.Float, types.Double:
		return F64
	case types.Decimal:
		if t.Precision > 18 {
			return I128
		}
		return I64
	case types.Timestamp, types.TimestampLTZ:
		if t.Precision > 6 {
			return I128
		}
		return I64
	case types.Char, types.Varchar, types.Binary, types.Varbinary:
		return Bytes
	case types.Array, types.Map, types.Multiset:
		return List
	case types.Row:
		return Row
	default:
		return I64
	}
}

// IsNull tells whether row i is null.
func (v *Vector) IsNull(i int) bool {
	return v.Nulls != nil && v.Nulls[i>>6]&(1<<(i&63)) != 0
}

// AnyNull tells whether one of the rows is null.
func (v *Vector) AnyNull(rows []int32) bool {
	if v.Nulls == nil {
		return false
	}
	var bits uint64
	for _, row := range rows {
		bits |= v.Nulls[uint32(row)>>6] >> (uint32(row) & 63)
	}
	return bits&1 != 0
}

// SetNull marks row i, which must be within the vector's length, as null.
func (v *Vector) SetNull(i int) {
	v.needNulls(max(i+1, v.Len()))
	v.Nulls[i>>6] |= 1 << (i & 63)
}

// ClearNull marks row i as not null.
func (v *Vector) ClearNull(i int) {
	if v.Nulls != nil && i>>6 < len(v.Nulls) {
		v.Nulls[i>>6] &^= 1 << (i & 63)
	}
}

// needNulls makes the bitmap cover n rows.
func (v *Vector) needNulls(n int) {
	words := (n + 63) >> 6
	if v.Nulls == nil {
		v.Nulls = v.spare[:0]
	}
	for len(v.Nulls) < words {
		v.Nulls = append(v.Nulls, 0)
	}
	v.spare = v.Nulls[:0]
}

// KeepNulls makes the bitmap, if there is one, cover rows that were appended
// to the value slices by hand.
func (v *Vector) KeepNulls() {
	if v.Nulls != nil {
		v.needNulls(v.Len())
	}
}

// CopyNulls gives v, of the same length, the nulls of src.
func (v *Vector) CopyNulls(src *Vector) {
	v.Nulls = nil
	if src.Nulls != nil {
		v.Nulls = append(v.spare[:0], src.Nulls...)
		v.spare = v.Nulls[:0]
	}
}

// OrNulls adds the nulls of src, of the same length, to those of v.
func (v *Vector) OrNulls(src *Vector) {
	if src.Nulls == nil {
		return
	}
	v.needNulls(len(src.Nulls) << 6)
	for i, w := range src.Nulls {
		v.Nulls[i] |= w
	}
}

// Value bytes of row i; the slice is the vector's.
func (v *Vector) BytesAt(i int) []byte {
	s := v.Spans[i]
	return v.Data[s.Off : s.Off+s.Len : s.Off+s.Len]
}

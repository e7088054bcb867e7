package state

import "fmt"

// Class is a storage class: how a value is laid out in memory and on disk. SQL types are mapped to classes by exec/op.
type Class uint8

// The numbers are on-disk format.
const (
	Bool  Class = 1 + iota
	I64         // integers, dates, times up to microseconds, intervals
	F64         //
	I128        // wide decimals, times with nanoseconds
	Bytes       // strings and binary
	List        // ARRAY, MAP, ROW: stored as Bytes, encoded by exec
)

func (c Class) String() string {
	switch c {
	case Bool:
		return "BOOL"
	case I64:
		return "I64"
	case F64:
		return "F64"
	case I128:
		return "I128"
	case Bytes:
		return "BYTES"
	case List:
		return "LIST"
	}
	return fmt.Sprintf("CLASS(%d)", uint8(c))
}

func (c Class) valid() bool { return c >= Bool && c <= List }

// Int128 is a value of class I128. It has the memory layout of exec/vec's 128-bit integer.
type Int128 struct {
	Hi int64
	Lo uint64
}

// Span is a value of class Bytes or List: a range of a shared buffer.
type Span struct{ Off, Len uint32 }

// KeyCol is one key column of a batch, by physical row. Only the slice of its class is set; Spans and Data serve
// Bytes and List. Null has a bit set for each null, and is nil if there is none. The table only reads it.
type KeyCol struct {
	Class Class
	Bool  []bool
	I64   []int64
	F64   []float64
	I128  []Int128
	Spans []Span
	Data  []byte
	Null  []uint64
}

func (k *KeyCol) isNull(row int32) bool {
	return k.Null != nil && k.Null[row>>6]>>(uint(row)&63)&1 != 0
}

func (k *KeyCol) bytes(row int32) []byte {
	s := k.Spans[row]
	return k.Data[s.Off : uint64(s.Off)+uint64(s.Len)]
}

package store

import (
	"encoding/binary"
	"math"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// The encoding of a nested value (on-disk format, version 1): a list is its
// length as a varint, then for each element the entries of its children; a
// row the entries of its fields. An entry is a byte 0 for NULL, else 1 and
// the value: 1 byte for BOOLEAN, 8 bytes little-endian, 16 bytes, or length
// and bytes. Equal values have equal bytes (−0 is written as 0, every NaN as
// one).

// Encode appends the nested value row of v, which is not null.
func Encode(dst []byte, v *vec.Vector, row int) []byte {
	switch v.Kind {
	case vec.Bool:
		if v.Bool[row] {
			return append(dst, 1)
		}
		return append(dst, 0)
	case vec.I64:
		return binary.LittleEndian.AppendUint64(dst, uint64(v.I64[row]))
	case vec.F64:
		return binary.LittleEndian.AppendUint64(dst, floatBits(v.F64[row]))
	case vec.I128:
		dst = binary.LittleEndian.AppendUint64(dst, v.I128[row].Lo)
		return binary.LittleEndian.AppendUint64(dst, uint64(v.I128[row].Hi))
	case vec.Bytes:
		b := v.BytesAt(row)
		dst = binary.AppendUvarint(dst, uint64(len(b)))
		return append(dst, b...)
	case vec.Row:
		for _, k := range v.Kids {
			dst = encodeEntry(dst, k, row)
		}
		return dst
	default:
		s := v.Spans[row]
		dst = binary.AppendUvarint(dst, uint64(s.Len))
		for j := s.Off; j < s.Off+s.Len; j++ {
			for _, k := range v.Kids {
				dst = encodeEntry(dst, k, int(j))
			}
		}
		return dst
	}
}

func floatBits(f float64) uint64 {
	if f == 0 {
		return 0
	}
	if f != f {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(f)
}

func encodeEntry(dst []byte, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(dst, 0)
	}
	return Encode(append(dst, 1), v, row)
}

// Decode appends an encoded value to v, which has its shape, and returns
// what follows it. The bytes are ours: damage was caught by checksums.
func Decode(v *vec.Vector, b []byte) []byte {
	switch v.Kind {
	case vec.Bool:
		v.Bool = append(v.Bool, b[0] != 0)
		b = b[1:]
	case vec.I64:
		v.I64 = append(v.I64, int64(binary.LittleEndian.Uint64(b)))
		b = b[8:]
	case vec.F64:
		v.F64 = append(v.F64, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		b = b[8:]
	case vec.I128:
		v.I128 = append(v.I128, vec.Int128{Lo: binary.LittleEndian.Uint64(b), Hi: int64(binary.LittleEndian.Uint64(b[8:]))})
		b = b[16:]
	case vec.Bytes:
		n, k := binary.Uvarint(b)
		v.AppendBytes(b[k : k+int(n)])
		b = b[k+int(n):]
	case vec.Row:
		v.N++
		for _, kid := range v.Kids {
			b = decodeEntry(kid, b)
		}
	default:
		b = decodeList(v, b)
	}
	v.KeepNulls()
	return b
}

func decodeList(v *vec.Vector, b []byte) []byte {
	n, k := binary.Uvarint(b)
	b = b[k:]
	v.Spans = append(v.Spans, vec.Span{Off: uint32(v.Kids[0].Len()), Len: uint32(n)})
	for range n {
		for _, kid := range v.Kids {
			b = decodeEntry(kid, b)
		}
	}
	return b
}

func decodeEntry(v *vec.Vector, b []byte) []byte {
	if b[0] == 0 {
		v.AppendNull()
		return b[1:]
	}
	return Decode(v, b[1:])
}

package state

import (
	"encoding/binary"
	"math"
)

// AppendSortI64 and its like append a value so that byte order is value order, descending if desc. Several in a row make a
// compound key. For the place of nulls put a byte before each value.

func AppendSortI64(key []byte, v int64, desc bool) []byte {
	return appendSort64(key, uint64(v)^1<<63, desc)
}

// AppendSortF64 puts NaN above all numbers, and -0 equal to 0.
func AppendSortF64(key []byte, v float64, desc bool) []byte {
	if v == 0 {
		v = 0
	}
	b := math.Float64bits(v)
	switch {
	case v != v:
		b = math.MaxUint64
	case b>>63 != 0:
		b = ^b
	default:
		b |= 1 << 63
	}
	return appendSort64(key, b, desc)
}

func AppendSortI128(key []byte, v Int128, desc bool) []byte {
	return appendSort64(appendSort64(key, uint64(v.Hi)^1<<63, desc), v.Lo, desc)
}

func appendSort64(key []byte, v uint64, desc bool) []byte {
	if desc {
		v = ^v
	}
	return binary.BigEndian.AppendUint64(key, v)
}

// AppendSortBytes ends the value so that a prefix sorts before what it begins: 0 becomes 0 FF, the end is 0 0.
func AppendSortBytes(key, v []byte, desc bool) []byte {
	from := len(key)
	for _, c := range v {
		key = append(key, c)
		if c == 0 {
			key = append(key, 0xFF)
		}
	}
	key = append(key, 0, 0)
	if desc {
		for i := from; i < len(key); i++ {
			key[i] = ^key[i]
		}
	}
	return key
}

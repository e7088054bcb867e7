package vec

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// HashVersion names the function below in checkpoint metadata: key groups on
// disk depend on it. It is unseeded and the same on every machine.
const HashVersion = 1

const (
	hashSeed = 0x9e3779b97f4a7c15
	hashMul1 = 0xa0761d6478bd642f
	hashMul2 = 0xe7037ed1a0b428db
	hashNull = 0x8ebc6af09c88c6e3
)

// mix folds the 128-bit product of a and b.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashInt is the hash of an integer, and of whatever equals one.
func hashInt(x int64) uint64 { return mix(uint64(x)^hashMul1, hashMul2^hashSeed) }

// hashFloat hashes −0 as 0 and every NaN as one.
func hashFloat(f float64) uint64 {
	if f == 0 {
		return mix(hashSeed, hashMul1)
	}
	if f != f {
		return mix(hashNull, hashMul1)
	}
	return mix(math.Float64bits(f)^hashMul2, hashMul1^hashSeed)
}

// hashWide hashes a 128-bit decimal that fits 64 bits like the narrow one.
func hashWide(w Int128) uint64 {
	if w.Hi == int64(w.Lo)>>63 {
		return hashInt(int64(w.Lo))
	}
	return mix(uint64(w.Hi)^hashMul2, w.Lo^hashSeed)
}

// HashBytes is the hash of a byte string.
func HashBytes(b []byte) uint64 {
	h := uint64(hashSeed) ^ uint64(len(b))
	for len(b) >= 16 {
		h = mix(binary.LittleEndian.Uint64(b)^hashMul1, binary.LittleEndian.Uint64(b[8:])^h)
		b = b[16:]
	}
	if len(b) >= 8 {
		h = mix(binary.LittleEndian.Uint64(b)^hashMul2, h)
		b = b[8:]
	}
	var tail uint64
	for i, c := range b {
		tail |= uint64(c) << (8 * i)
	}
	return mix(tail^hashMul1, h^hashMul2)
}

// hashAt is the hash of any one value; the slow way, for nested ones.
func hashAt(v *Vector, i int) uint64 {
	if v.IsNull(i) {
		return hashNull
	}
	switch v.Kind {
	case Bool:
		return hashBool(v.Bool[i])
	case I64:
		return hashInt(v.I64[i])
	case F64:
		return hashFloat(v.F64[i])
	case I128:
		return hashWide(v.I128[i])
	case Bytes:
		return HashBytes(v.BytesAt(i))
	case Row:
		h := uint64(hashSeed)
		for _, k := range v.Kids {
			h = mix(h^hashAt(k, i), hashMul1)
		}
		return h
	default:
		s, h := v.Spans[i], uint64(hashSeed)^uint64(v.Spans[i].Len)
		for j := s.Off; j < s.Off+s.Len; j++ {
			for _, k := range v.Kids {
				h = mix(h^hashAt(k, int(j)), hashMul2)
			}
		}
		return h
	}
}

func hashBool(b bool) uint64 {
	if b {
		return hashInt(1)
	}
	return hashInt(0)
}

// HashRows writes the hash of the key columns of each of the given rows to
// out[row]; out is grown to n physical rows and returned. An empty key
// hashes to one constant.
//
// Equal keys must have equal types: the planner casts both sides of an
// equality to one type before they are hashed.
func HashRows(key []*Vector, rows []int32, n int, out []uint64) []uint64 {
	out = resize(out, n)
	for _, r := range rows {
		out[r] = hashSeed
	}
	for _, v := range key {
		hashColumn(v, rows, out)
	}
	return out
}

func hashColumn(v *Vector, rows []int32, out []uint64) {
	switch {
	case v.Kind == I64 && v.Nulls == nil:
		for _, r := range rows {
			out[r] = mix(out[r]^hashInt(v.I64[r]), hashMul1)
		}
	case v.Kind == Bytes && v.Nulls == nil:
		for _, r := range rows {
			out[r] = mix(out[r]^HashBytes(v.BytesAt(int(r))), hashMul1)
		}
	default:
		for _, r := range rows {
			out[r] = mix(out[r]^hashAt(v, int(r)), hashMul1)
		}
	}
}

package vec

import "fmt"

// Value is one value outside a vector: literals, defaults, test data. Never
// on the path of rows.
type Value struct {
	Null bool
	Kind Kind
	I    int64 // Bool (0, 1) and I64
	F    float64
	W    Int128
	S    string  // Bytes
	L    []Value // List: elements (MAP: key, value, key, value …; MULTISET: element, count …); Row: fields
}

// NullValue is NULL of the given kind.
func NullValue(k Kind) Value { return Value{Null: true, Kind: k} }

// At copies row i out of the vector.
func (v *Vector) At(i int) Value {
	if v.IsNull(i) {
		return NullValue(v.Kind)
	}
	x := Value{Kind: v.Kind}
	switch v.Kind {
	case Bool:
		if v.Bool[i] {
			x.I = 1
		}
	case I64:
		x.I = v.I64[i]
	case F64:
		x.F = v.F64[i]
	case I128:
		x.W = v.I128[i]
	case Bytes:
		x.S = string(v.BytesAt(i))
	case List:
		s := v.Spans[i]
		for j := s.Off; j < s.Off+s.Len; j++ {
			for _, k := range v.Kids {
				x.L = append(x.L, k.At(int(j)))
			}
		}
	case Row:
		for _, k := range v.Kids {
			x.L = append(x.L, k.At(i))
		}
	}
	return x
}

// AppendValue adds x, which must be of the vector's shape.
func (v *Vector) AppendValue(x Value) {
	if x.Null {
		v.AppendNull()
		return
	}
	switch v.Kind {
	case Bool:
		v.Bool = append(v.Bool, x.I != 0)
	case I64:
		v.I64 = append(v.I64, x.I)
	case F64:
		v.F64 = append(v.F64, x.F)
	case I128:
		v.I128 = append(v.I128, x.W)
	case Bytes:
		v.AppendBytes([]byte(x.S))
	case List:
		v.appendElements(x.L)
	case Row:
		if len(x.L) != len(v.Kids) {
			panic(fmt.Sprintf("vec: row of %d fields for %d columns", len(x.L), len(v.Kids)))
		}
		v.N++
		for i, k := range v.Kids {
			k.AppendValue(x.L[i])
		}
	}
	if v.Nulls != nil {
		v.needNulls(v.Len())
	}
}

func (v *Vector) appendElements(l []Value) {
	w := len(v.Kids)
	v.Spans = append(v.Spans, Span{uint32(v.Kids[0].Len()), uint32(len(l) / w)})
	for i, e := range l {
		v.Kids[i%w].AppendValue(e)
	}
}

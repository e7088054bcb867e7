package vec

import (
	"math"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Text renders values for people. The zero value gives the text of CAST(x AS
// STRING) in UTC.
type Text struct {
	Zone *time.Location // of TIMESTAMP_LTZ; nil: UTC
	// Java gives what Flink's print connector shows: true, 2024-02-29T10:11,
	// nested rows as +I[…], null in lower case.
	Java bool
}

// AppendText appends the text of CAST(x AS STRING) of row i, in UTC.
func AppendText(dst []byte, v *Vector, i int, t types.Type) []byte {
	return Text{}.Append(dst, v, i, t)
}

// Append appends the text of row i of a vector of type t.
func (f Text) Append(dst []byte, v *Vector, i int, t types.Type) []byte {
	if v.IsNull(i) {
		return f.null(dst)
	}
	switch t.Kind {
	case types.Null:
		return f.null(dst)
	case types.Boolean:
		return f.boolean(dst, v.Bool[i])
	case types.Float:
		return AppendFloat(dst, v.F64[i], 32)
	case types.Double:
		return AppendFloat(dst, v.F64[i], 64)
	case types.Decimal:
		return appendDecimal(dst, v, i, t.Scale)
	case types.Binary, types.Varbinary:
		return f.binary(dst, v.BytesAt(i))
	case types.Char, types.Varchar:
		return append(dst, v.BytesAt(i)...)
	case types.Date:
		return AppendDate(dst, v.I64[i])
	case types.TimeOfDay:
		return f.clock(dst, v.I64[i]*1000, t.Precision)
	case types.Timestamp, types.TimestampLTZ:
		return f.timestamp(dst, v, i, t)
	case types.IntervalYearMonth:
		return appendMonths(dst, v.I64[i])
	case types.IntervalDaySecond:
		return appendMillis(dst, v.I64[i])
	case types.Array, types.Map, types.Multiset, types.Row:
		return f.nested(dst, v, i, t)
	default:
		return strconv.AppendInt(dst, v.I64[i], 10)
	}
}

func (f Text) null(dst []byte) []byte {
	if f.Java {
		return append(dst, "null"...)
	}
	return append(dst, "NULL"...)
}

func (f Text) boolean(dst []byte, b bool) []byte {
	switch {
	case f.Java:
		return strconv.AppendBool(dst, b)
	case b:
		return append(dst, "TRUE"...)
	default:
		return append(dst, "FALSE"...)
	}
}

// binary is UTF-8 text for CAST, and the signed bytes of a Java array for
// print.
func (f Text) binary(dst, b []byte) []byte {
	if !f.Java {
		return append(dst, b...)
	}
	dst = append(dst, '[')
	for i, c := range b {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendInt(dst, int64(int8(c)), 10)
	}
	return append(dst, ']')
}

func (f Text) nested(dst []byte, v *Vector, i int, t types.Type) []byte {
	switch t.Kind {
	case types.Array:
		return f.list(dst, v, i, '[', ']', *t.Elem)
	case types.Map:
		return f.list(dst, v, i, '{', '}', *t.Key, *t.Elem)
	case types.Multiset:
		return f.list(dst, v, i, '{', '}', *t.Elem, types.Of(types.Int))
	default:
		return f.row(dst, v, i, t)
	}
}

func (f Text) list(dst []byte, v *Vector, i int, open, end byte, kinds ...types.Type) []byte {
	dst = append(dst, open)
	s := v.Spans[i]
	for j := s.Off; j < s.Off+s.Len; j++ {
		if j > s.Off {
			dst = append(dst, ", "...)
		}
		for c, t := range kinds {
			if c > 0 {
				dst = append(dst, '=')
			}
			dst = f.Append(dst, v.Kids[c], int(j), t)
		}
	}
	return append(dst, end)
}

func (f Text) row(dst []byte, v *Vector, i int, t types.Type) []byte {
	open, end := "(", byte(')')
	if f.Java {
		open, end = "+I[", ']'
	}
	dst = append(dst, open...)
	for c, field := range t.Fields {
		if c > 0 {
			dst = append(dst, ", "...)
		}
		dst = f.Append(dst, v.Kids[c], i, field.Type)
	}
	return append(dst, end)
}

// AppendFloat writes a float as Java does: the shortest digits that read back
// the same, with a fraction always, and an exponent below 1e-3 and from 1e7.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	switch a := math.Abs(f); {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case a == math.SmallestNonzeroFloat64 && bits == 64: // Java never shows one digit only
		if f < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "4.9E-324"...)
	case f == 0 || a >= 1e-3 && a < 1e7:
		n := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
		return withFraction(dst, n)
	}
	return appendScientific(dst, f, bits)
}

func withFraction(dst []byte, from int) []byte {
	for _, c := range dst[from:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

func appendScientific(dst []byte, f float64, bits int) []byte {
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'e', -1, bits)
	e := len(s) - 1
	for s[e] != 'e' {
		e--
	}
	n := len(dst)
	dst = withFraction(append(dst, s[:e]...), n)
	exp, _ := strconv.Atoi(string(s[e+1:]))
	return strconv.AppendInt(append(dst, 'E'), int64(exp), 10)
}

func appendDecimal(dst []byte, v *Vector, i, scale int) []byte {
	if v.Kind == I64 {
		return AppendDecimal64(dst, v.I64[i], scale)
	}
	return AppendDecimal(dst, v.I128[i], scale)
}

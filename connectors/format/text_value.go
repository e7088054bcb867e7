package format

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// textValue converts the text of values of one type, as JSON strings and CSV
// fields hold it. What is read is chosen by kind, a closed set.
type textValue struct {
	typ      types.Type
	kind     valueKind
	min, max int64 // of integers
	iso      bool
	times    timeReader
}

type valueKind uint8

const (
	intValue valueKind = iota
	boolValue
	floatValue
	decimalValue
	stringValue
	bytesValue
	dateValue
	clockValue
	timestampValue
	arrayValue
	mapValue
	rowValue
)

// textValueOf is not ok for nested types.
func textValueOf(t types.Type, iso bool) (v textValue, ok bool) {
	v = textValue{typ: t, iso: iso, times: timeReader{iso: iso, zulu: t.Kind == types.TimestampLTZ}}
	switch t.Kind {
	case types.Boolean:
		v.kind = boolValue
	case types.TinyInt:
		v.min, v.max = math.MinInt8, math.MaxInt8
	case types.SmallInt:
		v.min, v.max = math.MinInt16, math.MaxInt16
	case types.Int:
		v.min, v.max = math.MinInt32, math.MaxInt32
	case types.BigInt:
		v.min, v.max = math.MinInt64, math.MaxInt64
	case types.Float, types.Double:
		v.kind = floatValue
	case types.Decimal:
		v.kind = decimalValue
	case types.Char, types.Varchar:
		v.kind = stringValue
	case types.Binary, types.Varbinary:
		v.kind = bytesValue
	case types.Date:
		v.kind = dateValue
	case types.TimeOfDay:
		v.kind = clockValue
	case types.Timestamp, types.TimestampLTZ:
		v.kind = timestampValue
	default:
		return v, false
	}
	return v, true
}

// text views bytes as a string for parsers that keep nothing.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (v *textValue) outOfRange(b []byte) error {
	return fmt.Errorf("%s does not fit %s", excerpt(b), v.typ.Text())
}

func (v *textValue) mismatch(b []byte) error {
	return fmt.Errorf("cannot read '%s' as %s", excerpt(b), v.typ.Text())
}

// setNumber stores the JSON number b; fractions are cut for integers.
func (v *textValue) setNumber(b []byte, col *vec.Vector, row int) error {
	switch v.kind {
	case intValue:
		x, err := strconv.ParseInt(text(b), 10, 64)
		if err != nil {
			f, _ := strconv.ParseFloat(text(b), 64)
			if f = math.Trunc(f); f < math.MinInt64 || f >= math.MaxInt64 || errors.Is(err, strconv.ErrRange) {
				return v.outOfRange(b)
			}
			x = int64(f)
		}
		if x < v.min || x > v.max {
			return v.outOfRange(b)
		}
		col.I64[row] = x
		return nil
	case floatValue:
		return v.setFloat(b, col, row)
	case decimalValue:
		v.setDecimal(b, col, row)
		return nil
	}
	return v.mismatch(b)
}

// setFloat stores a number; what is too large is infinite, as in Java.
func (v *textValue) setFloat(b []byte, col *vec.Vector, row int) error {
	bits := 64
	if v.typ.Kind == types.Float {
		bits = 32
	}
	f, ok := shortFloat(b)
	if !ok || bits == 32 {
		var err error
		if f, err = strconv.ParseFloat(text(b), bits); err != nil && !errors.Is(err, strconv.ErrRange) {
			return v.mismatch(b)
		}
	}
	col.F64[row] = f
	return nil
}

var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// shortFloat reads numbers of up to 15 digits without exponent: both the
// digits and the power of ten are exact, so one division rounds correctly
// (Clinger, How to Read Floating Point Numbers Accurately, 1990).
func shortFloat(b []byte) (float64, bool) {
	if len(b) == 0 || len(b) > 17 {
		return 0, false
	}
	negative := b[0] == '-'
	if negative {
		b = b[1:]
	}
	var x int64
	digits, point := 0, -1
	for i, c := range b {
		switch {
		case c-'0' <= 9:
			x = x*10 + int64(c-'0')
			digits++
		case c == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	if digits == 0 || digits > 15 {
		return 0, false
	}
	f := float64(x)
	if point >= 0 {
		f /= pow10[len(b)-1-point]
	}
	if negative {
		f = -f
	}
	return f, true
}

// setDecimal stores a number rounded half up; one that does not fit is NULL,
// as in Flink.
func (v *textValue) setDecimal(b []byte, col *vec.Vector, row int) {
	if col.Kind == vec.I64 {
		x, ok := vec.ParseDecimal64(b, v.typ.Precision, v.typ.Scale)
		if col.I64[row] = x; !ok {
			col.SetNull(row)
		}
		return
	}
	x, ok := vec.ParseDecimal(b, v.typ.Precision, v.typ.Scale)
	if col.I128[row] = x; !ok {
		col.SetNull(row)
	}
}

// setText converts the text of a string to the type.
func (v *textValue) setText(s []byte, col *vec.Vector, row int) error {
	switch v.kind {
	case timestampValue:
		return v.setTimestamp(s, col, row)
	case dateValue:
		days, ok := v.times.date(s)
		if col.I64[row] = days; !ok {
			return v.mismatch(s)
		}
	case clockValue:
		us, ok := v.times.clock(s, v.typ.Precision)
		if col.I64[row] = us; !ok {
			return v.mismatch(s)
		}
	case bytesValue:
		return v.setBase64(s, col, row)
	case boolValue:
		col.Bool[row] = foldEqual(trim(s), "true")
	case intValue:
		x, err := strconv.ParseInt(text(trim(s)), 10, 64)
		if err != nil || x < v.min || x > v.max {
			return v.mismatch(s)
		}
		col.I64[row] = x
	case floatValue:
		return v.setQuotedFloat(trim(s), col, row)
	case decimalValue:
		return v.setQuotedDecimal(trim(s), col, row)
	}
	return nil
}

func (v *textValue) setQuotedFloat(s []byte, col *vec.Vector, row int) error {
	switch string(s) {
	case "NaN":
		col.F64[row] = math.NaN()
		return nil
	case "Infinity", "+Infinity":
		col.F64[row] = math.Inf(1)
		return nil
	case "-Infinity":
		col.F64[row] = math.Inf(-1)
		return nil
	}
	if !plainNumber(s) {
		return v.mismatch(s)
	}
	return v.setFloat(s, col, row)
}

func (v *textValue) setQuotedDecimal(s []byte, col *vec.Vector, row int) error {
	if !plainNumber(s) {
		return v.mismatch(s)
	}
	v.setDecimal(s, col, row)
	return nil
}

// plainNumber tells whether s consists of a decimal number's characters and
// reads as one (no hexadecimal, no underscore, no "inf").
func plainNumber(s []byte) bool {
	for _, c := range s {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return false
		}
	}
	_, err := strconv.ParseFloat(text(s), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

func (v *textValue) setBase64(s []byte, col *vec.Vector, row int) error {
	off := len(col.Data)
	data, err := base64.StdEncoding.AppendDecode(col.Data, s)
	if err != nil {
		return v.mismatch(s)
	}
	col.Data = data
	col.Spans[row] = vec.Span{Off: uint32(off), Len: uint32(len(data) - off)}
	return nil
}

func (v *textValue) setTimestamp(s []byte, col *vec.Vector, row int) error {
	us, ns, ok := v.times.timestamp(s, v.typ.Precision)
	if !ok {
		return v.badTimestamp(s)
	}
	if col.Kind == vec.I64 {
		col.I64[row] = us
		return nil
	}
	col.I128[row] = vec.Int128{Hi: us, Lo: uint64(ns)}
	return nil
}

func (v *textValue) badTimestamp(s []byte) error {
	want, option := "'2024-01-31 10:11:12.123", "ISO-8601"
	if v.iso {
		want, option = "'2024-01-31T10:11:12.123", "SQL"
	}
	if v.typ.Kind == types.TimestampLTZ {
		want += "Z"
	}
	return fmt.Errorf("cannot read '%s' as %s, expected the form %s'; 'json.timestamp-format.standard' = '%s' reads the other one", excerpt(s), v.typ.Text(), want, option)
}

func trim(s []byte) []byte {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

func foldEqual(s []byte, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range s {
		if s[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}

package expr

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func i64(k types.Kind, n int64) *Literal {
	return &Literal{T: types.Of(k).Nullable(false), V: vec.Value{Kind: vec.I64, I: n}}
}

// Int is a literal INT.
func Int(n int32) *Literal { return i64(types.Int, int64(n)) }

// BigInt is a literal BIGINT.
func BigInt(n int64) *Literal { return i64(types.BigInt, n) }

// Bool is TRUE or FALSE.
func Bool(b bool) *Literal {
	v := vec.Value{Kind: vec.Bool}
	if b {
		v.I = 1
	}
	return &Literal{T: types.Of(types.Boolean).Nullable(false), V: v}
}

// Double is a literal DOUBLE.
func Double(f float64) *Literal {
	return &Literal{T: types.Of(types.Double).Nullable(false), V: vec.Value{Kind: vec.F64, F: f}}
}

// String is a literal CHAR(n), n the number of characters; symbolic arguments
// (units, modes) are such literals too.
func String(s string) *Literal {
	t := types.CharOf(utf8.RuneCountInString(s)).Nullable(false)
	return &Literal{T: t, V: vec.Value{Kind: vec.Bytes, S: s}}
}

// Null is an untyped NULL.
func Null() *Literal { return NullOf(types.Of(types.Null)) }

// Binary is X'hex'.
func Binary(digits string) (*Literal, error) {
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("the literal X'%s' is no pairs of hexadecimal digits", digits)
	}
	t := types.Type{Kind: types.Binary, Precision: len(b), NotNull: true}
	return &Literal{T: t, V: vec.Value{Kind: vec.Bytes, S: string(b)}}, nil
}

// Number is the literal of a number as written: 12 is INT (BIGINT if it is
// large, DECIMAL if it is larger), 1.50 DECIMAL(3, 2), 1e0 DOUBLE. A sign is
// allowed.
func Number(text string) (*Literal, error) {
	if strings.ContainsAny(text, "eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, fmt.Errorf("number %s is out of the range of DOUBLE", text)
		}
		return Double(f + 0), nil
	}
	whole, frac, point := strings.Cut(text, ".")
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && !point {
		if n == int64(int32(n)) {
			return Int(int32(n)), nil
		}
		return BigInt(n), nil
	}
	precision := len(strings.TrimLeft(whole, "+-")) + len(frac)
	if precision > vec.MaxDigits {
		return nil, fmt.Errorf("number %s has more than %d digits", text, vec.MaxDigits)
	}
	w, ok := vec.ParseDecimal(text, max(precision, 1), len(frac))
	if !ok {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	return Decimal(w, precision, len(frac)), nil
}

// Decimal is a literal DECIMAL(precision, scale) of an unscaled value.
func Decimal(w vec.Int128, precision, scale int) *Literal {
	t := types.DecimalOf(precision, scale).Nullable(false)
	v := vec.Value{Kind: vec.KindOf(t), W: w}
	if v.Kind == vec.I64 {
		v.I, v.W = int64(w.Lo), vec.Int128{}
	}
	return &Literal{T: t, V: v}
}

// Date is DATE 'yyyy-MM-dd'.
func Date(text string) (*Literal, error) {
	days, ok := vec.ParseDate(text)
	if !ok || strings.Count(text, "-") != 2 {
		return nil, fmt.Errorf("DATE '%s' is not a date of the form yyyy-MM-dd", text)
	}
	return i64(types.Date, days), nil
}

// Time is TIME 'HH:mm:ss[.fraction]'.
func Time(text string) (*Literal, error) {
	us, _, ok := vec.ParseTime(text)
	if !ok || strings.Count(text, ":") != 2 {
		return nil, fmt.Errorf("TIME '%s' is not a time of the form HH:mm:ss", text)
	}
	l := i64(types.TimeOfDay, us)
	l.T.Precision = fractionDigits(text)
	return l, nil
}

// Timestamp is TIMESTAMP 'yyyy-MM-dd HH:mm:ss[.fraction]'; its precision is
// the number of fraction digits.
func Timestamp(text string) (*Literal, error) {
	p := fractionDigits(text)
	us, ns, ok := vec.ParseTimestamp(text, 9)
	if !ok || len(text) < 12 {
		return nil, fmt.Errorf("TIMESTAMP '%s' is not a timestamp of the form yyyy-MM-dd HH:mm:ss", text)
	}
	return TimestampAt(types.TimestampOf(p), us, ns), nil
}

// TimestampAt is a literal of a timestamp type.
func TimestampAt(t types.Type, us, ns int64) *Literal {
	v := vec.Value{Kind: vec.KindOf(t), I: us}
	if v.Kind == vec.I128 {
		v.I, v.W = 0, vec.Int128{Hi: us, Lo: uint64(ns)}
	}
	return &Literal{T: t.Nullable(false), V: v}
}

func fractionDigits(text string) int {
	_, frac, _ := strings.Cut(text, ".")
	return min(len(frac), 9)
}

// valueEqual compares two constants of one type; NULL equals NULL.
func valueEqual(a, b vec.Value) bool {
	if a.Null || b.Null || a.Kind != b.Kind {
		return a.Null == b.Null && a.Kind == b.Kind
	}
	if a.I != b.I || math.Float64bits(a.F) != math.Float64bits(b.F) || a.W != b.W || a.S != b.S || len(a.L) != len(b.L) {
		return false
	}
	for i := range a.L {
		if !valueEqual(a.L[i], b.L[i]) {
			return false
		}
	}
	return true
}

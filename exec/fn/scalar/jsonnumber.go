package scalar

import (
	"bytes"
	"math"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// Numbers in JSON are written as Java's BigDecimal writes them: the digits
// they have, without an exponent unless the last one stands for more than one
// or the first one is behind six zeros. 1e3 is 1E+3, 1.50e2 is 150, 1e-7 1E-7.

// appendJSONNumber appends a number that is valid JSON.
func appendJSONNumber(dst, text []byte) []byte {
	if !bytes.ContainsAny(text, ".eE") {
		if string(text) == "-0" {
			text = text[1:]
		}
		return append(dst, text...)
	}
	return appendBigDecimal(dst, text)
}

// appendJSONFloat appends a FLOAT, by its value as a DOUBLE, or a DOUBLE; NaN
// and infinities are no JSON, and written as CAST does.
func appendJSONFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return vec.AppendFloat(dst, f, 64)
	}
	var buf [32]byte
	return appendBigDecimal(dst, vec.AppendFloat(buf[:0], f, 64))
}

// appendBigDecimal appends a number with a point or an exponent.
func appendBigDecimal(dst, text []byte) []byte {
	exponent := 0
	if e := bytes.IndexAny(text, "eE"); e >= 0 {
		n, err := strconv.Atoi(string(text[e+1:]))
		if err != nil {
			return append(dst, text...) // no such number fits anywhere
		}
		text, exponent = text[:e], n
	}
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	scale := len(fraction) - exponent
	var buf [64]byte
	digits := bytes.TrimLeft(append(append(buf[:0], whole...), fraction...), "0")
	if len(digits) == 0 {
		digits, negative = []byte("0"), false
	}
	if negative {
		dst = append(dst, '-')
	}
	leading := len(digits) - 1 - scale // power of ten of the first digit
	if scale < 0 || leading < -6 {
		return appendExponent(dst, digits, leading)
	}
	return appendPlain(dst, digits, scale)
}

func appendPlain(dst, digits []byte, scale int) []byte {
	point := len(digits) - scale
	if point <= 0 {
		dst = append(dst, '0', '.')
		for ; point < 0; point++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[:point]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[point:]...)
	}
	return dst
}

func appendExponent(dst, digits []byte, leading int) []byte {
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	if leading == 0 {
		return dst
	}
	dst = append(dst, 'E')
	if leading > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(leading), 10)
}

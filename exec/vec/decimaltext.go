package vec

import (
	"math"
	"strconv"
)

// ParseDecimal reads a number, with sign, fraction and exponent, as a decimal
// of the given precision and scale, rounding half away from zero. It is not
// ok if text is no number or has too many digits before the point.
func ParseDecimal[T ~string | ~[]byte](text T, precision, scale int) (Int128, bool) {
	mantissa, exponent, ok := scanNumber(text)
	if !ok {
		return Int128{}, false
	}
	x, ok := mantissa.shift(exponent + scale)
	return x, ok && x.Fits(precision)
}

// ParseDecimal64 is ParseDecimal for narrow decimals. Plain short numbers are
// read digit by digit.
func ParseDecimal64[T ~string | ~[]byte](text T, precision, scale int) (int64, bool) {
	var n int64
	i, point, digits := 0, -1, 0
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		i++
	}
	for ; i < len(text); i++ {
		c := text[i] - '0'
		if c <= 9 {
			n = n*10 + int64(c)
			digits++
		} else if text[i] == '.' && point < 0 {
			point = digits
		} else {
			break
		}
	}
	if point < 0 {
		point = digits
	}
	if i < len(text) || digits == 0 || digits > NarrowDigits {
		x, ok := ParseDecimal(text, precision, scale)
		return int64(x.Lo), ok
	}
	if negative {
		n = -n
	}
	n, ok := Rescale64(n, digits-point, scale)
	return n, ok && n < Pow10[precision] && n > -Pow10[precision]
}

// mantissa is up to 38 significant digits; digits beyond those only matter
// to rounding, of which half says enough.
type mantissa struct {
	x        Int128
	negative bool
	half     bool // the first digit that was dropped is 5 or more
}

// shift is m·10^n, rounded.
func (m mantissa) shift(n int) (Int128, bool) {
	x, ok := m.x, true
	if n == 0 && m.half {
		x = x.Add(Int128{Lo: 1})
	} else {
		x, ok = x.Rescale(0, n)
		if n < 0 {
			x, ok = m.x.Rescale(-n, 0)
		}
	}
	return withSign(x, m.negative), ok
}

func scanNumber[T ~string | ~[]byte](text T) (m mantissa, exponent int, ok bool) {
	i := 0
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		m.negative = text[i] == '-'
		i++
	}
	digits, seen, point := 0, 0, false
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			seen++
			if point {
				exponent--
			}
			if digits >= MaxDigits {
				m.half = m.half || (digits == MaxDigits && c >= '5')
				digits++
				exponent++
				continue
			}
			hi, _ := m.x.Mul(Int128{Lo: 10})
			m.x = hi.Add(Int128{Lo: uint64(c - '0')})
			if m.x.Sign() != 0 {
				digits++
			}
		case c == '.' && !point:
			point = true
		case (c == 'e' || c == 'E') && seen > 0:
			e, err := strconv.Atoi(string(text[i+1:]))
			if err != nil || e > 1000 || e < -1000 {
				return m, 0, false
			}
			return m, exponent + e, true
		default:
			return m, 0, false
		}
	}
	return m, exponent, seen > 0
}

// DecimalOfFloat rounds the decimal expansion of f half away from zero, as
// the shortest text that reads back as f; not ok for NaN, infinities and what
// does not fit.
func DecimalOfFloat(f float64, precision, scale int) (Int128, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Int128{}, false
	}
	var buf [32]byte
	return ParseDecimal(strconv.AppendFloat(buf[:0], f, 'e', -1, 64), precision, scale)
}

package vec

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Decimals are unscaled two's complement integers: int64 up to 18 digits,
// Int128 up to 38. This file is their arithmetic; an overflow is reported,
// never wrapped.

// MaxDigits is the greatest precision of DECIMAL; NarrowDigits of one that is
// stored as int64.
const (
	MaxDigits    = 38
	NarrowDigits = 18
)

// Pow10 holds 10⁰ … 10¹⁸.
var Pow10 = func() (p [NarrowDigits + 1]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// widePow10 holds 10⁰ … 10³⁸.
var widePow10 = func() (p [MaxDigits + 1]Int128) {
	p[0] = Int128{Lo: 1}
	for i := 1; i < len(p); i++ {
		hi, lo := bits.Mul64(p[i-1].Lo, 10)
		p[i] = Int128{Hi: p[i-1].Hi*10 + int64(hi), Lo: lo}
	}
	return p
}()

// WidePow10 is 10ⁿ, n in 0 … 38.
func WidePow10(n int) Int128 { return widePow10[n] }

// Widen is x as a 128-bit integer.
func Widen(x int64) Int128 { return Int128{Hi: x >> 63, Lo: uint64(x)} }

// Narrow is x as int64; ok is false if it does not fit.
func (x Int128) Narrow() (n int64, ok bool) {
	return int64(x.Lo), x.Hi == int64(x.Lo)>>63
}

// Add is x + y modulo 2¹²⁸.
func (x Int128) Add(y Int128) Int128 {
	lo, c := bits.Add64(x.Lo, y.Lo, 0)
	return Int128{x.Hi + y.Hi + int64(c), lo}
}

// Sub is x − y modulo 2¹²⁸.
func (x Int128) Sub(y Int128) Int128 {
	lo, c := bits.Sub64(x.Lo, y.Lo, 0)
	return Int128{x.Hi - y.Hi - int64(c), lo}
}

// Neg is −x.
func (x Int128) Neg() Int128 { return Int128{}.Sub(x) }

// Sign is −1, 0 or 1.
func (x Int128) Sign() int {
	switch {
	case x.Hi < 0:
		return -1
	case x.Hi == 0 && x.Lo == 0:
		return 0
	}
	return 1
}

// Abs is the magnitude of x.
func (x Int128) Abs() Int128 {
	if x.Hi < 0 {
		return x.Neg()
	}
	return x
}

// Cmp is −1, 0 or 1 as x is less than, equal to or greater than y.
func (x Int128) Cmp(y Int128) int {
	switch {
	case x.Hi != y.Hi:
		if x.Hi < y.Hi {
			return -1
		}
		return 1
	case x.Lo != y.Lo:
		if x.Lo < y.Lo {
			return -1
		}
		return 1
	}
	return 0
}

// Fits tells whether |x| has at most p digits.
func (x Int128) Fits(p int) bool { return x.Abs().below(widePow10[p]) }

// below compares magnitudes.
func (x Int128) below(y Int128) bool {
	return uint64(x.Hi) < uint64(y.Hi) || (x.Hi == y.Hi && x.Lo < y.Lo)
}

// uint256 is little-endian.
type uint256 [4]uint64

func mulWide(x, y Int128) (p uint256) {
	a, b := [2]uint64{x.Lo, uint64(x.Hi)}, [2]uint64{y.Lo, uint64(y.Hi)}
	for i := range a {
		var carry uint64
		for j := range b {
			hi, lo := bits.Mul64(a[i], b[j])
			var c uint64
			lo, c = bits.Add64(lo, p[i+j], 0)
			hi += c
			lo, c = bits.Add64(lo, carry, 0)
			p[i+j], carry = lo, hi+c
		}
		p[i+2] = carry
	}
	return p
}

// divWide divides by d > 0; the quotient is ok if it is below 2¹²⁷.
func (u uint256) divWide(d Int128) (q, r Int128, ok bool) {
	if d.Hi == 0 {
		return u.divWord(d.Lo)
	}
	s := uint(bits.LeadingZeros64(uint64(d.Hi)))
	v1, v0 := uint64(d.Hi)<<s|d.Lo>>(64-s), d.Lo<<s
	n := [5]uint64{u[0] << s}
	for i := 1; i < 4; i++ {
		n[i] = u[i]<<s | u[i-1]>>(64-s)
	}
	n[4] = u[3] >> (64 - s)
	var w [3]uint64
	for j := 2; j >= 0; j-- {
		w[j] = divStep(n[j:j+3], v1, v0)
	}
	r = Int128{int64(n[1] >> s), n[0]>>s | n[1]<<(64-s)}
	return Int128{int64(w[1]), w[0]}, r, w[2] == 0 && int64(w[1]) >= 0
}

// divStep is one digit of long division (Knuth, algorithm D): it subtracts
// q·v from the three words of n and returns q.
func divStep(n []uint64, v1, v0 uint64) uint64 {
	q := uint64(math.MaxUint64)
	if n[2] < v1 {
		var rem uint64
		q, rem = bits.Div64(n[2], n[1], v1)
		for {
			hi, lo := bits.Mul64(q, v0)
			if hi < rem || (hi == rem && lo <= n[0]) {
				break
			}
			q--
			if rem += v1; rem < v1 {
				break
			}
		}
	}
	hi0, lo0 := bits.Mul64(q, v0)
	hi1, lo1 := bits.Mul64(q, v1)
	mid, c := bits.Add64(hi0, lo1, 0)
	top := hi1 + c
	var b uint64
	n[0], b = bits.Sub64(n[0], lo0, 0)
	n[1], b = bits.Sub64(n[1], mid, b)
	n[2], b = bits.Sub64(n[2], top, b)
	for b != 0 { // q was too large
		q--
		n[0], c = bits.Add64(n[0], v0, 0)
		n[1], c = bits.Add64(n[1], v1, c)
		n[2], c = bits.Add64(n[2], 0, c)
		b -= c
	}
	return q
}

func (u uint256) divWord(d uint64) (q, r Int128, ok bool) {
	var w uint256
	var rem uint64
	for i := 3; i >= 0; i-- {
		w[i], rem = bits.Div64(rem, u[i], d)
	}
	return Int128{int64(w[1]), w[0]}, Int128{Lo: rem}, w[3] == 0 && w[2] == 0 && int64(w[1]) >= 0
}

// roundHalfUp is the quotient of magnitudes rounded half away from zero.
func (u uint256) roundHalfUp(d Int128) (q Int128, ok bool) {
	q, r, ok := u.divWide(d)
	if !ok {
		return q, false
	}
	if !r.below(d.Sub(r)) {
		q = q.Add(Int128{Lo: 1})
	}
	return q, q.Hi >= 0
}

func withSign(x Int128, negative bool) Int128 {
	if negative {
		return x.Neg()
	}
	return x
}

// MulDiv is x·y ÷ d, rounded half away from zero; d > 0. It is not ok if the
// result does not fit 127 bits.
func MulDiv(x, y, d Int128) (Int128, bool) {
	negative := (x.Hi < 0) != (y.Hi < 0)
	q, ok := mulWide(x.Abs(), y.Abs()).roundHalfUp(d.Abs())
	return withSign(q, negative), ok
}

// Mul is x·y, if it fits 127 bits.
func (x Int128) Mul(y Int128) (Int128, bool) {
	p := mulWide(x.Abs(), y.Abs())
	q := Int128{int64(p[1]), p[0]}
	return withSign(q, (x.Hi < 0) != (y.Hi < 0)), p[3] == 0 && p[2] == 0 && q.Hi >= 0
}

// Mul64 is x·y.
func Mul64(x, y int64) Int128 {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	return Int128{int64(hi) - x>>63&y - y>>63&x, lo}
}

// QuoRem is x ÷ y truncated, and the remainder with the sign of x; y is not
// zero.
func (x Int128) QuoRem(y Int128) (q, r Int128) {
	a, d := x.Abs(), y.Abs()
	q, r, _ = uint256{a.Lo, uint64(a.Hi)}.divWide(d)
	return withSign(q, (x.Hi < 0) != (y.Hi < 0)), withSign(r, x.Hi < 0)
}

// Rescale moves x from one scale to another, rounding half away from zero.
func (x Int128) Rescale(from, to int) (Int128, bool) {
	switch {
	case to == from:
		return x, true
	case to > from:
		if to-from > MaxDigits {
			return x, x.Sign() == 0
		}
		return x.Mul(widePow10[to-from])
	case from-to > MaxDigits:
		return Int128{}, true
	}
	a := x.Abs()
	q, ok := uint256{a.Lo, uint64(a.Hi)}.roundHalfUp(widePow10[from-to])
	return withSign(q, x.Hi < 0), ok
}

// Rescale64 is Rescale for narrow decimals.
func Rescale64(x int64, from, to int) (int64, bool) {
	if to >= from {
		if to-from > NarrowDigits {
			return x, x == 0
		}
		hi, lo := bits.Mul64(abs64(x), uint64(Pow10[to-from]))
		if x < 0 {
			return -int64(lo), hi == 0 && int64(lo) >= 0
		}
		return int64(lo), hi == 0 && int64(lo) >= 0
	}
	if from-to > NarrowDigits {
		return 0, true
	}
	d := Pow10[from-to]
	q, r := x/d, x%d
	switch {
	case r >= d-r:
		q++
	case -r >= d+r:
		q--
	}
	return q, true
}

func abs64(x int64) uint64 {
	if x < 0 {
		return uint64(-x)
	}
	return uint64(x)
}

// Float is the nearest float64 to x·10^−scale, by way of text where x is
// wider than 53 bits.
func (x Int128) Float(scale int) float64 {
	if n, ok := x.Narrow(); ok && scale <= 22 && n > -1<<53 && n < 1<<53 {
		return float64(n) / floatPow10[scale]
	}
	f, _ := strconv.ParseFloat(string(AppendDecimal(nil, x, scale)), 64)
	return f
}

var floatPow10 = [23]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// AppendDecimal appends x·10^−scale with exactly scale fraction digits.
func AppendDecimal(dst []byte, x Int128, scale int) []byte {
	if n, ok := x.Narrow(); ok {
		return AppendDecimal64(dst, n, scale)
	}
	if x.Hi < 0 {
		dst = append(dst, '-')
	}
	a := x.Abs()
	q, r, _ := uint256{a.Lo, uint64(a.Hi)}.divWord(1e18)
	top, low, _ := uint256{q.Lo, uint64(q.Hi)}.divWord(1e18)
	var digits []byte
	var buf [64]byte
	digits = strconv.AppendUint(buf[:0], top.Lo, 10)
	digits = appendWord(digits, low.Lo, 18)
	digits = appendWord(digits, r.Lo, 18)
	for len(digits) > scale+1 && digits[0] == '0' {
		digits = digits[1:]
	}
	return appendPointed(dst, digits, scale)
}

// AppendDecimal64 is AppendDecimal for narrow decimals.
func AppendDecimal64(dst []byte, x int64, scale int) []byte {
	if x < 0 {
		dst = append(dst, '-')
	}
	if scale == 0 {
		return strconv.AppendUint(dst, abs64(x), 10)
	}
	var buf [24]byte
	return appendPointed(dst, strconv.AppendUint(buf[:0], abs64(x), 10), scale)
}

func appendWord(dst []byte, x uint64, width int) []byte {
	var buf [20]byte
	d := strconv.AppendUint(buf[:0], x, 10)
	for i := len(d); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, d...)
}

func appendPointed(dst, digits []byte, scale int) []byte {
	if len(digits) > scale {
		dst = append(dst, digits[:len(digits)-scale]...)
		digits = digits[len(digits)-scale:]
	} else {
		dst = append(dst, '0')
	}
	if scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for i := len(digits); i < scale; i++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// Quotient is x·10^shift ÷ y, rounded half away from zero; y is not zero. It
// is not ok if the result does not fit 127 bits.
func Quotient(x, y Int128, shift int) (Int128, bool) {
	if y.Hi < 0 {
		x, y = x.Neg(), y.Neg()
	}
	switch {
	case shift >= 0 && shift <= NarrowDigits && x.Hi == int64(x.Lo)>>63 && y.Hi == 0:
		return quotientNarrow(int64(x.Lo), y.Lo, uint64(Pow10[shift])), true
	case shift >= 0 && shift <= MaxDigits:
		return MulDiv(x, widePow10[shift], y)
	case shift > MaxDigits:
		return quotientBig(x, y, shift)
	}
	d, ok := y.Rescale(0, -shift)
	if !ok {
		return Int128{}, true
	}
	return MulDiv(x, Int128{Lo: 1}, d)
}

// quotientNarrow is x·pow ÷ y, where the dividend fits 128 bits.
func quotientNarrow(x int64, y, pow uint64) Int128 {
	hi, lo := bits.Mul64(abs64(x), pow)
	qhi, rem := hi/y, hi%y
	qlo, rem := bits.Div64(rem, lo, y)
	if rem >= y-rem {
		var c uint64
		qlo, c = bits.Add64(qlo, 1, 0)
		qhi += c
	}
	return withSign(Int128{int64(qhi), qlo}, x < 0)
}

// quotientBig is for the rare result whose dividend does not fit 256 bits.
func quotientBig(x, y Int128, shift int) (Int128, bool) {
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil)
	n.Mul(n, x.Abs().big())
	d := y.big()
	q, r := n.QuoRem(n, d, new(big.Int))
	if r.Lsh(r, 1).Cmp(d) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	if q.BitLen() > 127 {
		return Int128{}, false
	}
	lo := new(big.Int).And(q, new(big.Int).SetUint64(math.MaxUint64))
	return withSign(Int128{int64(new(big.Int).Rsh(q, 64).Uint64()), lo.Uint64()}, x.Hi < 0), true
}

// big is a magnitude as a big integer.
func (x Int128) big() *big.Int {
	b := new(big.Int).Lsh(new(big.Int).SetUint64(uint64(x.Hi)), 64)
	return b.Or(b, new(big.Int).SetUint64(x.Lo))
}

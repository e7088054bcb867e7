package vec

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func bigOf(x Int128) *big.Int {
	b := x.Abs().big()
	if x.Hi < 0 {
		b.Neg(b)
	}
	return b
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// halfUp is n ÷ d rounded half away from zero.
func halfUp(n, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if r.Abs(r).Lsh(r, 1).CmpAbs(d) >= 0 {
		q.Add(q, big.NewInt(int64(n.Sign()*d.Sign())))
	}
	return q
}

// wide draws decimals of all sizes up to 38 digits.
func wide() *rapid.Generator[Int128] {
	return rapid.Custom(func(t *rapid.T) Int128 {
		digits := rapid.IntRange(1, MaxDigits).Draw(t, "digits")
		text := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), digits, digits, -1).Draw(t, "text")
		if rapid.Bool().Draw(t, "nines") {
			text = strings.Repeat("9", digits)
		}
		if rapid.Bool().Draw(t, "negative") {
			text = "-" + text
		}
		x, ok := ParseDecimal(text, MaxDigits, 0)
		if !ok {
			t.Fatalf("cannot parse %s", text)
		}
		return x
	})
}

// check compares with the exact result, which must be refused if it does not
// fit 127 bits.
func check(t *rapid.T, what string, got Int128, ok bool, want *big.Int) {
	t.Helper()
	if want.BitLen() > 127 {
		if ok {
			t.Fatalf("%s: overflow to %s was not noticed", what, want)
		}
		return
	}
	if !ok || bigOf(got).Cmp(want) != 0 {
		t.Fatalf("%s: got %s (%v), want %s", what, bigOf(got), ok, want)
	}
}

func TestDecimalArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := wide().Draw(t, "x"), wide().Draw(t, "y")
		a, b := bigOf(x), bigOf(y)
		wraps := new(big.Int).Add(new(big.Int).Abs(a), new(big.Int).Abs(b)).BitLen() > 127
		if !wraps {
			check(t, "add", x.Add(y), true, new(big.Int).Add(a, b))
			check(t, "sub", x.Sub(y), true, new(big.Int).Sub(a, b))
		}
		p, ok := x.Mul(y)
		check(t, "mul", p, ok, new(big.Int).Mul(a, b))
		if x.Cmp(y) != a.Cmp(b) {
			t.Fatalf("cmp %s %s", a, b)
		}
		if b.Sign() == 0 {
			return
		}
		q, r := x.QuoRem(y)
		wantQ, wantR := new(big.Int).QuoRem(a, b, new(big.Int))
		check(t, "quo", q, true, wantQ)
		check(t, "rem", r, true, wantR)
	})
}

func TestDecimalQuotient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := wide().Draw(t, "x"), wide().Draw(t, "y")
		shift := rapid.IntRange(-40, 60).Draw(t, "shift")
		a, b := bigOf(x), bigOf(y)
		if b.Sign() == 0 {
			return
		}
		n, d := a, b
		if shift >= 0 {
			n = new(big.Int).Mul(a, pow10(shift))
		} else {
			d = new(big.Int).Mul(b, pow10(-shift))
		}
		got, ok := Quotient(x, y, shift)
		check(t, "quotient", got, ok, halfUp(n, d))
		drop := rapid.IntRange(0, MaxDigits).Draw(t, "drop")
		got, ok = MulDiv(x, y, WidePow10(drop))
		check(t, "muldiv", got, ok, halfUp(new(big.Int).Mul(a, b), pow10(drop)))
	})
}

func TestDecimalRescale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := wide().Draw(t, "x")
		from, to := rapid.IntRange(0, 38).Draw(t, "from"), rapid.IntRange(0, 38).Draw(t, "to")
		want := new(big.Int).Mul(bigOf(x), pow10(max(to-from, 0)))
		want = halfUp(want, pow10(max(from-to, 0)))
		got, ok := x.Rescale(from, to)
		check(t, "rescale", got, ok, want)
		if n, narrow := x.Narrow(); narrow {
			got, ok := Rescale64(n, from, to)
			if want.IsInt64() != ok || ok && want.Int64() != got {
				if ok || want.Int64() != math.MinInt64 {
					t.Fatalf("rescale64: got %d (%v), want %s", got, ok, want)
				}
			}
		}
	})
}

func TestDecimalText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, scale := wide().Draw(t, "x"), rapid.IntRange(0, 38).Draw(t, "scale")
		text := string(AppendDecimal(nil, x, scale))
		back, ok := ParseDecimal(text, MaxDigits, scale)
		if !ok || back != x {
			t.Fatalf("%s reads back as %s (%v)", text, AppendDecimal(nil, back, scale), ok)
		}
		want := new(big.Rat).SetFrac(bigOf(x), pow10(scale)).FloatString(scale)
		if want != text && want != "-"+text {
			t.Fatalf("got %s, want %s", text, want)
		}
		f, _ := new(big.Rat).SetFrac(bigOf(x), pow10(scale)).Float64()
		if x.Float(scale) != f {
			t.Fatalf("float of %s: got %g, want %g", text, x.Float(scale), f)
		}
	})
}

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		text string
		p, s int
		want string // "" is refused
	}{
		{"1.5", 10, 2, "1.50"}, {"-0.005", 10, 2, "-0.01"}, {"0.0049", 10, 2, "0.00"}, {"+7", 3, 0, "7"}, {".5", 3, 1, "0.5"},
		{"5.", 3, 1, "5.0"}, {"1e3", 5, 1, "1000.0"}, {"12.5E-1", 5, 1, "1.3"}, {"99.95", 3, 1, ""}, {"99.94", 3, 1, "99.9"},
		{"", 5, 1, ""}, {"-", 5, 1, ""}, {".", 5, 1, ""}, {"1x", 5, 1, ""}, {"1e", 5, 1, ""}, {"1.2.3", 5, 1, ""}, {" 1", 5, 1, ""},
		{"1e999999999999", 5, 1, ""}, {"0.00000000000000000000000000000000000000000001", 38, 2, "0.00"},
		{"12345678901234567890123456789012345678", 38, 0, "12345678901234567890123456789012345678"},
		{"123456789012345678901234567890123456785", 38, 0, ""}, {"0.123456789012345678901234567890123456785", 38, 37, "0.1234567890123456789012345678901234568"},
		{"1.2345678901234567890123456789012345678501", 38, 37, "1.2345678901234567890123456789012345679"},
	} {
		x, ok := ParseDecimal(c.text, c.p, c.s)
		got := ""
		if ok {
			got = string(AppendDecimal(nil, x, c.s))
		}
		if got != c.want {
			t.Errorf("%q as DECIMAL(%d, %d): got %q, want %q", c.text, c.p, c.s, got, c.want)
		}
		if c.p > NarrowDigits {
			continue
		}
		n, ok64 := ParseDecimal64(c.text, c.p, c.s)
		if ok64 != ok || ok && Widen(n) != x {
			t.Errorf("%q narrow: got %d (%v), want %v (%v)", c.text, n, ok64, x, ok)
		}
	}
}

func BenchmarkAppendDecimalWide(b *testing.B) {
	var buf []byte
	for b.Loop() {
		buf = AppendDecimal(buf[:0], Widen(123456789012345678), 3)
	}
}

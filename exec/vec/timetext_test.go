package vec

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCivil(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.Int64Range(-719162, 2932896).Draw(t, "days") // years 1 to 9999
		y, m, d := CivilOf(days)
		want := time.Unix(days*86400, 0).UTC()
		if int(y) != want.Year() || m != int(want.Month()) || d != want.Day() {
			t.Fatalf("day %d: got %d-%d-%d, want %s", days, y, m, d, want)
		}
		if DaysOf(y, m, d) != days {
			t.Fatalf("%d-%d-%d: got day %d, want %d", y, m, d, DaysOf(y, m, d), days)
		}
	})
}

func TestTimestampParser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := TimestampParser{Separator: ' '}
		for range 3 {
			at := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
			digits := rapid.IntRange(0, 9).Draw(t, "digits")
			text := at.Format("2006-01-02 15:04:05")
			at = at.Truncate(time.Second).Add(time.Duration(int64(at.Nanosecond()) / Pow10[9-digits] * Pow10[9-digits]))
			if digits > 0 {
				text += "." + fmt.Sprintf("%09d", at.Nanosecond())[:digits]
			}
			for _, f := range []func() (int64, int64, bool){
				func() (int64, int64, bool) { return p.Parse([]byte(text)) },
				func() (int64, int64, bool) { return ParseTimestamp(text, 9) },
			} {
				us, ns, ok := f()
				if !ok || us != at.UnixMicro() || ns != int64(at.Nanosecond()%1000) {
					t.Fatalf("%s: got %d µs %d ns (%v), want %d µs", text, us, ns, ok, at.UnixMicro())
				}
			}
		}
	})
}

func TestTimestampParserRefuses(t *testing.T) {
	p := TimestampParser{Separator: ' '}
	for _, s := range []string{"", "2024-02-29", "2024-02-29T10:11:12", "2024-02-30 10:11:12", "2024-13-01 10:11:12", "2024-02-29 24:11:12",
		"2024-02-29 10:60:12", "2024-02-29 10:11:60", "2024-02-29 10:11:12.", "2024-02-29 10:11:12.34x", "2024-02-29 10:11:12Z", "2024-02-29 1x:11:12",
		"2024-2-29 10:11:12.0", "0000-01-01 00:00:00"} {
		if us, _, ok := p.Parse([]byte(s)); ok {
			t.Errorf("%q was read as %d", s, us)
		}
	}
}

func TestZones(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		us := rapid.Int64Range(0, 4_000_000_000).Draw(t, "s") * 1_000_000
		local := LocalOf(us, zone)
		if back := InstantOf(local, zone); back != us && LocalOf(back, zone) != local {
			t.Fatalf("instant %d is %d on the clock, and that is %d", us, local, back)
		}
	})
}

func BenchmarkTimestampParser(b *testing.B) {
	p, text := TimestampParser{Separator: ' '}, []byte("2025-01-01 10:11:12.345")
	for b.Loop() {
		if _, _, ok := p.Parse(text); !ok {
			b.Fatal("not parsed")
		}
	}
}

func BenchmarkParseDecimal64(b *testing.B) {
	text := []byte("12345.67")
	for b.Loop() {
		if _, ok := ParseDecimal64(text, 10, 2); !ok {
			b.Fatal("not parsed")
		}
	}
}

func BenchmarkWideQuotient(b *testing.B) {
	x, y := Widen(123456789012), Widen(3141)
	for b.Loop() {
		if _, ok := Quotient(x, y, 13); !ok {
			b.Fatal("overflow")
		}
	}
}

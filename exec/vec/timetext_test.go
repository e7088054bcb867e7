package vec

import (
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

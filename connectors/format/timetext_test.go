package format

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// A timestamp of any year and precision is read as the clock has it, whatever
// was read before.
func TestTimeReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := timeReader{iso: rapid.Bool().Draw(t, "iso")}
		separator := map[bool]string{false: " ", true: "T"}[r.iso]
		near := rapid.Int64Range(-62135596800, 253402300000).Draw(t, "s")
		for range 4 {
			at := time.Unix(near+rapid.Int64Range(0, 200).Draw(t, "more"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
			digits := rapid.SampledFrom([]int{0, 1, 3, 3, 6, 9}).Draw(t, "digits")
			text := at.Format("2006-01-02" + separator + "15:04:05")
			at = at.Truncate(time.Second).Add(time.Duration(int64(at.Nanosecond()) / vec.Pow10[9-digits] * vec.Pow10[9-digits]))
			if digits > 0 {
				text += "." + fmt.Sprintf("%09d", at.Nanosecond())[:digits]
			}
			us, ns, ok := r.timestamp([]byte(text), 9)
			if !ok || us != at.UnixMicro() || ns != at.Nanosecond()%1000 {
				t.Fatalf("%s: got %d µs %d ns (%v), want %d µs", text, us, ns, ok, at.UnixMicro())
			}
			if us, ok = r.millis([]byte(text)); ok != (digits == 3) || ok && us != at.UnixMicro() {
				t.Fatalf("%s: got %d µs (%v), want %d µs", text, us, ok, at.UnixMicro())
			}
		}
	})
}

// What is no timestamp is refused, also after a good one of the same minute.
func TestTimeReaderRefuses(t *testing.T) {
	var r timeReader
	const good = "2024-02-29 10:11:12.345"
	if us, ok := r.millis([]byte(good)); !ok || us != time.Date(2024, 2, 29, 10, 11, 12, 345_000_000, time.UTC).UnixMicro() {
		t.Fatalf("%s is read as %d", good, us)
	}
	for _, s := range []string{"", "2024-02-29", "2024-02-29T10:11:12", "2024-02-30 10:11:12", "2024-13-01 10:11:12", "2024-02-29 24:11:12",
		"2024-02-29 10:60:12", "2024-02-29 10:11:60", "2024-02-29 10:11:12.", "2024-02-29 10:11:12.34x", "2024-02-29 10:11:12Z", "2024-02-29 1x:11:12",
		"2024-2-29 10:11:12.0", "2024-02-29 10:11:60.000", "2024-02-29 10:11-12.345", "2024-02-29 10:11:12,345", "2024-02-29 10:11:12.3 5", "2024-02-29 10:11: 2.345"} {
		if us, _, ok := r.timestamp([]byte(s), 3); ok {
			t.Errorf("%q was read as %d", s, us)
		}
		if us, ok := r.millis([]byte(s)); ok {
			t.Errorf("%q was read at once as %d", s, us)
		}
	}
}

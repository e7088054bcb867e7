package scalar

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TestJSONAgreesWithStandardLibrary: what is valid, and what it means.
func TestJSONAgreesWithStandardLibrary(t *testing.T) {
	pieces := []string{"{", "}", "[", "]", ",", ":", `"a"`, `"b\"\\\/\n"`, `"é"`, `"\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\x"`, "\"\t\"", "1", "-0.5e+3", "01", "1.", "-", "true", "false", "null", " ", "nul", `{"k":[1,{"z":2,"a":null}]}`}
	var d jsonDoc
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), "")
		valid := json.Valid([]byte(text))
		if d.parse([]byte(text)) != valid {
			t.Fatalf("%s: valid is %v", text, valid)
		}
		if !valid {
			return
		}
		var want, got any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		written := d.write(nil, 0)
		if err := json.Unmarshal(written, &got); err != nil {
			t.Fatalf("%s was written as %s: %v", text, written, err)
		}
		a, _ := json.Marshal(want)
		b, _ := json.Marshal(got)
		if string(a) != string(b) {
			t.Fatalf("%s was written as %s", text, written)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{"", "{", `{"a":1}`, `["\ud83d"]`, "1e", `"\u12`, strings.Repeat("[", 300)} {
		f.Add([]byte(s), "$.a[0].*")
	}
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		var d jsonDoc
		if !d.parse(text) {
			return
		}
		d.write(nil, 0)
		if p, err := compilePath(path); err == nil {
			p.find(&d, nil)
		}
	})
}

// TestLikeAgreesWithRegularExpressions over a small alphabet, where patterns
// meet text often.
func TestLikeAgreesWithRegularExpressions(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("abé")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		s, pattern := text.Draw(t, "s"), rapid.StringOfN(rapid.RuneFrom([]rune("abé%_")), 0, 6, -1).Draw(t, "pattern")
		re := regexp.MustCompile(`(?s)\A` + strings.NewReplacer("%", ".*", "_", ".").Replace(pattern) + `\z`)
		p, err := compileLike(pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		if p.match([]byte(s)) != re.MatchString(s) {
			t.Fatalf("'%s' LIKE '%s' is not %v", s, pattern, re.MatchString(s))
		}
	})
}

// TestScanAgreesWithRegularExpressions: the recognised forms of
// REGEXP_EXTRACT.
func TestScanAgreesWithRegularExpressions(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("&=ia,")), 0, 12, -1)
	for _, c := range []struct {
		pattern string
		group   int64
	}{{`(&|^)i=([^&]*)`, 2}, {`(^|&)i=([^&]+)`, 2}, {`i=([^&,]*)`, 1}, {`a([^=]+)`, 1}} {
		s, re := scanOf(c.pattern, c.group), regexp.MustCompile(c.pattern)
		if s == nil {
			t.Errorf("%s is not recognised", c.pattern)
			continue
		}
		rapid.Check(t, func(t *rapid.T) {
			in := []byte(text.Draw(t, "text"))
			want, wantOK := appendGroup(nil, re, in, c.group)
			got, ok := s.find(in)
			if ok != wantOK || string(got) != string(want) {
				t.Fatalf("%s in %s: got %q (%v), want %q (%v)", c.pattern, in, got, ok, want, wantOK)
			}
		})
	}
	for _, pattern := range []string{`(a|b)i=([^&]*)`, `i=(.*)`, `i=([^&]*?)`, `(?i)i=([^&]*)`, `i=([a-z]*)`, `(&|^)i=([^&]*)x`, `[`} {
		if scanOf(pattern, 2) != nil || scanOf(pattern, 1) != nil {
			t.Errorf("%s is recognised", pattern)
		}
	}
}

func TestRemainderByConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Int64Range(1, 1<<32-1).Draw(t, "k")
		v, out := vec.New(types.Of(types.BigInt)), vec.New(types.Of(types.BigInt))
		v.I64 = append(rapid.SliceOf(rapid.Int64()).Draw(t, "any"), rapid.SliceOf(rapid.Int64Range(0, 1<<32)).Draw(t, "small")...)
		out.Resize(v.Len())
		if err := remainderBy(k)(&fn.Env{}, []*vec.Vector{v}, vec.Identity(v.Len()), out); err != nil {
			t.Fatal(err)
		}
		for i, x := range v.I64 {
			if out.I64[i] != x%k {
				t.Fatalf("%d %% %d: got %d, want %d", x, k, out.I64[i], x%k)
			}
		}
	})
}

// TestDatePatterns: what a pattern writes it reads back.
func TestDatePatterns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SampledFrom([]string{"yyyy-MM-dd HH:mm:ss.SSSSSS", "dd/MM/yyyy HH:mm:ss.SSSSSS", "yyyyMMddHHmmssSSSSSS", "d MMM yyyy hh:mm:ss.SSSSSS a", "d MMMM yyyy H:m:s.SSSSSS"}).Draw(t, "pattern")
		p, err := compileDatePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		us := rapid.Int64Range(-30_000_000_000_000_000, 200_000_000_000_000_000).Draw(t, "us")
		text := p.append(nil, us, 0)
		got, ns, ok := p.parse(text)
		if !ok || got != us || ns != 0 {
			t.Fatalf("%d by %s is %s, which reads as %d (%v)", us, pattern, text, got, ok)
		}
	})
}

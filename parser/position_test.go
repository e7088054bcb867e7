package parser

import (
	"strings"
	"sync"
	"testing"
)

func TestPositionsCountCharacters(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"SELECT 'äöü', b c d", "line 1:19: "},
		{"\ufeffSELECT a b c", "line 1:12: "},
		{"SELECT a,\r\n  b c d", "line 2:7: "},
		{"SELECT\u00a0a\u3000b c", "line 1:12: "},
		{"SELECT /* ä\n */ a b c", "line 2:9: "},
	} {
		_, err := Parse(tc.text)
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%q: got %v, want %s…", tc.text, err, tc.want)
		}
	}
}

func TestCaretStandsUnderThePlace(t *testing.T) {
	text := "SELECT\n\t'ä',\tb c d\r\nFROM t"
	_, err := Parse(text)
	want := "    \t'ä',\tb c d\n    \t    \t    ^"
	if got := err.(*Error).Caret(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestIncompleteTextIsToldFromWrongText(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT": true, "SELECT 'a": true, "SELECT /* a": true, "CREATE TABLE t (a INT": true,
		"SELECT a b c": false, "SELECT a FROM;": false,
	} {
		_, err := Parse(text)
		if err == nil || err.(*Error).Incomplete != want {
			t.Errorf("%q: %v, Incomplete should be %v", text, err, want)
		}
	}
}

// TestConcurrentUse is for the race detector: TiDB's parsers are pooled.
func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if _, err := Parse("SELECT a + 1, f(b) FROM t JOIN u ON t.x = u.x WHERE c LIKE 'a%'; SELECT 2"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

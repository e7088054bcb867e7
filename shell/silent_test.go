package shell

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestSilenceIsExplainedAndVanishes(t *testing.T) {
	var err bytes.Buffer
	s := &screen{err: &err, live: true, width: func() int { return 40 }}
	begin := time.Unix(100, 0)
	rows := int64(0)
	source := func() (int64, string) { return rows, "no record has been read; the topic is empty" }
	var q quiet
	if l := q.line(begin, source); l != "" {
		t.Errorf("at once: %q", l)
	}
	l := q.line(begin.Add(4*time.Second), source)
	if !strings.HasPrefix(l, "no row for 4 s: no record") {
		t.Errorf("after 4 s: %q", l)
	}
	s.draw(l)
	if got := err.String(); !strings.HasSuffix(got, "…") || len([]rune(got)) > 39 {
		t.Errorf("drawn as %q", got)
	}
	var out bytes.Buffer
	if _, e := s.writer(&out).Write([]byte("row\n")); e != nil {
		t.Fatal(e)
	}
	if !strings.HasSuffix(err.String(), "\r\x1b[K") || out.String() != "row\n" {
		t.Errorf("after a row: %q, %q", err.String(), out.String())
	}
	rows = 1
	if l := q.line(begin.Add(5*time.Second), source); l != "" {
		t.Errorf("after a row: %q", l)
	}
}

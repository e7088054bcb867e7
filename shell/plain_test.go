package shell

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
)

func TestPlainLines(t *testing.T) {
	r, w := io.Pipe()
	var out bytes.Buffer
	interrupt := make(chan os.Signal, 1)
	p := newPlainLines(r, &out, interrupt)
	go func() { _, _ = w.Write([]byte("one\r\n")) }()
	if l, err := p.Line("> "); l != "one" || err != nil {
		t.Fatalf("%q, %v", l, err)
	}
	interrupt <- os.Interrupt
	if _, err := p.Line("> "); !errors.Is(err, errInterrupted) {
		t.Fatalf("after Ctrl-C: %v", err)
	}
	go func() { _, _ = w.Write([]byte("two\n")); w.Close() }()
	if l, err := p.Line("> "); l != "two" || err != nil {
		t.Fatalf("%q, %v", l, err)
	}
	if _, err := p.Line("> "); !errors.Is(err, io.EOF) {
		t.Fatalf("at the end: %v", err)
	}
	if got := out.String(); got != "> > \n> > \n" {
		t.Errorf("prompts %q", got)
	}
	p.Close()
	if _, err := p.Line("> "); !errors.Is(err, io.EOF) {
		t.Fatalf("closed: %v", err)
	}
}

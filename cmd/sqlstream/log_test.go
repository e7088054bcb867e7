package main

import (
	"errors"
	"testing"
)

// TestWarnings: a line each; what OnEvent tells is not told twice.
func TestWarnings(t *testing.T) {
	var lines []string
	log := newWarnings(func(line string) { lines = append(lines, line) }).With("job", "a")
	log.Info("started")
	log.Warn("restarting", "error", errors.New("x"))
	log.Error("panic", "stack", "goroutine 1")
	log.Warn("the broker is away", "error", errors.New("refused\nmore"))
	log.Warn("plain")
	want := []string{"warning: the broker is away (job: a, error: refused)", "warning: plain (job: a)"}
	if len(lines) != len(want) || lines[0] != want[0] || lines[1] != want[1] {
		t.Errorf("got %q, want %q", lines, want)
	}
}

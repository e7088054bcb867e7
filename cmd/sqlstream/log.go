package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/sqlstream/sqlstream/exec"
)

// warnings is a log that shows a person what a job warns of, a line each.
// Events are left out, as OnEvent tells them, and stacks, which --debug shows.
type warnings struct {
	say   func(string)
	attrs []slog.Attr
}

// newWarnings returns a log of warnings; say prints a line.
func newWarnings(say func(string)) *slog.Logger { return slog.New(&warnings{say: say}) }

func (w *warnings) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	if isEvent(r.Message) {
		return nil
	}
	var b strings.Builder
	b.WriteString("warning: " + r.Message)
	sep := " ("
	add := func(a slog.Attr) bool {
		line, _, _ := strings.Cut(a.Value.String(), "\n")
		fmt.Fprintf(&b, "%s%s: %s", sep, a.Key, line)
		sep = ", "
		return true
	}
	for _, a := range w.attrs {
		add(a)
	}
	r.Attrs(add)
	if sep == ", " {
		b.WriteByte(')')
	}
	w.say(b.String())
	return nil
}

func (w *warnings) WithAttrs(list []slog.Attr) slog.Handler {
	return &warnings{w.say, append(append([]slog.Attr(nil), w.attrs...), list...)}
}

func (w *warnings) WithGroup(string) slog.Handler { return w }

func isEvent(text string) bool {
	return text == "panic" || text == exec.EventRestarting.String() || text == exec.EventFailed.String() || text == exec.EventCheckpointAborted.String()
}

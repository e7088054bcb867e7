package shell

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// paint colours the prompt and errors, and nothing else.
type paint struct{ on bool }

func (p paint) prompt(s string) string { return p.with(text.FgCyan, s) }

// error colours the first line, and the last one where it is a caret.
func (p paint) error(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if i == 0 || strings.Trim(l, " ^~") == "" {
			lines[i] = p.with(text.FgRed, l)
		}
	}
	return strings.Join(lines, "\n")
}

func (p paint) with(c text.Color, s string) string {
	if !p.on || s == "" {
		return s
	}
	return c.EscapeSeq() + s + text.Reset.EscapeSeq()
}

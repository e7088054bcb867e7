package shell

import (
	"os"
	"path/filepath"
	"strings"
)

const (
	// fold stands for a line break where an entry has to be one line: in the
	// file and on the line that is edited.
	fold = "⏎"
	// maxEntries bounds the file.
	maxEntries = 1000
)

// foldLines makes one line of several, unfold several of one.
func foldLines(s string) string { return strings.ReplaceAll(s, "\n", fold) }
func unfold(s string) string    { return strings.ReplaceAll(s, fold, "\n") }

// history is what was entered, oldest first, an entry a line; it is kept in
// a file that only its owner can read.
type history struct {
	path    string // "": not kept
	entries []string
	// changed is told of each new entry.
	changed func(entries []string)
}

// openHistory reads the history of a home folder. A file that cannot be read
// or written is no reason to refuse work.
func openHistory(home string) *history {
	h := &history{changed: func([]string) {}}
	if home == "" {
		return h
	}
	h.path = filepath.Join(home, ".sqlstream_history")
	b, err := os.ReadFile(h.path)
	if err != nil {
		return h
	}
	_ = os.Chmod(h.path, 0o600)
	for _, l := range strings.Split(string(b), "\n") {
		if l != "" {
			h.entries = append(h.entries, l)
		}
	}
	if n := len(h.entries) - maxEntries; n > 0 {
		h.entries = h.entries[n:]
		_ = os.WriteFile(h.path, []byte(strings.Join(h.entries, "\n")+"\n"), 0o600)
	}
	return h
}

// add keeps an entry, unless it is the last one again.
func (h *history) add(text string) {
	entry := foldLines(strings.TrimSpace(text))
	if entry == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1] == entry {
		h.changed(h.entries)
		return
	}
	h.entries = append(h.entries, entry)
	h.changed(h.entries)
	if h.path == "" {
		return
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(entry + "\n")
	_ = f.Close()
}

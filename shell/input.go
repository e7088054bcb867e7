package shell

import (
	"errors"
	"io"
	"os"

	"github.com/chzyer/readline"
)

// input gives the lines that a person types. Line and Close may be called
// from two goroutines; Close makes a waiting Line return io.EOF.
type input interface {
	// Line shows the prompt and returns the next line without its break:
	// errInterrupted for Ctrl-C, io.EOF for Ctrl-D on an empty line.
	Line(prompt string) (string, error)
	Close() error
}

var errInterrupted = errors.New("interrupted")

// terminalInput reads lines from the terminal.
func (s *Shell) terminalInput() (input, error) {
	if os.Getenv("TERM") == "dumb" {
		return newPlainLines(s.opt.In, s.opt.Err, s.interrupt), nil
	}
	echo := s.opt.Out
	if !isTerminal(echo) {
		echo = s.opt.Err // results may go to a file, what is typed does not
	}
	stdin := readline.NewCancelableStdin(s.opt.In)
	rl, err := readline.NewEx(&readline.Config{
		Stdin: stdin, Stdout: echo, Stderr: s.opt.Err, ForceUseInteractive: true,
		HistoryLimit: maxEntries + 1, DisableAutoSaveHistory: true, HistorySearchFold: true,
		AutoComplete: &completer{s}, InterruptPrompt: "^C", EOFPrompt: "\n",
	})
	if err != nil {
		return nil, err
	}
	t := &terminalLines{rl, stdin}
	s.history.changed = t.load
	t.load(s.history.entries)
	return t, nil
}

type terminalLines struct {
	rl    *readline.Instance
	stdin io.Closer
}

func (t *terminalLines) Line(prompt string) (string, error) {
	t.rl.SetPrompt(prompt)
	line, err := t.rl.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", errInterrupted
	}
	return line, err
}

// Close ends the read that may be under way first: the library waits for it
// and does not end it.
func (t *terminalLines) Close() error {
	return errors.Join(t.stdin.Close(), t.rl.Close())
}

// load gives the library all entries anew: its own SaveHistory mistakes a
// new entry for a changed old one when the person has moved in the list.
func (t *terminalLines) load(entries []string) {
	t.rl.ResetHistory()
	if len(entries) == 0 {
		_ = t.rl.SaveHistory("") // it needs one to write into
	}
	for _, e := range entries {
		_ = t.rl.SaveHistory(e)
	}
}

package shell

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// edit is \e: the unfinished statement, or else the last one, goes to the
// person's editor and what comes back is run.
func (s *Shell) edit(ctx context.Context, _ string) error {
	text := s.buffer
	if text == "" {
		text = s.last
	}
	text, err := edited(text)
	if err != nil {
		s.complain("%s", err)
		return nil
	}
	s.buffer = ""
	if strings.TrimSpace(text) == "" {
		return nil
	}
	fmt.Fprintln(s.opt.Err, strings.TrimRight(text, "\n"))
	statement, vertical, done := finished(text)
	if !done {
		s.buffer = strings.TrimRight(text, "\n") + "\n"
		return nil
	}
	s.history.add(strings.TrimRight(text, "\n"))
	return s.statement(ctx, statement, vertical)
}

func edited(text string) (string, error) {
	f, err := os.CreateTemp("", "sqlstream-*.sql")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	// The variable may hold arguments too, as "code --wait".
	c := exec.Command("sh", "-c", editor()+` "$1"`, "sh", f.Name())
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return "", err
	}
	b, err := os.ReadFile(f.Name())
	return string(b), err
}

func editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if e := os.Getenv(name); e != "" {
			return e
		}
	}
	return "vi"
}

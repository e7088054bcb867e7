package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// readRC runs ~/.sqlstreamrc: DDL and SET of every session. What is wrong
// in it is shown, and the shell starts all the same.
func (s *Shell) readRC(ctx context.Context) {
	if s.opt.NoRC || s.opt.Home == "" {
		return
	}
	path := filepath.Join(s.opt.Home, ".sqlstreamrc")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = s.setUp(ctx, string(text))
	}
	if err != nil {
		fmt.Fprintf(s.opt.Err, "%s:\n", path)
		s.fail(err)
	}
}

// setUp executes DDL and SET without saying OK for each.
func (s *Shell) setUp(ctx context.Context, text string) error {
	notice := s.results.Opt.Notice
	s.results.Opt.Notice = nil
	defer func() { s.results.Opt.Notice = notice }()
	return s.execute(ctx, text)
}

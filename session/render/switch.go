package render

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/session"
)

// Switch is an Output that chooses its format anew for each result. Opt
// may be changed between statements.
type Switch struct {
	Opt Options
	// Format is asked at the start of each result.
	Format  func() string
	current session.Output
	silent  bool // the format has no footer
}

func (s *Switch) Begin(columns []types.Field, changelog bool) (err error) {
	name := strings.ToLower(s.Format())
	if s.current, err = New(name, s.Opt); err != nil {
		return &session.Error{Kind: session.User, Err: err}
	}
	s.silent = name == "csv" || name == "tsv" || name == "jsonl" || name == "markdown"
	return s.current.Begin(columns, changelog)
}

func (s *Switch) Rows(b *vec.Batch) error { return s.current.Rows(b) }

func (s *Switch) End(sum session.Summary) error {
	if sum.Failed && sum.Rows == 0 {
		return nil // the error says it all
	}
	err := s.current.End(sum)
	if sum.Cancelled && s.silent {
		s.Notice(received(sum, false))
	}
	return err
}

func (s *Switch) Notice(text string) {
	if s.Opt.Notice != nil {
		fmt.Fprintln(s.Opt.Notice, text)
	}
}

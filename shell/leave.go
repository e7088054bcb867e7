package shell

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sqlstream/sqlstream/session"
)

// leave ends the shell, unless jobs run and the person wants to stay.
func (s *Shell) leave() error {
	running := s.session.Running()
	if len(running) == 0 {
		return errLeave
	}
	var names []string
	for _, j := range running {
		names = append(names, fmt.Sprintf("%s (%s)", j.ID, j.Name))
	}
	fmt.Fprintf(s.opt.Err, "still running: job %s\n", strings.Join(names, ", "))
	answer, err := s.input.Line("Stop with a final checkpoint and leave? [y/N] ")
	switch {
	case errors.Is(err, io.EOF):
		return errLeave // Ctrl-D again
	case err != nil:
		return nil
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a == "y" || a == "yes" {
		return errLeave
	}
	return nil
}

// stopJobs ends what still runs, each with a final checkpoint. Ctrl-C ends
// the waiting, and the jobs without one.
func (s *Shell) stopJobs() {
	running := s.session.Running()
	for _, j := range running {
		j.Stop(false)
	}
	for _, j := range running {
		done := make(chan error, 1)
		go func() { done <- j.Await() }()
		select {
		case err := <-done:
			s.stopped(j, err)
		case <-s.interrupt:
			s.session.Close()
			return
		}
	}
}

func (s *Shell) stopped(j *session.Job, err error) {
	if err != nil {
		s.fail(err)
		return
	}
	where := "; its state was in memory and is gone"
	if j.Dir != "" {
		where = ", its state is in " + j.Dir
	}
	fmt.Fprintf(s.opt.Err, "job %s (%s) stopped%s\n", j.ID, j.Name, where)
}

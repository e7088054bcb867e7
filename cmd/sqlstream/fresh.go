package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/session"
)

// confirmFresh says what --fresh gives up of a job, and asks.
func (a *app) confirmFresh(job, dir string) error {
	lines, err := pendingLines(dir)
	switch {
	case errors.Is(err, checkpoint.ErrLocked):
		return err
	case err != nil:
		lines = []string{fmt.Sprintf("  its transactions cannot be read: %s", firstLine(err))}
	case len(lines) == 0:
		lines = []string{"  no transaction of it is pending"}
	}
	fmt.Fprintf(a.err, "job %s: --fresh sets %s aside; the job begins anew, and output may repeat\n", job, dir)
	for _, l := range lines {
		fmt.Fprintln(a.err, l)
	}
	if a.flags.yes {
		return nil
	}
	if !terminal(a.in) {
		return usage("add --yes to set it aside without being asked")
	}
	fmt.Fprint(a.err, "Go on? [y/N] ")
	var answer string
	_, _ = fmt.Fscanln(a.in, &answer)
	if answer != "y" && answer != "Y" && answer != "yes" {
		return &exitError{session.ExitInterrupt}
	}
	return nil
}

// pendingLines name the transactions whose outcome a directory does not know.
func pendingLines(dir string) ([]string, error) {
	list, sinks, running, err := readTransactions(dir)
	if err != nil {
		return nil, err
	}
	if running {
		return nil, fmt.Errorf("%w: %s is open in another process; stop that one, or use another --state-dir", checkpoint.ErrLocked, dir)
	}
	s, err := newSettlers(sinks, &txnFlags{})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, r := range rowsOf(describeAll(list, s), nil, false, true, time.Now()) {
		if r.State == "pending" {
			lines = append(lines, r.line())
		}
	}
	return lines, s.close()
}

func (r txnRow) line() string {
	text := fmt.Sprintf("  pending: checkpoint %d", r.Checkpoint)
	if r.ID != "" {
		text += ", transactional.id " + r.ID
	}
	if r.Rows >= 0 {
		text += fmt.Sprintf(", %d rows", r.Rows)
	}
	return text + "; 'sqlstream txn' commits or aborts it"
}

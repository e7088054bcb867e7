package shell

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/session"
)

// jobSilence is how long a background job may put nothing out before the
// reason is looked for.
const jobSilence = 5 * time.Second

// notices wait for the next prompt.
type notices struct {
	mu     sync.Mutex
	lines  []string
	told   map[string]bool // ids of jobs whose end is known to the person
	silent map[string]bool // ids of jobs whose silence was explained
}

// Notify keeps a line about a background job until the next prompt. Any
// goroutine may call it.
func (s *Shell) Notify(line string) {
	s.notices.mu.Lock()
	defer s.notices.mu.Unlock()
	s.notices.lines = append(s.notices.lines, line)
}

// tellJobs shows what happened to background jobs since the last prompt.
func (s *Shell) tellJobs() {
	n := &s.notices
	n.mu.Lock()
	lines := n.lines
	n.lines = nil
	n.mu.Unlock()
	for _, j := range s.session.Jobs() {
		switch {
		case j.Over():
			if s.tell(j.ID) {
				lines = append(lines, ended(j))
			}
		case !n.silent[j.ID] && j.Elapsed() > jobSilence:
			if why := j.WhySilent(); why != "" {
				n.note(&n.silent, j.ID)
				lines = append(lines, fmt.Sprintf("job %s (%s) has put nothing out: %s", j.ID, j.Name, why))
			}
		}
	}
	for _, l := range lines {
		fmt.Fprintln(s.opt.Err, l)
	}
}

func (n *notices) note(m *map[string]bool, id string) {
	if *m == nil {
		*m = map[string]bool{}
	}
	(*m)[id] = true
}

// tell is true once for a job.
func (s *Shell) tell(id string) bool {
	if s.notices.told[id] {
		return false
	}
	s.notices.note(&s.notices.told, id)
	return true
}

// knowEnded tells of jobs that a statement ended: STOP JOB has said so, the
// error of an INSERT that was waited for is shown, Ctrl-C stops one.
func (s *Shell) knowEnded(text string, err error) {
	stop := strings.HasPrefix(strings.ToUpper(strings.TrimSpace(text)), "STOP")
	for _, j := range s.session.Jobs() {
		switch {
		case !j.Over():
		case stop || err != nil && j.Err() != nil:
			s.tell(j.ID)
		case s.cancelled && s.session.Setting("table.dml-sync") == "true" && s.tell(j.ID):
			s.stopped(j, j.Err())
		}
	}
}

// ended says how a job ended.
func ended(j *session.Job) string {
	if err := j.Err(); err != nil {
		return fmt.Sprintf("job %s (%s) failed after %s: %s", j.ID, j.Name, j.Elapsed().Round(10*time.Millisecond), session.Render(err))
	}
	in, out, late, skipped := session.Counts(j.Status())
	text := fmt.Sprintf("job %s (%s) finished: %d records in, %d rows out", j.ID, j.Name, in, out)
	if late > 0 {
		text += fmt.Sprintf(", %d late", late)
	}
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	if lost := session.Losses(j.Status()); lost != "" {
		text += ", " + lost
	}
	return text + ", " + j.Elapsed().Round(10*time.Millisecond).String()
}

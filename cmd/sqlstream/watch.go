package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/session"
)

// watcher tells a person how jobs go: start lines, one progress line redrawn
// on a terminal (every 10 s in a log), what went wrong, and a summary.
type watcher struct {
	out  io.Writer
	live bool

	mu    sync.Mutex
	jobs  []*session.Job
	last  map[string]reading
	drawn bool
	quiet map[string]stillness
	told  map[string]bool // jobs whose failure was told
}

// stillness is since when a job has put nothing out, and its counts then.
type stillness struct {
	since   time.Time
	in, out int64
	advised bool
}

// reading is what was counted at the last progress line.
type reading struct {
	at      time.Time
	in, out int64
}

const (
	liveInterval = time.Second
	logInterval  = 10 * time.Second
	// silence after which the reason is looked for.
	silence = 5 * time.Second
	// laterSilence is that of a job that has put rows out: a window may be long.
	laterSilence = 30 * time.Second
)

func (w *watcher) started(j *session.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.say(strings.Join(startLines(j), "\n"))
}

func (w *watcher) running(j *session.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs = append(w.jobs, j)
}

// say prints a line above the progress line.
func (w *watcher) say(text string) {
	w.clear()
	fmt.Fprintln(w.out, text)
}

func (w *watcher) warn(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.say(line)
}

func (w *watcher) clear() {
	if w.drawn {
		fmt.Fprint(w.out, "\r\x1b[K")
		w.drawn = false
	}
}

func (w *watcher) event(j *session.Job, e exec.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text := trouble(j, e); text != "" {
		w.say(text)
	}
}

// stopping after which a person is told what is waited for.
const stopping = time.Second

// watch draws until ctx ends. The end of wish is the person's wish to stop.
func (w *watcher) watch(ctx, wish context.Context) {
	interval := logInterval
	if w.live {
		interval = liveInterval
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	wished, late := wish.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case <-tick.C:
			w.draw()
		case <-wished:
			wished, late = nil, time.After(stopping)
		case <-late:
			w.warn("stopping with a final checkpoint; Ctrl-C again ends at once, and the next run goes on from the last checkpoint")
		case <-ctx.Done():
			w.mu.Lock()
			w.clear()
			w.mu.Unlock()
			return
		}
	}
}

func (w *watcher) draw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, j := range w.jobs {
		if !j.Over() {
			lines = append(lines, w.progress(j))
		}
	}
	if len(lines) == 0 {
		return
	}
	w.tellFailed()
	if !w.live {
		fmt.Fprintln(w.out, strings.Join(lines, "\n"))
		return
	}
	line := strings.Join(lines, " · ")
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && len(line) >= width && width > 4 {
		line = line[:width-4] + "…"
	}
	w.clear()
	fmt.Fprint(w.out, line)
	w.drawn = true
}

// tellFailed tells of jobs that failed while others go on; the last one's
// error ends the program, which says it then.
func (w *watcher) tellFailed() {
	for _, j := range w.jobs {
		if !w.told[j.ID] && j.Over() && j.Err() != nil {
			if w.told == nil {
				w.told = map[string]bool{}
			}
			w.told[j.ID] = true
			w.say(fmt.Sprintf("job %s failed, others go on: %s", j.Name, j.Err()))
		}
	}
}

// progress is the line of one job.
func (w *watcher) progress(j *session.Job) string {
	st := j.Status()
	in, out, late, skipped := session.Counts(st)
	now := time.Now()
	before, ok := w.last[j.ID]
	if w.last == nil {
		w.last = map[string]reading{}
	}
	w.last[j.ID] = reading{now, in, out}
	if !ok {
		before = reading{at: j.Started}
		w.splits(j, st)
	}
	d := max(now.Sub(before.at).Seconds(), 0.001)
	line := fmt.Sprintf("%s: in %.0f/s, out %.0f/s", j.Name, float64(in-before.in)/d, float64(out-before.out)/d)
	if lag := session.Lag(st); lag > 0 {
		line += fmt.Sprintf(", lag %d", lag)
	}
	if m := session.Watermark(st); m != types.MinTime {
		line += ", watermark " + m.String()
	}
	if id := st.Progress.LastCompleted; id > 0 {
		line += fmt.Sprintf(", checkpoint %d", id)
	}
	if late > 0 {
		line += fmt.Sprintf(", %d late rows dropped", late)
	}
	if skipped > 0 {
		line += fmt.Sprintf(", %d bad records skipped", skipped)
	}
	w.diagnose(j, st, in, out)
	return line
}

// splits says, once they are known, how many splits each source reads.
func (w *watcher) splits(j *session.Job, st exec.Status) {
	for _, src := range j.Summary.Sources {
		n := 0
		for _, sp := range st.Splits {
			if sp.UID == src.UID {
				n++
			}
		}
		if n > 1 {
			w.say(fmt.Sprintf("  %s has %d splits", src.Table, n))
		}
	}
}

// diagnose says why a job puts nothing out: once at its begin, and again when
// it falls silent later although it reads.
func (w *watcher) diagnose(j *session.Job, st exec.Status, in, out int64) {
	q, ok := w.quiet[j.ID]
	if w.quiet == nil {
		w.quiet = map[string]stillness{}
	}
	if !ok {
		q = stillness{since: j.Started}
	}
	if q.out != out {
		q = stillness{since: time.Now(), in: in, out: out}
	}
	w.quiet[j.ID] = q
	limit := silence
	if out > 0 {
		limit = laterSilence
	}
	if q.advised || time.Since(q.since) < limit || out > 0 && in == q.in {
		return
	}
	q.advised = true
	w.quiet[j.ID] = q
	word := "no output yet: "
	if out > 0 {
		word = fmt.Sprintf("no output for %s: ", time.Since(q.since).Round(time.Second))
	}
	w.say(word + session.WhySilent(st, j.Summary.Sources))
}

// summaries are the last lines.
func (w *watcher) summaries(interrupted bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range w.jobs {
		st := j.Status()
		in, out, late, skipped := session.Counts(st)
		word := "finished"
		switch {
		case j.Err() != nil:
			word = "failed"
		case interrupted:
			word = "stopped"
		}
		w.say(fmt.Sprintf("job %s %s: %d records in, %d rows out, %d late, %d skipped, %d checkpoints, %d restarts, %s",
			j.Name, word, in, out, late, skipped, st.Progress.Completed, max(st.Attempt-1, 0), j.Elapsed().Round(10*time.Millisecond)))
		if lost := session.Losses(st); lost != "" {
			w.say(fmt.Sprintf("job %s: %s that the broker aborted, counted over all runs on this state directory", j.Name, lost))
		}
		if word == "stopped" && j.Dir != "" {
			w.say("run it again with the same state directory to go on: " + j.Dir)
		}
	}
}

// height is the number of lines of a terminal.
func height(f *os.File) int {
	if f == nil {
		return 0
	}
	_, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return h
}

// Package shell is the interactive shell: it reads statements of several
// lines and backslash commands, hands SQL to a session, and shows results,
// errors and what background jobs are up to.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/session"
	"github.com/sqlstream/sqlstream/session/render"
)

// Options of a shell.
type Options struct {
	In       io.ReadCloser // a terminal
	Out, Err *os.File
	// Home holds the history and .sqlstreamrc; "": neither is used.
	Home   string
	NoRC   bool
	Format string // of results, until SET says otherwise; "": that of .sqlstreamrc
	Color  bool
	Banner string
	// Variables are those of --define; \set adds to them.
	Variables map[string]string
	// Session makes the session. Results go to out; started is told of each
	// SELECT.
	Session func(out session.Output, started func(*session.Query)) (*session.Session, error)
	// Help prints the help on a connector, format or function.
	Help func(words []string) error
}

// Shell reads and runs statements until the person leaves. All methods but
// Notify belong to the goroutine of Run.
type Shell struct {
	opt     Options
	session *session.Session
	results *render.Switch
	live    *Live
	paint   paint
	input   input
	history *history

	buffer    string // lines of an unfinished statement, each with its newline
	last      string // the last statement, for \watch and \e
	once      string // format of this statement only
	vertical  bool
	timing    bool
	file      *os.File // of \o
	variables map[string]string
	interrupt chan os.Signal
	cancelled bool // the last statement, by Ctrl-C

	notices notices
}

// New makes a shell and its session.
func New(o Options) (*Shell, error) {
	s := &Shell{opt: o, paint: paint{o.Color}, variables: map[string]string{}, interrupt: make(chan os.Signal, 1)}
	for k, v := range o.Variables {
		s.variables[k] = v
	}
	s.live = NewLive(o.Err)
	_, height := size(o.Out)
	s.results = &render.Switch{Format: s.format, Opt: render.Options{
		Out: s.live.Writer(o.Out), Notice: s.live.Writer(o.Err), Terminal: isTerminal(o.Out), Height: height,
	}}
	var err error
	if s.session, err = o.Session(s.results, s.live.Selected); err != nil {
		return nil, err
	}
	s.history = openHistory(o.Home)
	return s, nil
}

const formatKey = "sql-client.execution.result-mode"

// format is that of the next result.
func (s *Shell) format() string {
	switch {
	case s.once != "":
		return s.once
	case s.vertical:
		return "vertical"
	}
	return s.session.Setting(formatKey)
}

// errLeave ends the loop.
var errLeave = errors.New("leave")

// Run reads and runs until the person leaves or ctx ends; then the jobs
// that still run are stopped with a final checkpoint.
func (s *Shell) Run(ctx context.Context) error {
	release := s.takeInterrupts()
	defer release()
	if s.input == nil {
		in, err := s.terminalInput()
		if err != nil {
			return err
		}
		s.input = in
	}
	defer s.input.Close()
	defer context.AfterFunc(ctx, func() { _ = s.input.Close() })()
	if s.opt.Banner != "" {
		fmt.Fprintln(s.opt.Err, s.opt.Banner)
	}
	s.readRC(ctx)
	if s.opt.Format != "" {
		s.fail(s.setUp(ctx, "SET '"+formatKey+"' = '"+s.opt.Format+"';"))
	}
	for ctx.Err() == nil {
		s.tellJobs()
		if err := s.next(ctx); err != nil {
			break
		}
	}
	s.stopJobs()
	return s.closeOutput()
}

// next reads one line and does what it completes.
func (s *Shell) next(ctx context.Context) error {
	line, err := s.input.Line(s.prompt())
	switch {
	case errors.Is(err, errInterrupted):
		s.buffer = ""
		return nil
	case errors.Is(err, io.EOF) && ctx.Err() == nil:
		return s.leave()
	case err != nil:
		return err
	}
	return s.feed(ctx, unfold(line))
}

func (s *Shell) prompt() string {
	if s.buffer != "" {
		return s.paint.prompt("      -> ")
	}
	return s.paint.prompt("sqlstream> ")
}

// feed takes the next line of input.
func (s *Shell) feed(ctx context.Context, line string) error {
	if name, args, ok := s.command(line); ok {
		s.history.add(s.buffer + line)
		return s.runCommand(ctx, name, args)
	}
	if s.buffer == "" && strings.TrimSpace(line) == "" {
		return nil
	}
	s.buffer += line + "\n"
	text, vertical, done := finished(s.buffer)
	if !done {
		return nil
	}
	s.history.add(strings.TrimRight(s.buffer, "\n"))
	s.buffer = ""
	return s.statement(ctx, text, vertical)
}

// finished tells whether text is a whole statement; \G in place of the
// semicolon asks for the vertical form.
func finished(text string) (statement string, vertical, done bool) {
	trimmed := strings.TrimRight(text, " \t\n;")
	if before, ok := strings.CutSuffix(trimmed, `\G`); ok && session.Complete(before+"\n;") {
		return before + ";", true, true
	}
	return text, false, session.Complete(text)
}

// statement runs the text that a person gave.
func (s *Shell) statement(ctx context.Context, text string, vertical bool) error {
	switch word := strings.ToUpper(strings.Trim(text, " \t\n;")); word {
	case "CLEAR":
		if isSmart(s.opt.Err) {
			fmt.Fprint(s.opt.Err, "\x1b[H\x1b[2J")
		}
		return nil
	case "HELP":
		return s.help("")
	}
	s.last = text
	if vertical {
		s.once = "vertical"
	}
	err := s.execute(ctx, text)
	s.once = ""
	if errors.Is(err, session.ErrQuit) {
		return s.leave()
	}
	s.fail(err)
	return nil
}

// execute runs a text in the foreground: Ctrl-C ends it.
func (s *Shell) execute(ctx context.Context, text string) error {
	text, err := session.Substitute(text, s.variables)
	if err != nil {
		return err
	}
	begin := time.Now()
	err = s.foreground(ctx, func(ctx context.Context) error { return s.session.Execute(ctx, text) })
	if s.timing {
		fmt.Fprintf(s.opt.Err, "Time: %.3f s\n", time.Since(begin).Seconds())
	}
	s.knowEnded(text, err)
	return err
}

// foreground runs f with a context that Ctrl-C ends, and shows why nothing
// comes while it is silent.
func (s *Shell) foreground(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	done := make(chan struct{})
	s.forgetInterrupts()
	go func() {
		defer close(done)
		s.live.Attend(s.interrupt, cancel, over)
	}()
	err := f(ctx)
	s.cancelled = ctx.Err() != nil
	close(over)
	<-done
	return err
}

// fail shows an error and goes on.
func (s *Shell) fail(err error) {
	if err == nil {
		return
	}
	if session.KindOf(err) == session.Cancelled {
		fmt.Fprintln(s.opt.Err, err)
		return
	}
	fmt.Fprintln(s.opt.Err, s.paint.error(session.Render(err)))
}

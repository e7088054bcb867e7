package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/session"
	"github.com/sqlstream/sqlstream/session/render"
)

// newSession makes the session of a command.
func (a *app) newSession(o session.Options) (*session.Session, error) {
	if _, err := a.colors(a.outFile); err != nil {
		return nil, err
	}
	settings, err := pairs("set", a.flags.sets)
	if err != nil {
		return nil, err
	}
	limit, err := a.memoryLimit()
	if err != nil {
		return nil, err
	}
	o.Settings, o.StateDir, o.Fresh, o.MemoryLimit = settings, a.flags.stateDir, a.flags.fresh, limit
	o.ConfirmFresh = a.confirmFresh
	if o.Output == nil {
		if o.Output, err = a.output(a.flags.output); err != nil {
			return nil, err
		}
	}
	if o.Log == nil {
		o.Log = newWarnings(func(line string) { fmt.Fprintln(a.err, line) })
	}
	if a.flags.debug {
		o.Log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	s, err := session.New(o)
	if sw, ok := o.Output.(*render.Switch); ok && s != nil && sw.Format == nil {
		sw.Format = func() string { return cmp.Or(a.flags.output, s.Setting("sql-client.execution.result-mode")) }
	}
	return s, err
}

// memoryLimit reads --memory and keeps the collector within it.
func (a *app) memoryLimit() (int64, error) {
	if a.flags.memory == "" {
		return 0, nil
	}
	n, err := connectors.ParseSize(a.flags.memory)
	if err != nil || n == 0 {
		return 0, usage("--memory %s: expected a size such as '2 gb'", a.flags.memory)
	}
	debug.SetMemoryLimit(n + n/4)
	return n, nil
}

func (a *app) output(format string) (session.Output, error) {
	o := render.Options{Out: a.out, Notice: a.err, Terminal: terminal(a.outFile), Height: height(a.outFile)}
	if _, err := render.New(format, o); err != nil {
		return nil, usage("--output: %s", err)
	}
	return &render.Switch{Opt: o}, nil
}

// texts reads the SQL of -e, -f and files; variables are replaced.
func (a *app) texts(list []fragment) ([]string, error) {
	values, err := pairs("define", a.flags.defines)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, f := range list {
		text := f.text
		if f.file {
			if text, err = readSQL(f.text); err != nil {
				return nil, err
			}
		}
		if text, err = session.Substitute(text, values); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func readSQL(path string) (string, error) {
	if path == "-" {
		b, err := io.ReadAll(os.Stdin)
		return string(b), err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", &session.Error{Kind: session.External, Err: fmt.Errorf("job file %s: %w", path, unwrapPath(err))}
	}
	return string(b), nil
}

// unwrapPath leaves the operation and the path out: the message has named it.
func unwrapPath(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

// execute runs texts in order and then waits for the jobs that they started.
func (a *app) execute(ctx context.Context, texts []string, o session.Options) error {
	s, err := a.newSession(o)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, text := range texts {
		if err := s.Execute(ctx, text); err != nil {
			if err == session.ErrQuit {
				break
			}
			return err
		}
	}
	return s.AwaitAll(ctx)
}

// interactive is the program without a command.
func (a *app) interactive(ctx context.Context) error {
	if len(a.flags.texts) > 0 {
		return a.batch(ctx, a.flags.texts)
	}
	if !isatty.IsTerminal(a.in.Fd()) {
		b, err := io.ReadAll(a.in)
		if err != nil {
			return err
		}
		return a.batch(ctx, []fragment{{text: string(b)}})
	}
	return a.shell(ctx)
}

func (a *app) batch(ctx context.Context, list []fragment) error {
	texts, err := a.texts(list)
	if err != nil {
		return err
	}
	started, done := a.explainSilence()
	defer done()
	return a.execute(ctx, texts, session.Options{Quiet: true, OnEvent: a.printTrouble, OnQuery: started})
}

// printTrouble tells a person what went wrong while a job goes on.
func (a *app) printTrouble(j *session.Job, e exec.Event) {
	if text := trouble(j, e); text != "" {
		fmt.Fprintln(a.err, text)
	}
}

// overtaken is why the coordinator gives a checkpoint up when a job ends.
const overtaken = "overtaken by the final checkpoint"

// trouble is an event in words, "" if nobody has to know.
func trouble(j *session.Job, e exec.Event) string {
	switch e.Kind {
	case exec.EventRestarting:
		return fmt.Sprintf("job %s: %s; restarting in %s", j.Name, firstLine(e.Err), e.Delay.Round(time.Millisecond))
	case exec.EventCheckpointAborted:
		why := strings.TrimPrefix(e.Text, fmt.Sprintf("checkpoint %d: ", e.Checkpoint))
		if why == overtaken {
			return "" // by the final one
		}
		return fmt.Sprintf("job %s: checkpoint %d was not completed: %s", j.Name, e.Checkpoint, why)
	}
	return ""
}

func firstLine(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/session"
	"github.com/sqlstream/sqlstream/shell"
)

// shell is the program on a terminal without a command.
func (a *app) shell(ctx context.Context) error {
	values, err := pairs("define", a.flags.defines)
	if err != nil {
		return err
	}
	color, err := a.colors(a.outFile)
	if err != nil {
		return err
	}
	if _, err := a.output(a.flags.output); err != nil {
		return err
	}
	home, _ := os.UserHomeDir()
	o := shell.Options{
		In: a.in, Out: a.outFile, Err: os.Stderr, Home: home, NoRC: a.flags.noRC, Format: a.flags.output, Color: color, Variables: values,
		Help: func(words []string) error {
			if err := a.helpOn(words); err != nil {
				return &session.Error{Kind: session.User, Err: err}
			}
			return nil
		},
	}
	if terminal(a.outFile) {
		o.Banner = "sqlstream " + version() + "\nStatements end with ';'. \\? shows help, Ctrl-D leaves."
	}
	var sh *shell.Shell
	o.Session = func(out session.Output, started func(*session.Query)) (*session.Session, error) {
		return a.newSession(session.Options{Output: out, OnQuery: started, OnEvent: func(j *session.Job, e exec.Event) {
			if text := trouble(j, e); text != "" {
				sh.Notify(text)
			}
		}})
	}
	if sh, err = shell.New(o); err != nil {
		return err
	}
	return sh.Run(ctx)
}

// explainSilence shows on a terminal why a SELECT of -e or -f gives no rows.
func (a *app) explainSilence() (started func(*session.Query), done func()) {
	live := shell.NewLive(os.Stderr)
	a.out, a.err = live.Writer(a.out), live.Writer(a.err)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		live.Attend(nil, nil, over)
	}()
	return live.Selected, func() {
		close(over)
		<-ended
	}
}

// colors tells whether f gets colours, by --color, NO_COLOR and TERM.
func (a *app) colors(f *os.File) (bool, error) {
	switch a.flags.color {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return terminal(f) && os.Getenv("NO_COLOR") == "", nil
	}
	return false, usage("--color %s: expected auto, always or never", a.flags.color)
}

// helpOn is \h: help on a connector, format or function; a single word is
// looked for in all three.
func (a *app) helpOn(words []string) error {
	kind, name := words[0], ""
	if len(words) > 1 {
		name = words[1]
	}
	switch kind {
	case "connector", "connectors":
		return a.helpConnector(name)
	case "format", "formats":
		return a.helpFormat(name)
	case "function", "functions":
		return a.helpFunction(name)
	}
	for _, help := range []func(string) error{a.helpConnector, a.helpFormat} {
		if help(kind) == nil {
			return nil
		}
	}
	return a.helpFunction(kind)
}

// version is that of the module, "devel" for a build of a working copy.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

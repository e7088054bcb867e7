// Command sqlstream is the streaming engine: an interactive SQL shell, a
// runner of job files, and the tools around both.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/session"

	_ "github.com/sqlstream/sqlstream/connectors/blackhole"
	_ "github.com/sqlstream/sqlstream/connectors/datagen"
	_ "github.com/sqlstream/sqlstream/connectors/files"
	_ "github.com/sqlstream/sqlstream/connectors/kafka"
	_ "github.com/sqlstream/sqlstream/connectors/print"
)

func main() { os.Exit(Main()) }

// Main runs the program and returns its exit code; tests call it too.
func Main() int {
	ctx, stop := interrupts(context.Background())
	defer stop()
	err := root(os.Stdin, os.Stdout, os.Stderr).ExecuteContext(ctx)
	var usage *usageError
	var code *exitError
	switch {
	case err == nil:
		return session.ExitOK
	case errors.As(err, &code):
		return code.code
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "%s\n", usage)
		return session.ExitUsage
	}
	fmt.Fprintln(os.Stderr, session.Render(err))
	return session.ExitCode(err)
}

// usageError is a wrong command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// exitError ends the program with a code and says nothing more.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// app is what all commands share.
type app struct {
	in       *os.File
	out, err io.Writer
	outFile  *os.File
	flags    flags
}

// flags are those that several commands have.
type flags struct {
	texts    []fragment // -e and -f, in order
	stateDir string
	output   string
	defines  []string
	sets     []string
	fresh    bool
	yes      bool
	color    string
	noRC     bool
	debug    bool
	memory   string
}

// fragment is a piece of SQL from the command line.
type fragment struct {
	file bool
	text string
}

func root(in, out, errOut *os.File) *cobra.Command {
	a := &app{in: in, out: out, err: errOut, outFile: out}
	c := &cobra.Command{
		Use:   "sqlstream",
		Short: "Streaming SQL with exactly-once results, in one binary",
		Long: `sqlstream runs Apache Flink SQL on streams: Kafka topics and files go in, Kafka transactions come out.
Without a command it is an interactive shell; -e and -f run statements in order, as does standard input.`,
		Args:                       noCommand,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		SilenceErrors:              true,
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("state-dir") {
				a.flags.stateDir = "" // in memory: the same INSERT may be typed twice
			}
			return a.interactive(c.Context())
		},
	}
	c.SetOut(out)
	c.SetErr(errOut)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%s\nrun '%s --help' for the options", err, c.CommandPath())
	})
	c.Flags().VarP(&fragments{&a.flags.texts, false}, "execute", "e", "run these statements (repeatable)")
	c.Flags().VarP(&fragments{&a.flags.texts, true}, "file", "f", "run the statements of this file (repeatable)")
	c.Flags().BoolVarP(&a.flags.noRC, "no-rc", "X", false, "do not read ~/.sqlstreamrc")
	a.sessionFlags(c)
	c.AddCommand(a.runCommand(), a.explainCommand(), a.checkCommand(), a.brokerCommand(), a.demoCommand(),
		a.checkpointCommand(), a.txnCommand(), a.versionCommand(), a.compareCommand(), a.notYet("test", "SQL tests with ASSERT"))
	c.SetHelpCommand(a.helpCommand(c))
	c.InitDefaultCompletionCmd()
	return c
}

// sessionFlags are the flags of commands that run statements.
func (a *app) sessionFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&a.flags.stateDir, "state-dir", "./.sqlstream", "folder that holds the state of jobs, a folder each")
	f.StringVar(&a.flags.output, "output", "", "form of results: tableau, table, changelog, vertical, csv, tsv, jsonl, markdown")
	f.StringArrayVar(&a.flags.defines, "define", nil, "value of a variable: name=value, for ${name} (repeatable)")
	f.StringArrayVar(&a.flags.sets, "set", nil, "a setting, as SET does: key=value (repeatable)")
	f.BoolVar(&a.flags.fresh, "fresh", false, "set earlier state aside and begin anew")
	f.BoolVar(&a.flags.yes, "yes", false, "do not ask")
	f.StringVar(&a.flags.color, "color", "auto", "colours: auto, always, never")
	f.BoolVar(&a.flags.debug, "debug", false, "say more about internal errors")
	f.StringVar(&a.flags.memory, "memory", "", "most memory for the state of a job, as '2 gb'")
}

// fragments is the flag value of -e and -f: both add to one ordered list.
type fragments struct {
	list *[]fragment
	file bool
}

func (f *fragments) String() string { return "" }
func (f *fragments) Type() string {
	if f.file {
		return "file"
	}
	return "sql"
}

func (f *fragments) Set(text string) error {
	*f.list = append(*f.list, fragment{f.file, text})
	return nil
}

// terminal tells whether a person sees f.
func terminal(f *os.File) bool {
	return f != nil && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// pairs reads name=value flags.
func pairs(flag string, list []string) (map[string]string, error) {
	m := map[string]string{}
	for _, s := range list {
		k, v, ok := strings.Cut(s, "=")
		if !ok || k == "" {
			return nil, usage("--%s %s: expected name=value", flag, s)
		}
		m[k] = v
	}
	return m, nil
}

// notYet is a command that is planned.
func (a *app) notYet(name, what string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: what + " (not supported yet)", Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return &session.Error{Kind: session.Unsupported, Err: fmt.Errorf("the command %s is not supported yet", name)}
		},
	}
}

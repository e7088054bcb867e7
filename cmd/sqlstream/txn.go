package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/session"
)

// txnFlags are those of the txn commands.
type txnFlags struct {
	bootstrap, config string
	json, all         bool
	yes, force        bool
}

func (a *app) txnCommand() *cobra.Command {
	f := &txnFlags{}
	c := &cobra.Command{Use: "txn", Short: "The transactions of a job: see them, settle them by hand", RunE: needsSubcommand}
	list := &cobra.Command{
		Use: "list [JOB]", Short: "List a job's transactions: what its state directory and the cluster know", Args: argsBy(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.jobDir(args)
			if err != nil {
				return err
			}
			return a.listTransactions(c.Context(), dir, f)
		},
	}
	list.Flags().BoolVar(&f.json, "json", false, "one JSON object")
	list.Flags().BoolVar(&f.all, "all", false, "also ids on which nothing is open")
	c.AddCommand(list, a.settleCommand("commit", f), a.settleCommand("abort", f))
	for _, sub := range c.Commands() {
		sub.Flags().StringVar(&a.flags.stateDir, "state-dir", "./.sqlstream", "folder that holds the state of jobs")
		sub.Flags().StringVar(&f.bootstrap, "bootstrap", "", "brokers of the cluster, host:port, instead of the job's own")
		sub.Flags().StringVar(&f.config, "command-config", "", "file with more settings of the client, key=value a line, as sasl.jaas.config=…")
	}
	return c
}

func (a *app) settleCommand(verb string, f *txnFlags) *cobra.Command {
	c := &cobra.Command{
		Use: verb + " ID [JOB]", Args: argsBy(cobra.RangeArgs(1, 2)),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.jobDir(args[1:])
			if err != nil {
				return err
			}
			return a.settle(c.Context(), dir, args[0], verb == "commit", f)
		},
	}
	if verb == "commit" {
		c.Short = "Commit a pending transaction of a stopped job"
		c.Long = `Commit a pending transaction of a stopped job, as its next start would do.
Of a sink that writes files, ID is the hidden name of a finished file, which is put in place.
--force commits before an earlier transaction of the same writer, and declares a transaction committed where nothing proves its end.`
	} else {
		c.Short = "Abort a transaction of a stopped job"
		c.Long = `Abort a transaction of a stopped job. One that no checkpoint covers loses nothing: its rows are read again.
One that a checkpoint covers, or that the broker has aborted, loses its rows; while it is open, that needs --force.
Of a sink that writes files, ID is the hidden name of a file, which is removed.
As at a start of the job, whatever else no checkpoint covers and earlier runs left open is aborted, too.`
	}
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.force, "force", false, "even if rows are lost, or nothing proves what became of it")
	return c
}

// settlers opens a settler a sink, on demand.
type settlers struct {
	sinks   map[string]session.Sink // by UID
	journal func(uid string) checkpoint.Journal
	more    map[string]string // settings that a person added
	open    map[string]connectors.Settler
}

func newSettlers(sinks []session.Sink, f *txnFlags) (*settlers, error) {
	more, err := f.options()
	if err != nil {
		return nil, err
	}
	s := &settlers{sinks: map[string]session.Sink{}, more: more, open: map[string]connectors.Settler{}}
	for _, k := range sinks {
		s.sinks[k.UID] = k
	}
	return s, nil
}

func (s *settlers) close() error {
	var errs []error
	for _, o := range s.open {
		errs = append(errs, o.Close())
	}
	return errors.Join(errs...)
}

// of is the settler of a sink.
func (s *settlers) of(uid string) (connectors.Settler, error) {
	if o := s.open[uid]; o != nil {
		return o, nil
	}
	k, ok := s.sinks[uid]
	if !ok {
		return nil, external("the state directory does not say what kind of sink %s is", uid)
	}
	r := connectors.SinkRef{Connector: k.Connector, UID: uid, JobName: k.JobName, RunID: k.RunID, Options: map[string]string{}, Clock: exec.SystemClock{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	for _, m := range []map[string]string{k.Options, s.more} {
		for key, v := range m {
			r.Options[key] = v
		}
	}
	if s.journal != nil {
		r.Journal = s.journal(uid)
	}
	o, err := connectors.OpenSettler(r)
	if err == nil {
		s.open[uid] = o
	}
	return o, err
}

// options are the settings that the command line adds to those of the job.
func (f *txnFlags) options() (map[string]string, error) {
	m := map[string]string{}
	if f.config != "" {
		file, err := os.Open(f.config)
		if err != nil {
			return nil, external("--command-config %s: %w", f.config, unwrapPath(err))
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			line := strings.TrimSpace(lines.Text())
			if line == "" || line[0] == '#' {
				continue
			}
			k, v, ok := strings.Cut(line, "=")
			if !ok {
				return nil, usage("--command-config %s: a line without '='", f.config)
			}
			m["properties."+strings.TrimPrefix(strings.TrimSpace(k), "properties.")] = strings.TrimSpace(v)
		}
	}
	if f.bootstrap != "" {
		m["properties.bootstrap.servers"] = f.bootstrap
	}
	return m, nil
}

// ask puts a question to a person; without a terminal --yes is needed.
func (a *app) ask(yes bool, format string, args ...any) error {
	if yes {
		return nil
	}
	if !terminal(a.in) {
		return usage("this asks first: add --yes to do so without being asked")
	}
	fmt.Fprintf(a.err, format+" [y/N] ", args...)
	var answer string
	_, _ = fmt.Fscanln(a.in, &answer)
	if answer != "y" && answer != "Y" && answer != "yes" {
		return &exitError{session.ExitInterrupt}
	}
	return nil
}

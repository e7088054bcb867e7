package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/planner/build"
	"github.com/sqlstream/sqlstream/session"
)

func (a *app) runCommand() *cobra.Command {
	var metrics, profile string
	c := &cobra.Command{
		Use:   "run JOB.sql",
		Short: "Run a job file in the foreground: its DDL, then each INSERT or statement set as a job",
		Long: `Run a job file in the foreground. Ctrl-C stops it with a final checkpoint; run again with the same state
directory, it goes on where it stopped. A second Ctrl-C ends it at once, and nothing is lost either.`,
		Example: "  sqlstream run delays.sql --define bootstrap=localhost:9092",
		Args:    exactArgs(1, "a job file"),
		RunE: func(c *cobra.Command, args []string) error {
			stop, err := startProfile(profile)
			if err != nil {
				return err
			}
			return errors.Join(a.run(c.Context(), args[0], metrics), stop())
		},
	}
	a.sessionFlags(c)
	c.Flags().StringVar(&profile, "cpuprofile", "", "write a CPU profile to this file, for 'go tool pprof'")
	c.Flags().StringVar(&metrics, "metrics", "", "serve Prometheus metrics on this address, as 127.0.0.1:9249")
	return c
}

// exactArgs is cobra.ExactArgs with the exit code and words of ours.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s needs %s, got %d arguments\nusage: %s", c.CommandPath(), what, len(args), c.UseLine())
		}
		return nil
	}
}

// argsBy is a check of cobra's with the exit code of ours.
func argsBy(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage("%s\nrun '%s --help' for the options", err, c.CommandPath())
		}
		return nil
	}
}

// noCommand refuses a word where the commands are expected.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := ""
	if s := c.SuggestionsFor(args[0]); len(s) > 0 {
		near = fmt.Sprintf("; did you mean %q?", s[0])
	}
	return usage("unknown command %q%s\nrun '%s --help' for the commands; -f runs a file", args[0], near, c.CommandPath())
}

func (a *app) run(ctx context.Context, file, metrics string) error {
	texts, err := a.texts([]fragment{{file: true, text: file}})
	if err != nil {
		return err
	}
	w := &watcher{out: a.err, live: terminal(os.Stderr)}
	stopMetrics, err := w.serveMetrics(metrics)
	if err != nil {
		return err
	}
	defer stopMetrics()
	watching, stopWatching := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.watch(watching, ctx)
	}()
	err = a.execute(ctx, texts, session.Options{Quiet: true, OnJob: w.started, OnRun: w.running, OnEvent: w.event, Log: newWarnings(w.warn)})
	stopWatching()
	<-done
	w.summaries(ctx.Err() != nil, err)
	return err
}

// idleWords: without an idle time-out a partition without records holds event
// time back, which is good to know before it does.
func idleWords(s build.Source) string {
	switch {
	case s.Watermark == "" || s.Bounded:
		return ""
	case s.IdleTimeout == 0:
		return ", no idle time-out"
	}
	return fmt.Sprintf(", idle after %s", s.IdleTimeout)
}

// startLines say what a job reads, writes and promises.
func startLines(j *session.Job) []string {
	lines := []string{fmt.Sprintf("job %s (id %s)", j.Name, j.ID)}
	for _, s := range j.Summary.Sources {
		lines = append(lines, fmt.Sprintf("  reads  %s: %s%s", s.Table, s.Describe, idleWords(s)))
	}
	for _, s := range j.Summary.Sinks {
		lines = append(lines, fmt.Sprintf("  writes %s: %s", s.Table, s.Promise))
	}
	state := "  state  " + j.Dir
	if j.Dir == "" {
		state = "  state  in memory"
	}
	if j.Resumed > 0 {
		state += fmt.Sprintf(", goes on from checkpoint %d (%s ago)", j.Resumed, time.Since(j.ResumedTime).Round(time.Second))
	} else {
		state += ", begins anew"
	}
	return append(lines, state)
}

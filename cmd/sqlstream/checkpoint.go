package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/checkpoint/badger"
	"github.com/sqlstream/sqlstream/session"
)

func (a *app) checkpointCommand() *cobra.Command {
	c := &cobra.Command{Use: "checkpoint", Short: "What the state directory of a job holds", RunE: needsSubcommand}
	list := &cobra.Command{
		Use: "list [JOB]", Short: "List the kept checkpoints of a job, running or stopped", Args: argsBy(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.jobDir(args)
			if err != nil {
				return err
			}
			return a.listCheckpoints(dir)
		},
	}
	show := &cobra.Command{
		Use: "show ID [JOB]", Short: "Show one checkpoint: positions, state, pending transactions", Args: argsBy(cobra.RangeArgs(1, 2)),
		RunE: func(_ *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return usage("checkpoint show %s: expected a checkpoint's number", args[0])
			}
			dir, err := a.jobDir(args[1:])
			if err != nil {
				return err
			}
			return a.showCheckpoint(dir, checkpoint.ID(id))
		},
	}
	for _, s := range []*cobra.Command{list, show, a.verifyCommand(), a.exportCommand()} {
		s.Flags().StringVar(&a.flags.stateDir, "state-dir", "./.sqlstream", "folder that holds the state of jobs")
		c.AddCommand(s)
	}
	return c
}

func needsSubcommand(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("unknown command %q for %q\nrun '%s --help' for the commands", args[0], c.CommandPath(), c.CommandPath())
	}
	return c.Help()
}

// jobDir is the directory of the named job, or of the only one.
func (a *app) jobDir(args []string) (string, error) {
	root := a.flags.stateDir
	names, err := jobsIn(root)
	switch {
	case err != nil:
		return "", err
	case len(args) > 0 && !isDir(filepath.Join(root, args[0])):
		others := "it holds no job"
		if len(names) > 0 {
			others = "it holds " + strings.Join(names, ", ")
		}
		return "", external("job %s has no state directory in %s, %s; --state-dir names another folder", args[0], root, others)
	case len(args) > 0:
		return filepath.Join(root, args[0]), nil
	case len(names) == 0:
		return "", external("state directory %s holds no job", root)
	case len(names) > 1:
		return "", usage("state directory %s holds %d jobs, name one of %s", root, len(names), strings.Join(names, ", "))
	}
	return filepath.Join(root, names[0]), nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// jobsIn are the jobs of a state directory, without those set aside.
func jobsIn(root string) (names []string, err error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, external("there is no state directory %s; --state-dir names it", root)
	}
	if err != nil {
		return nil, external("state directory %s: %w", root, unwrapPath(err))
	}
	for _, e := range entries {
		if e.IsDir() && !strings.Contains(e.Name(), ".aside-") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func external(format string, args ...any) error {
	return &session.Error{Kind: session.External, Err: fmt.Errorf(format, args...)}
}

// inspect opens the directory of a job that does not run.
func inspect(dir string, use func(*checkpoint.KVStore) error) error {
	s, err := badger.Inspect(dir)
	if err != nil {
		return err
	}
	return errors.Join(use(s), s.Close())
}

func (a *app) listCheckpoints(dir string) error {
	var infos []checkpoint.Info
	reply, err := session.Ask(dir, session.Request{Command: "checkpoints"})
	if err == nil {
		infos = reply.Checkpoints
	} else if errors.Is(err, session.ErrNotRunning) {
		err = inspect(dir, func(s *checkpoint.KVStore) error { infos, err = s.List(); return err })
	}
	if err != nil {
		return err
	}
	t := a.table("id", "kind", "taken", "age", "chunks", "transactions", "unsettled", "")
	for _, i := range infos {
		note := ""
		if i.Latest {
			note = "latest"
		}
		if i.Finished {
			note = "the job's end"
		}
		t.AppendRow(table.Row{i.ID, i.Kind, i.Time.UTC().Format(time.DateTime), time.Since(i.Time).Round(time.Second), i.Chunks, i.Pending, i.Unsettled, note})
	}
	t.Render()
	return nil
}

// table is a plain table on standard output.
func (a *app) table(columns ...any) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(a.out)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0
	t.AppendHeader(table.Row(columns))
	return t
}

func (a *app) showCheckpoint(dir string, id checkpoint.ID) error {
	return a.whenStopped(dir, func(s *checkpoint.KVStore) error {
		m, err := s.Load(id)
		if err == nil {
			err = a.printCheckpoint(s, m)
		}
		return err
	})
}

func (a *app) printCheckpoint(s *checkpoint.KVStore, m *checkpoint.Metadata) error {
	e, err := exportOf(s, m)
	if err != nil {
		return err
	}
	names := operatorNames(s)
	fmt.Fprintf(a.out, "checkpoint %d (%s), run %s, taken %s\n", m.ID, m.Kind, m.RunID, time.UnixMilli(m.TimeMillis).UTC().Format(time.DateTime))
	for _, s := range m.Sources {
		for _, sp := range s.Splits {
			fmt.Fprintf(a.out, "  position  %s: split %s at %s\n", named(names, s.Subtask.UID), sp.Split.ID, position(sp.Split.Position))
		}
	}
	for _, o := range m.Operators {
		fmt.Fprintf(a.out, "  state     %s[%d]: %d chunks\n", named(names, o.UID), o.Index, len(o.Chunks))
	}
	for _, c := range e.Pending {
		what := fmt.Sprintf("%d bytes", len(c.Payload)/2)
		if w := c.Words; w != nil {
			what = fmt.Sprintf("%s, %d rows in %s", w.ID, w.Rows, strings.Join(w.Partitions, " "))
		}
		fmt.Fprintf(a.out, "  %-9s %s[%d]: of checkpoint %d, %s\n", c.State, named(names, c.Sink), c.Writer, c.Checkpoint, what)
	}
	return nil
}

func named(names map[string]string, uid string) string {
	const most = 60
	if n := []rune(names[uid]); len(n) > most {
		return string(n[:most]) + "…"
	} else if len(n) > 0 {
		return string(n)
	}
	return uid
}

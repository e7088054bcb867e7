package main

import (
	"errors"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/checkpoint"
	"github.com/sqlstream/sqlstream/session"
)

func (a *app) txnCommand() *cobra.Command {
	c := &cobra.Command{Use: "txn", Short: "The transactions of a job", RunE: needsSubcommand}
	list := &cobra.Command{
		Use: "list [JOB]", Short: "List a job's transactions and what is known of them", Args: argsBy(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.jobDir(args)
			if err != nil {
				return err
			}
			return a.listTransactions(dir)
		},
	}
	list.Flags().StringVar(&a.flags.stateDir, "state-dir", "./.sqlstream", "folder that holds the state of jobs")
	c.AddCommand(list, a.notYet("commit", "commit a pending transaction by hand"), a.notYet("abort", "abort a pending transaction by hand"))
	return c
}

func (a *app) listTransactions(dir string) error {
	var list []session.Transaction
	reply, err := session.Ask(dir, session.Request{Command: "transactions"})
	if err == nil {
		list = reply.Transactions
	} else if errors.Is(err, session.ErrNotRunning) {
		err = inspect(dir, func(s *checkpoint.KVStore) error { list, err = session.Transactions(s); return err })
	}
	if err != nil {
		return err
	}
	t := a.table("writer", "checkpoint", "age", "state", "transaction", "detail")
	for _, x := range list {
		t.AppendRow(table.Row{x.Writer, x.Checkpoint, time.Since(x.Time).Round(time.Second), x.State, describe(x), x.Detail})
	}
	t.Render()
	return nil
}

// describe is a sink's own record in words; unknown ones show their size.
func describe(x session.Transaction) string {
	for _, d := range describers {
		if s, ok := d(x.Version, x.Payload); ok {
			return s
		}
	}
	return "-"
}

// describers know the committables of connectors.
var describers []func(version uint16, payload []byte) (string, bool)

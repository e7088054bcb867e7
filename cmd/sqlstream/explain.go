package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/session"
)

func (a *app) explainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "explain JOB.sql",
		Short: "Print the plan of each query and INSERT of a job file, and what its sinks guarantee",
		Args:  exactArgs(1, "a job file"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.plans(args[0], func(n int, p *session.Plan) error {
				text, err := p.Text()
				if err != nil {
					return err
				}
				if n > 1 {
					fmt.Fprintln(a.out)
				}
				fmt.Fprint(a.out, text)
				return nil
			})
		},
	}
	a.sessionFlags(c)
	return c
}

func (a *app) checkCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check JOB.sql",
		Short: "Check a job file without running anything",
		Args:  exactArgs(1, "a job file"),
		RunE: func(_ *cobra.Command, args []string) error {
			jobs := 0
			err := a.plans(args[0], func(int, *session.Plan) error { jobs++; return nil })
			if err != nil {
				return err
			}
			fmt.Fprintf(a.err, "%s: ok; queries and jobs: %d\n", args[0], jobs)
			return nil
		},
	}
	a.sessionFlags(c)
	return c
}

// plans plans the statements of a file.
func (a *app) plans(file string, each func(n int, p *session.Plan) error) error {
	texts, err := a.texts([]fragment{{file: true, text: file}})
	if err != nil {
		return err
	}
	s, err := a.newSession(session.Options{})
	if err != nil {
		return err
	}
	n := 0
	return s.Check(texts[0], func(_ ast.Statement, p *session.Plan) error {
		n++
		return each(n, p)
	})
}

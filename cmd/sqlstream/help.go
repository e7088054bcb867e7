package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/connectors/format"
	"github.com/sqlstream/sqlstream/exec/fn"
)

func (a *app) helpCommand(top *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | connector [NAME] | format [NAME] | function [NAME]]",
		Short: "Help on a command, connector, format or function",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return top.Help()
			}
			name := strings.Join(args[1:], " ")
			switch args[0] {
			case "connector", "connectors":
				return a.helpConnector(name)
			case "format", "formats":
				return a.helpFormat(name)
			case "function", "functions":
				return a.helpFunction(name)
			}
			c, _, err := top.Find(args)
			if err != nil || c == top {
				return usage("no help on %q; 'sqlstream help' lists the commands", strings.Join(args, " "))
			}
			return c.Help()
		},
	}
}

func (a *app) helpConnector(name string) error {
	var names []string
	for _, c := range connectors.All() {
		names = append(names, c.Name)
		if name == "" {
			fmt.Fprintf(a.out, "%-14s %s\n", c.Name, c.Doc)
		}
	}
	if name == "" {
		return nil
	}
	c, ok := connectors.Lookup(name)
	if !ok {
		return usage("unknown connector '%s'; known are %s", name, strings.Join(names, ", "))
	}
	fmt.Fprintf(a.out, "%s: %s\n\n", c.Name, c.Doc)
	a.options(c.Options)
	if len(c.Metadata) > 0 {
		fmt.Fprintln(a.out, "\nMetadata columns (c TYPE METADATA FROM 'key'):")
		for _, m := range c.Metadata {
			access := "read"
			if m.Writable {
				access = "read and write"
			}
			fmt.Fprintf(a.out, "  %-22s %-28s %s; %s\n", m.Key, m.Type, access, m.Doc)
		}
	}
	return nil
}

func (a *app) helpFormat(name string) error {
	var names []string
	for _, f := range format.All() {
		names = append(names, f.Name)
		if name == "" {
			fmt.Fprintf(a.out, "%-14s %s\n", f.Name, f.Doc)
		}
	}
	if name == "" {
		return nil
	}
	f, ok := format.Lookup(name)
	if !ok {
		return usage("unknown format '%s'; known are %s", name, strings.Join(names, ", "))
	}
	fmt.Fprintf(a.out, "%s: %s\n\n", f.Name, f.Doc)
	a.options(f.Options)
	return nil
}

func (a *app) options(options []connectors.Option) {
	t := table.NewWriter()
	t.SetOutputMirror(a.out)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 3, WidthMax: 70}})
	t.AppendHeader(table.Row{"option", "default", "meaning"})
	for _, o := range options {
		def := o.Default
		switch {
		case o.Required:
			def = "(required)"
		case o.Unsupported:
			def = "(not supported yet)"
		}
		doc := o.Doc
		if o.Kind == connectors.Enum {
			doc += " [" + strings.Join(o.Values, " | ") + "]"
		}
		t.AppendRow(table.Row{o.Key, def, doc})
	}
	t.Render()
}

func (a *app) helpFunction(name string) error {
	if name == "" {
		for _, f := range fn.All() {
			fmt.Fprintf(a.out, "%-22s %s\n", f.Name, f.Doc)
		}
		for _, f := range fn.AllAggregates() {
			fmt.Fprintf(a.out, "%-22s %s (aggregate)\n", f.Name, f.Doc)
		}
		return nil
	}
	found := false
	if f, ok := fn.Lookup(name); ok {
		fmt.Fprintf(a.out, "%s\n%s\n", f.Syntax, f.Doc)
		found = true
	}
	if f, ok := fn.LookupAggregate(name); ok {
		fmt.Fprintf(a.out, "%s\n%s\n", f.Syntax, f.Doc)
		found = true
	}
	if found {
		return nil
	}
	return a.unknownFunction(name)
}

func (a *app) unknownFunction(name string) error {
	var names []string
	for _, f := range fn.All() {
		names = append(names, f.Name)
	}
	for _, f := range fn.AllAggregates() {
		names = append(names, f.Name)
	}
	if near := connectors.Nearest(name, names); near != "" {
		return usage("unknown function '%s'; did you mean '%s'?", name, near)
	}
	return usage("unknown function '%s'; 'sqlstream help function' lists them", name)
}

// Package build makes the graph that runs from a physical plan.
package build

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/perr"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Env is what the session adds to a plan.
type Env struct {
	// Result takes the rows of a SELECT; nil is fine for a plan of INSERTs.
	Result exec.Sink
	// Capture, for tests, takes the place of every table's sink; it gets the
	// table's columns.
	Capture func(columns []types.Field) exec.Sink
}

// Summary says what a graph reads and writes, for the start line.
type Summary struct {
	Sources []Source
	Sinks   []Sink
	// Output and Changelog are those of a SELECT: its columns, and the kinds of
	// its changes ("[I,UB,UA]"); Append tells whether they are inserts only.
	Output    []types.Field
	Changelog string
	Append    bool
	// Bounded: all sources end, so the job does.
	Bounded bool
}

// Source is a table that is read.
type Source struct {
	UID, Table, Describe string
	Bounded              bool
	// Watermark is the expression of its watermarks, "" if nothing in the job
	// depends on event time; IdleTimeout takes silent splits out of it, 0: never.
	Watermark   string
	IdleTimeout time.Duration
}

// Sink is a table that is written.
type Sink struct {
	UID, Table, Promise string
	Guarantee           exec.Guarantee
}

// Graph makes the graph of a plan. No network or disk is touched.
func Graph(p *physical.Plan, env Env) (*exec.Graph, *Summary, error) {
	b := &builder{plan: p, env: env, graph: &exec.Graph{Name: p.Config.JobName}, sum: &Summary{Bounded: true}}
	for _, n := range p.Nodes {
		if err := b.add(n); err != nil {
			return nil, nil, err
		}
	}
	return b.graph, b.sum, nil
}

type builder struct {
	plan  *physical.Plan
	env   Env
	graph *exec.Graph
	sum   *Summary
}

func (b *builder) add(n *physical.Node) error {
	g := &exec.Node{UID: n.UID, Name: n.Title(), Parallelism: n.Parallelism, Output: n.Output, Folds: n.Folds(), EachRow: n.EachRow}
	for _, in := range n.Inputs {
		g.Inputs = append(g.Inputs, exec.Edge{From: in.Node.ID, Exchange: b.exchange(in, n), Key: in.Key, Port: in.Port})
	}
	if err := b.fill(g, n); err != nil {
		return placed(n, err)
	}
	b.graph.Nodes = append(b.graph.Nodes, g)
	return nil
}

// placed says where in the text the node is from that cannot be built. What
// an operator lacks, its constructor says in these words.
func placed(n *physical.Node, err error) error {
	var p *perr.Error
	if errors.As(err, &p) {
		return err
	}
	e := perr.New(n.At, "%s: %s", n.Title(), err)
	if strings.HasSuffix(err.Error(), "not supported yet") {
		e.Kind = perr.Unsupported
	}
	return e
}

// exchange: one subtask to one needs none but for the hash.
func (b *builder) exchange(in physical.Input, n *physical.Node) exec.Exchange {
	if in.Exchange == exec.Gather && in.Node.Parallelism == 1 {
		return exec.Forward
	}
	if in.Exchange == exec.Forward && in.Node.Parallelism != n.Parallelism {
		return exec.Rebalance
	}
	return in.Exchange
}

func (b *builder) fill(g *exec.Node, n *physical.Node) (err error) {
	switch o := n.Op.(type) {
	case *physical.Scan:
		g.Source, err = b.source(n, o)
	case *physical.Values:
		g.Source, err = b.values(n, o)
	case *physical.Sink:
		g.Sink, err = b.sink(n, o)
	case *physical.Collect:
		g.Sink, err = b.collect(n)
	default:
		if g.New, err = b.operator(n); err == nil {
			// What an operator refuses is refused before the job starts.
			_, err = g.New()
		}
	}
	return err
}

// common is what every operator knows.
func (b *builder) common(n *physical.Node) op.Common {
	c := op.Common{Output: n.Output, Zone: b.plan.Config.Zone}
	for port := range ports(n) {
		for _, in := range n.Inputs {
			if in.Port == port {
				c.Inputs = append(c.Inputs, in.Node.Output)
				break
			}
		}
	}
	return c
}

func ports(n *physical.Node) int {
	most := -1
	for _, in := range n.Inputs {
		most = max(most, in.Port)
	}
	return most + 1
}

func (b *builder) sink(n *physical.Node, o *physical.Sink) (*exec.SinkNode, error) {
	if b.env.Capture != nil {
		return &exec.SinkNode{Sink: b.env.Capture(n.Output), Guarantee: exec.None}, nil
	}
	s, err := o.Sink.Sink()
	if err != nil {
		return nil, err
	}
	b.sum.Sinks = append(b.sum.Sinks, Sink{UID: n.UID, Table: o.Table.Path.Name, Promise: o.Sink.Promise(), Guarantee: o.Sink.Guarantee()})
	return &exec.SinkNode{Sink: s, Guarantee: o.Sink.Guarantee(), Promise: o.Sink.Promise()}, nil
}

func (b *builder) collect(n *physical.Node) (*exec.SinkNode, error) {
	if b.env.Result == nil {
		return nil, fmt.Errorf("nothing takes the rows of the query")
	}
	b.sum.Output, b.sum.Changelog = n.Output, n.Changes.Text(n.Inputs[0].Node.Before)
	b.sum.Append = n.Changes == physical.Insert
	return &exec.SinkNode{Sink: b.env.Result, Guarantee: exec.None, Promise: "shown as it comes"}, nil
}

package physical

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
)

// stateNotes say what each operator keeps, and for how long.
func stateNotes(p *Plan) []string {
	var notes []string
	for _, n := range p.Nodes {
		if s := n.StateNote(); s != "" {
			notes = append(notes, fmt.Sprintf("%s: %s", n.Title(), s))
		}
	}
	return notes
}

// Describe is a node with all that it does: "Calc(select=[id, LOWER(name)])".
func (n *Node) Describe() string {
	return strings.ReplaceAll(n.Op.kind()+"("+strings.Join(n.attributes(), ", ")+")", "default_catalog.default_database.", "")
}

// Title names a node for people: "GroupAggregate(origin)".
func (n *Node) Title() string {
	var of []string
	switch o := n.Op.(type) {
	case *Scan:
		of = []string{o.Table.Path.Name}
	case *Sink:
		of = []string{o.Table.Path.Name}
	case *GroupAggregate:
		of = names(n.in(0).Output, o.Keys)
	case *WindowAggregate:
		of = names(n.in(0).Output, o.Keys)
	case *Join:
		of = names(n.in(0).Output, o.LeftKeys)
	case *IntervalJoin:
		of = names(n.in(0).Output, o.LeftKeys)
	case *WindowJoin:
		of = names(n.in(0).Output, o.LeftKeys)
	case *TemporalJoin:
		of = names(n.in(0).Output, o.LeftKeys)
	case *Rank:
		of = names(n.in(0).Output, o.Partition)
	case *WindowRank:
		of = names(n.in(0).Output, o.Partition)
	case *Deduplicate:
		of = names(n.in(0).Output, o.Keys)
	case *ChangelogNormalize:
		of = names(n.in(0).Output, o.Keys)
	case *OverAggregate:
		of = names(n.in(0).Output, o.Partition)
	}
	if len(of) == 0 {
		return n.Op.kind()
	}
	return n.Op.kind() + "(" + strings.Join(of, ", ") + ")"
}

// StateNote says what the operator keeps; "" if nothing.
func (n *Node) StateNote() string {
	switch o := n.Op.(type) {
	case *GroupAggregate:
		return "a row per key, " + ttlText(o.TTL)
	case *WindowAggregate:
		return "a row per key and open window"
	case *Join:
		return "all rows of both sides, " + ttlText(o.LeftTTL)
	case *IntervalJoin:
		return fmt.Sprintf("the rows of both sides within %s of the watermark", millisText(max(abs(o.Lower), abs(o.Upper))))
	case *WindowJoin:
		return "the rows of open windows"
	case *TemporalJoin:
		return "the versions since the watermark, and left rows ahead of it"
	case *Rank:
		if o.InputRetract || o.UpsertKey != nil {
			return "all rows, " + ttlText(o.TTL)
		}
		return fmt.Sprintf("%d rows per key, %s", o.To, ttlText(o.TTL))
	case *WindowRank:
		return fmt.Sprintf("%d rows per key and open window", o.To)
	case *Deduplicate:
		return "a row per key, " + ttlText(o.TTL)
	case *ChangelogNormalize:
		return "the last row of each key, " + ttlText(o.TTL)
	case *TemporalSort:
		return "the rows ahead of the watermark"
	case *OverAggregate:
		if o.Preceding >= 0 {
			return "the rows of the frame"
		}
		if o.Time < 0 && !o.Proctime {
			return "all rows"
		}
		return "an accumulator per key"
	}
	return ""
}

func abs(x int64) int64 { return max(x, -x) }

// changeNotes say how often the folding operators emit.
func changeNotes(p *Plan) []string {
	folds := false
	for _, n := range p.Nodes {
		folds = folds || n.Folds() && n.Changes != Insert
	}
	if !folds {
		return nil
	}
	switch p.Config.MiniBatch {
	case MiniBatchOff:
		return []string{"row by row: each input row leaves with its own change (table.exec.mini-batch.enabled = 'false')"}
	case MiniBatchOn:
		return []string{fmt.Sprintf("mini-batch: changes of a key are folded for up to %s or %d rows", p.Config.MiniBatchLatency, p.Config.MiniBatchSize)}
	}
	return []string{"folded: one change per key and input batch ('table.exec.mini-batch.enabled' = 'false' gives Flink's row-by-row changes)"}
}

// repeatNotes name what comes out differently when rows are read again after
// a failure.
func repeatNotes(p *Plan) []string {
	var notes []string
	for _, n := range p.Nodes {
		switch o := n.Op.(type) {
		case *Calc:
			if names := momentary(append(slices.Clone(o.Exprs), expr.Conjuncts(o.Filter)...)); len(names) > 0 {
				notes = append(notes, fmt.Sprintf("%s: %s gives another value for a row that is read again after a failure", n.Title(), strings.Join(names, ", ")))
			}
		case *WindowAggregate:
			if o.Window != nil && o.Window.Proctime {
				notes = append(notes, n.Title()+": a row belongs to the window of the time at which it is read, also when it is read again")
			}
		}
	}
	return notes
}

// momentary are the functions in xs whose value depends on when they are
// called.
func momentary(xs []expr.Expr) []string {
	var names []string
	for _, x := range xs {
		if c, ok := x.(*expr.Call); ok && c.Fn.Name == "PROCTIME" {
			continue // a time attribute, for its order
		}
		expr.Walk(x, func(y expr.Expr) bool {
			c, ok := y.(*expr.Call)
			if ok && c.Fn.Volatility != fn.Immutable && !slices.Contains(names, c.Fn.Name+"()") {
				names = append(names, c.Fn.Name+"()")
			}
			return true
		})
	}
	return names
}

func sourceNotes(p *Plan) []string {
	var notes []string
	for _, n := range p.Nodes {
		if s, ok := n.Op.(*Scan); ok {
			notes = append(notes, s.Table.Path.Name+": "+s.Source.Describe())
		}
	}
	return notes
}

func sinkNotes(p *Plan) []string {
	var notes []string
	for _, n := range p.Roots {
		if s, ok := n.Op.(*Sink); ok {
			notes = append(notes, s.Table.Path.Name+": "+s.Sink.Promise())
		}
	}
	return notes
}

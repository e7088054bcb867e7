package physical

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// setOp lowers a set operation: UNION as the distinct rows of UNION ALL,
// INTERSECT and EXCEPT as the distinct left rows with or without an equal
// right one.
func (l *lowerer) setOp(p *logical.SetOp) (*Node, error) {
	in, err := l.inputs(p)
	if err != nil {
		return nil, err
	}
	out := schema(p)
	switch {
	case p.Kind == logical.Union && p.All:
		return l.union(p.Pos(), in, out), nil
	case p.Kind == logical.Union:
		return l.distinct(p.Pos(), l.union(p.Pos(), in, out)), nil
	case p.All:
		return l.counted(p, in)
	}
	kind := op.Semi
	if p.Kind == logical.Except {
		kind = op.Anti
	}
	n := in[0]
	for _, r := range in[1:] {
		n = l.sameRows(p.Pos(), kind, n, r)
	}
	return l.distinct(p.Pos(), n), nil
}

// union passes all inputs on; a time attribute survives if all have it.
func (l *lowerer) union(at ast.Pos, in []*Node, out []types.Field) *Node {
	n := &Node{Op: &Union{}, At: at, Output: out}
	for _, i := range in {
		n.Changes |= i.Changes
		n.Parallelism = max(n.Parallelism, i.Parallelism)
	}
	mixed := false
	for _, i := range in {
		mixed = mixed || i.Parallelism != n.Parallelism && !i.appendOnly()
	}
	if n.Single = mixed; mixed {
		n.Parallelism = 1
	}
	for _, i := range in {
		x := exec.Forward
		switch {
		case i.Parallelism == n.Parallelism:
		case mixed:
			x = exec.Gather
		default:
			x = exec.Rebalance
		}
		n.Inputs = append(n.Inputs, Input{Node: i, Exchange: x})
	}
	n.Windows = commonWindows(in)
	for c := range out {
		attr := in[0].Output[c].Type.Attr
		for _, i := range in[1:] {
			if i.Output[c].Type.Attr != attr {
				attr = types.NoTime
			}
		}
		out[c].Type.Attr = attr
	}
	return l.add(n)
}

// commonWindows are the window columns that all inputs have.
func commonWindows(in []*Node) *WindowColumns {
	w := in[0].Windows
	for _, i := range in[1:] {
		if w == nil || i.Windows == nil || *i.Windows != *w {
			return nil
		}
	}
	return w
}

// distinct keeps each row once.
func (l *lowerer) distinct(at ast.Pos, in *Node) *Node {
	all := seq(0, len(in.Output))
	n := &Node{Op: &GroupAggregate{op.GroupAggSpec{Keys: all, TTL: l.cfg.StateTTL}}, At: at, Inputs: []Input{keyed(in, all, 0)},
		Output: make([]types.Field, len(all)), Keys: [][]int{all}, Changes: Insert}
	for i, f := range in.Output {
		n.Output[i] = plain(f)
	}
	if !in.appendOnly() {
		n.Changes = Every
	}
	return l.add(n)
}

// sameRows is a semi or anti join on all columns, in which nulls are equal.
func (l *lowerer) sameRows(at ast.Pos, kind op.JoinKind, left, right *Node) *Node {
	all := seq(0, len(left.Output))
	aware := make([]bool, len(all))
	for i := range aware {
		aware[i] = true
	}
	s := op.JoinSpec{Kind: kind, LeftKeys: all, RightKeys: all, NullAware: aware, LeftUnique: left.unique(all), RightUnique: right.unique(all),
		LeftTTL: l.cfg.StateTTL, RightTTL: l.cfg.StateTTL}
	n := &Node{Op: &Join{JoinSpec: s}, At: at, Inputs: []Input{keyed(left, all, 0), keyed(right, all, 1)}, Changes: joinChanges(kind, left, right), Keys: left.Keys}
	for _, f := range left.Output {
		n.Output = append(n.Output, plain(f))
	}
	return l.add(n)
}

// unnest expands a collection of each row.
func (l *lowerer) unnest(p *logical.Unnest) (*Node, error) {
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	n := &Node{Op: &Unnest{op.UnnestSpec{Collection: renamed(p.Collection, in.Output), Outer: p.Outer, Ordinality: p.Ordinality}}, At: p.Pos(),
		Inputs: forward(in), Output: schema(p), Changes: in.Changes, Windows: in.Windows}
	inheritTime(n.Output, in.Output, 0)
	if p.Ordinality {
		for _, k := range in.Keys {
			n.Keys = append(n.Keys, append(append([]int(nil), k...), len(n.Output)-1))
		}
	}
	return l.add(n), nil
}

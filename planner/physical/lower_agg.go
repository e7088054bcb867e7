package physical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// aggregate lowers an aggregation: by window if its keys hold the columns of a
// window, else by group.
func (l *lowerer) aggregate(p *logical.Aggregate) (*Node, error) {
	if p.GroupWindow != nil {
		return l.groupWindow(p)
	}
	if n, err := l.windowAggregate(p); n != nil || err != nil {
		return n, err
	}
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	return l.groupAggregate(p, in), nil
}

func (l *lowerer) groupAggregate(p *logical.Aggregate, in *Node) *Node {
	keys := seq(0, len(p.Keys))
	n := &Node{
		Op:     &GroupAggregate{op.GroupAggSpec{Keys: p.Keys, Aggs: aggCalls(p.Aggs), TTL: l.cfg.StateTTL}},
		At:     p.Pos(),
		Inputs: []Input{keyed(in, p.Keys, 0)},
		Output: schema(p),
		Keys:   [][]int{keys},
		Single: len(p.Keys) == 0,
	}
	n.Changes = groupChanges(in, p)
	return l.add(n)
}

// groupChanges: DISTINCT over inserts inserts each key once.
func groupChanges(in *Node, p *logical.Aggregate) Changes {
	switch {
	case !in.appendOnly():
		return Every
	case len(p.Aggs) == 0:
		return Insert
	}
	return Insert | Update
}

func aggCalls(calls []logical.AggCall) []op.AggCall {
	out := make([]op.AggCall, len(calls))
	for i, c := range calls {
		out[i] = op.AggCall{Name: c.Name, Bound: c.Bound, Args: c.Args, Distinct: c.Distinct, Filter: c.Filter}
	}
	return out
}

// expand lowers GROUPING SETS: each row once per set.
func (l *lowerer) expand(p *logical.Expand) (*Node, error) {
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	n := &Node{Op: &Expand{op.ExpandSpec{Projects: p.Projects}}, At: p.Pos(), Inputs: forward(in), Output: schema(p), Changes: in.Changes}
	n.Windows = expandedWindows(in.Windows, p)
	for i := range n.Output {
		n.Output[i].Type.Attr = expandedAttr(in, p, i)
	}
	return l.add(n), nil
}

// passed is the input column that every set passes on as output column i; −1:
// there is none.
func passed(p *logical.Expand, i int) int {
	col := -1
	for _, row := range p.Projects {
		c, ok := row[i].(*expr.Column)
		if !ok || col >= 0 && c.Index != col {
			return -1
		}
		col = c.Index
	}
	return col
}

func expandedWindows(w *WindowColumns, p *logical.Expand) *WindowColumns {
	if w == nil {
		return nil
	}
	out := &WindowColumns{-1, -1, -1, w.LTZ}
	for i := range p.Schema() {
		switch c := passed(p, i); {
		case c < 0:
		case c == w.Start:
			out.Start = i
		case c == w.End:
			out.End = i
		case c == w.Time:
			out.Time = i
		}
	}
	return out
}

func expandedAttr(in *Node, p *logical.Expand, i int) types.TimeAttr {
	if c := passed(p, i); c >= 0 {
		return in.Output[c].Type.Attr
	}
	return types.NoTime
}

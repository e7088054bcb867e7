package physical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// counted lowers INTERSECT ALL and EXCEPT ALL: the rows of both sides are
// counted by value, and each value is emitted as often as the counts say.
func (l *lowerer) counted(p *logical.SetOp, in []*Node) (*Node, error) {
	n := in[0]
	for _, right := range in[1:] {
		var err error
		if n, err = l.countedPair(p, n, right); err != nil {
			return nil, perr.At(p.Pos(), err)
		}
	}
	return n, nil
}

func (l *lowerer) countedPair(p *logical.SetOp, left, right *Node) (*Node, error) {
	width := len(left.Output)
	fields := make([]types.Field, 0, width+2)
	for _, f := range schema(p) {
		fields = append(fields, plain(f))
	}
	count := types.Field{Name: "n", Type: types.Of(types.BigInt)}
	marked := append(fields[:width:width], types.Field{Name: "l", Type: count.Type}, types.Field{Name: "r", Type: count.Type})
	mark := func(n *Node, l1, r1 int64) *Node {
		return l.calc(n, p.Pos(), nil, append(identity(n.Output), expr.BigInt(l1), expr.BigInt(r1)), marked)
	}
	both := l.union(p.Pos(), []*Node{mark(left, 1, 0), mark(right, 0, 1)}, append([]types.Field(nil), marked...))
	sums, err := l.sums(p, both, width)
	if err != nil {
		return nil, err
	}
	cols := identity(sums.Output)
	n, err := times(p.Kind, cols[width], cols[width+1])
	if err != nil {
		return nil, err
	}
	counted := append(fields[:width:width], types.Field{Name: "n", Type: n.Type()})
	calc := l.calc(sums, p.Pos(), nil, append(cols[:width:width], n), counted)
	rep := l.add(&Node{Op: &Replicate{op.ReplicateSpec{Count: width}}, At: p.Pos(), Inputs: forward(calc), Output: calc.Output, Changes: calc.Changes})
	return l.calc(rep, p.Pos(), nil, identity(rep.Output)[:width], fields), nil
}

// sums adds up the two marks for each value.
func (l *lowerer) sums(p *logical.SetOp, in *Node, width int) (*Node, error) {
	f, ok := fn.LookupAggregate("SUM")
	if !ok {
		return nil, fmt.Errorf("aggregate SUM is missing")
	}
	a := &logical.Aggregate{Node: logical.Node{At: p.Pos(), Cols: append([]types.Field(nil), in.Output...)}, Keys: seq(0, width)}
	for i := width; i < width+2; i++ {
		b, err := f.Bind([]fn.Arg{{Type: in.Output[i].Type}})
		if err != nil {
			return nil, err
		}
		a.Aggs = append(a.Aggs, logical.AggCall{Fn: f, Bound: b, Args: []int{i}, Filter: -1, Name: "SUM", At: p.Pos()})
		a.Cols[i].Type = b.Result
	}
	return l.groupAggregate(a, in), nil
}

// times is how often a value is emitted: EXCEPT ALL takes the right rows away
// from the left ones, INTERSECT ALL keeps the smaller number.
func times(kind logical.SetKind, left, right expr.Expr) (expr.Expr, error) {
	if kind == logical.Except {
		return expr.NewCall("-", []expr.Expr{left, right})
	}
	less, err := expr.NewCall("<", []expr.Expr{left, right})
	if err != nil {
		return nil, err
	}
	return expr.NewCase([]expr.When{{Cond: less, Then: left}}, right)
}

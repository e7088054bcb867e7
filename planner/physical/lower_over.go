package physical

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// over lowers OVER windows. Arguments that are no columns are computed below,
// and left out again above.
func (l *lowerer) over(p *logical.Over) (*Node, error) {
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	attr, err := checkOver(p, in)
	if err != nil {
		return nil, err
	}
	spec := op.OverSpec{Partition: p.Partition, Order: p.Order, Time: -1, Proctime: attr == types.Proctime, Rows: p.Rows, Preceding: -1}
	if attr == types.Rowtime {
		spec.Time = p.Order[0].Col
	}
	if p.Preceding != nil {
		n, ok := p.Preceding.(*expr.Literal)
		if !ok {
			return nil, perr.New(p.Pos(), "the frame of OVER must be a constant")
		}
		spec.Preceding = n.V.I
	}
	width := len(in.Output)
	in, spec.Calls, err = l.overArguments(p, in)
	if err != nil {
		return nil, err
	}
	n := &Node{Op: &OverAggregate{spec}, At: p.Pos(), Inputs: []Input{keyed(in, p.Partition, 0)}, Single: len(p.Partition) == 0, Changes: Insert, Keys: in.Keys}
	if attr == types.NoTime {
		n.Changes = Every
	}
	n.Output = append(append([]types.Field(nil), in.Output...), schema(p)[width:]...)
	n = l.add(n)
	exprs := identity(n.Output)
	return l.calc(n, p.Pos(), nil, append(exprs[:width:width], exprs[len(in.Output):]...), p.Schema()), nil
}

// checkOver returns the time attribute that orders the rows.
func checkOver(p *logical.Over, in *Node) (types.TimeAttr, error) {
	call := p.Calls[0]
	if len(p.Order) == 0 {
		return 0, perr.New(p.Pos(), "OVER needs ORDER BY a time attribute on a stream")
	}
	k := p.Order[0]
	f := in.Output[k.Col]
	topN := ""
	if isRanking(call.Name) {
		topN = "; or filter by the row number (WHERE " + "rn <= n) outside, which makes it a Top-N"
	}
	switch {
	case f.Type.Attr != types.NoTime && k.Desc:
		return 0, perr.New(call.At, "%s() OVER ordered by time descending needs rows that have not come yet", call.Name).WithHint("order by %s ascending%s", f.Name, topN)
	case f.Type.Attr != types.NoTime:
		if !in.appendOnly() {
			return 0, perr.New(call.At, "OVER ordered by time takes inserts only, but %s updates rows that it has emitted", describeShort(updater(in)))
		}
		return f.Type.Attr, nil
	case len(p.Order) > 1:
		return 0, perr.New(call.At, "OVER can be ordered by a time attribute, or by one other column, but not by several (%s)", strings.Join(orderColumns(p, in), ", ")).
			WithHint("order by a time attribute%s", topN)
	case k.Desc:
		return 0, perr.New(call.At, "%s() OVER in descending order of %q, which is no time attribute, is not possible on a stream", call.Name, f.Name).
			WithHint("order by a time attribute%s", topN)
	case p.Preceding != nil:
		return 0, perr.New(call.At, "a bounded frame needs ORDER BY a time attribute, and %q is none", f.Name).WithHint("order by a time attribute, or leave the frame out")
	}
	return types.NoTime, nil
}

func isRanking(name string) bool {
	return name == "ROW_NUMBER" || name == "RANK" || name == "DENSE_RANK"
}

func orderColumns(p *logical.Over, in *Node) []string {
	var cols []int
	for _, k := range p.Order {
		cols = append(cols, k.Col)
	}
	return names(in.Output, cols)
}

// overArguments gives every argument a column.
func (l *lowerer) overArguments(p *logical.Over, in *Node) (*Node, []op.OverCall, error) {
	exprs := identity(in.Output)
	fields := append([]types.Field(nil), in.Output...)
	place := func(x expr.Expr) int {
		for i, y := range exprs {
			if expr.Equal(x, y) {
				return i
			}
		}
		exprs = append(exprs, x)
		fields = append(fields, types.Field{Name: "$f" + itoa(len(fields)), Type: x.Type()})
		return len(exprs) - 1
	}
	var calls []op.OverCall
	for _, c := range p.Calls {
		o := op.OverCall{Name: c.Name, Bound: c.Bound, Distinct: c.Distinct}
		args := c.Args
		if c.Name == "LAG" || c.Name == "LEAD" {
			o.Offset = 1
			if len(args) > 1 {
				n, ok := expr.Uncast(args[1]).(*expr.Literal)
				if !ok || n.V.Null {
					return nil, nil, perr.New(c.At, "the offset of %s must be a constant", c.Name)
				}
				o.Offset = n.V.I
			}
			if len(args) > 2 {
				o.Default = args[2]
			}
			args = args[:1]
		}
		for _, x := range args {
			o.Args = append(o.Args, place(x))
		}
		calls = append(calls, o)
	}
	if len(exprs) > len(in.Output) {
		in = l.calc(in, p.Pos(), nil, exprs, fields)
	}
	return in, calls, nil
}

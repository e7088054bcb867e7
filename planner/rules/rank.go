package rules

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// recogniseRank makes a Top-N of a filter with an upper bound over ROW_NUMBER.
// A rank that can only be one number is that number.
func recogniseRank(_ *context, p logical.Plan) (logical.Plan, error) {
	return bottomUp(p, func(q logical.Plan) (logical.Plan, error) {
		f, ok := q.(*logical.Filter)
		if !ok {
			return q, nil
		}
		o, ok := f.Input.(*logical.Over)
		if !ok || len(o.Calls) != 1 || !isRank(o.Calls[0].Name) {
			return q, nil
		}
		rank := len(o.Input.Schema())
		r := bounds{from: 1, to: math.MaxInt64}
		var rest []expr.Expr
		for _, x := range expr.Conjuncts(f.Cond) {
			if !r.narrow(x, rank) {
				rest = append(rest, x)
			}
		}
		switch {
		case r.to == math.MaxInt64 || r.to < r.from:
			return q, nil
		case o.Calls[0].Name != "ROW_NUMBER":
			return nil, perr.New(o.Calls[0].At, "%s() in a Top-N is not possible on a stream", o.Calls[0].Name).
				WithHint("use ROW_NUMBER(), with further ORDER BY columns to order ties")
		}
		return filtered(makeRank(o, r), rest), nil
	})
}

func isRank(name string) bool { return name == "ROW_NUMBER" || name == "RANK" || name == "DENSE_RANK" }

func makeRank(o *logical.Over, r bounds) logical.Plan {
	n := &logical.Rank{Node: o.Node, Input: o.Input, Partition: o.Partition, Order: o.Order, From: r.from, To: r.to, OutputRank: true}
	if r.from != r.to {
		return n
	}
	width := len(o.Input.Schema())
	n.OutputRank = false
	n.Cols = o.Cols[:width]
	exprs := identity(o.Cols)
	exprs[width] = &expr.Literal{T: o.Cols[width].Type, V: vec.Value{Kind: vec.I64, I: r.from}}
	return &logical.Project{Node: o.Node, Input: n, Exprs: exprs}
}

// bounds are the ranks that conditions leave.
type bounds struct{ from, to int64 }

// narrow takes a comparison of the rank with a constant, and tells whether x
// is one.
func (b *bounds) narrow(x expr.Expr, rank int) bool {
	c, ok := x.(*expr.Call)
	if !ok || len(c.Args) != 2 {
		return false
	}
	name := c.Fn.Name
	n, isConst := constant(c.Args[1])
	if !isColumn(c.Args[0], rank) || !isConst {
		if n, isConst = constant(c.Args[0]); !isConst || !isColumn(c.Args[1], rank) {
			return false
		}
		name = mirrored[name]
	}
	switch name {
	case "=":
		b.from, b.to = max(b.from, n), min(b.to, n)
	case "<=":
		b.to = min(b.to, n)
	case "<":
		b.to = min(b.to, n-1)
	case ">=":
		b.from = max(b.from, n)
	case ">":
		b.from = max(b.from, n+1)
	default:
		return false
	}
	return true
}

var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func isColumn(x expr.Expr, i int) bool {
	c, ok := expr.Uncast(x).(*expr.Column)
	return ok && c.Index == i
}

func constant(x expr.Expr) (int64, bool) {
	l, ok := expr.Uncast(x).(*expr.Literal)
	if !ok || l.V.Null || !(l.T.IsInteger() || l.T.Kind == types.Decimal && l.T.Scale == 0 && l.V.Kind == vec.I64) {
		return 0, false
	}
	return l.V.I, true
}

package physical

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// interval is lower ≤ left time − right time ≤ upper, in ms.
type interval struct {
	left, right  int
	lower, upper int64
	proctime     bool
	rest         []expr.Expr // the terms that say nothing of it
}

// interval finds bounds on two time attributes from both directions; nil if
// there are none.
func (j *joining) interval(terms []expr.Expr) *interval {
	iv := &interval{left: -1, right: -1, lower: math.MinInt64, upper: math.MaxInt64}
	for _, t := range terms {
		if !iv.narrow(j, t) {
			iv.rest = append(iv.rest, t)
		}
	}
	if iv.lower == math.MinInt64 || iv.upper == math.MaxInt64 {
		return nil
	}
	return iv
}

// narrow takes one comparison of both times.
func (iv *interval) narrow(j *joining, t expr.Expr) bool {
	c, ok := t.(*expr.Call)
	if !ok || len(c.Args) != 2 || mirroredSign[c.Fn.Name] == "" {
		return false
	}
	sign := c.Fn.Name
	a, aShift, ok := j.timeAndShift(c.Args[0])
	if !ok {
		return false
	}
	b, bShift, ok := j.timeAndShift(c.Args[1])
	if !ok {
		return false
	}
	if a >= j.width && b < j.width {
		a, aShift, b, bShift, sign = b, bShift, a, aShift, mirroredSign[sign]
	}
	if a >= j.width || b < j.width {
		return false
	}
	b -= j.width
	if iv.left >= 0 && (iv.left != a || iv.right != b) || j.left.Output[a].Type.Attr != j.right.Output[b].Type.Attr {
		return false
	}
	iv.left, iv.right, iv.proctime = a, b, j.left.Output[a].Type.Attr == types.Proctime
	// left + aShift (sign) right + bShift
	d := bShift - aShift
	switch sign {
	case ">=":
		iv.lower = max(iv.lower, d)
	case ">":
		iv.lower = max(iv.lower, d+1)
	case "<=":
		iv.upper = min(iv.upper, d)
	case "<":
		iv.upper = min(iv.upper, d-1)
	case "=":
		iv.lower, iv.upper = max(iv.lower, d), min(iv.upper, d)
	}
	return true
}

var mirroredSign = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// timeAndShift reads a time attribute plus or minus a constant; the column is
// one of both sides together.
func (j *joining) timeAndShift(x expr.Expr) (col int, shift int64, ok bool) {
	switch x := expr.Uncast(x).(type) {
	case *expr.Column:
		return x.Index, 0, j.attr(x.Index) != types.NoTime
	case *expr.Call:
		if x.Fn.Name != "+" && x.Fn.Name != "-" || len(x.Args) != 2 {
			return 0, 0, false
		}
		a, b := x.Args[0], x.Args[1]
		if l, isLit := a.(*expr.Literal); isLit && x.Fn.Name == "+" {
			a, b = b, l
		}
		l, isLit := expr.Uncast(b).(*expr.Literal)
		if !isLit || l.V.Null || l.T.Kind != types.IntervalDaySecond {
			return 0, 0, false
		}
		col, shift, ok = j.timeAndShift(a)
		if x.Fn.Name == "-" {
			return col, shift - l.V.I, ok
		}
		return col, shift + l.V.I, ok
	}
	return 0, 0, false
}

func (j *joining) attr(col int) types.TimeAttr {
	if col < j.width {
		return j.left.Output[col].Type.Attr
	}
	return j.right.Output[col-j.width].Type.Attr
}

func (l *lowerer) intervalJoin(p *logical.Join, j *joining, iv *interval) (*Node, error) {
	for _, side := range []*Node{j.left, j.right} {
		if !side.appendOnly() {
			return nil, perr.New(p.Pos(), "a join bounded in time takes inserts only, but %s updates rows that it has emitted", describeShort(updater(side))).
				WithHint("join without the bounds on both time attributes, or on append-only tables")
		}
	}
	if p.Kind > op.Full {
		return nil, perr.NotYet(p.Pos(), "IN or EXISTS bounded in time by both time attributes")
	}
	j.equalities(iv.rest)
	left, right := j.sides()
	s := op.IntervalJoinSpec{Kind: p.Kind, LeftKeys: j.leftKeys, RightKeys: j.rightKeys, LeftTime: iv.left, RightTime: iv.right,
		Lower: iv.lower, Upper: iv.upper, Residual: j.condition(), Proctime: iv.proctime}
	n := &Node{Op: &IntervalJoin{s}, Changes: Insert, Keys: j.keys(p.Kind, left, right)}
	return j.finish(p, p.Kind, n, left, right, [2]bool{true, true}), nil
}

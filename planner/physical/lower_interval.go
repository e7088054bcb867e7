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
	windowEnd    bool        // one of the times is the end of a window
	rest         []expr.Expr // the terms that say nothing of it
}

// interval finds bounds on two time attributes from both directions; nil if
// there are none.
func (j *joining) interval(kind op.JoinKind, terms []expr.Expr) *interval {
	iv := &interval{left: -1, right: -1, lower: math.MinInt64, upper: math.MaxInt64}
	for _, t := range terms {
		if !iv.narrow(j, t) {
			iv.rest = append(iv.rest, t)
		}
	}
	if iv.lower == math.MinInt64 || iv.upper == math.MaxInt64 {
		return nil
	}
	if iv.windowEnd && (kind != op.Inner || !j.left.appendOnly() || !j.right.appendOnly()) {
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
	if iv.left >= 0 && (iv.left != a || iv.right != b) || !j.comparable(a, b) {
		return false
	}
	iv.left, iv.right, iv.proctime = a, b, j.left.Output[a].Type.Attr == types.Proctime
	iv.windowEnd = j.left.isWindowEnd(a) || j.right.isWindowEnd(b)
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
		return d != 0 // equal times are a key, too
	}
	return true
}

var mirroredSign = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// timeAndShift reads a time attribute plus or minus a constant; the column is
// one of both sides together.
func (j *joining) timeAndShift(x expr.Expr) (col int, shift int64, ok bool) {
	switch x := sameKind(x).(type) {
	case *expr.Column:
		return x.Index, 0, j.isTime(x.Index)
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

// sameKind is x without casts of precision. A cast between TIMESTAMP and
// TIMESTAMP_LTZ shifts by the time zone and stays.
func sameKind(x expr.Expr) expr.Expr {
	for {
		c, ok := x.(*expr.Cast)
		if !ok || !c.Implicit || c.T.Kind != c.X.Type().Kind {
			return x
		}
		x = c.X
	}
}

// isTime: a time attribute, or the end of a window. No later row's window ends
// at or below the watermark, so that an end bounds a join like a row time.
func (j *joining) isTime(col int) bool {
	n := j.left
	if col >= j.width {
		n, col = j.right, col-j.width
	}
	return n.Output[col].Type.Attr != types.NoTime || n.isWindowEnd(col)
}

func (n *Node) isWindowEnd(col int) bool {
	return n.Windows != nil && !n.Windows.LTZ && n.Windows.End == col && n.appendOnly()
}

// comparable: both are of one kind, and one of them at least is an attribute.
func (j *joining) comparable(a, b int) bool {
	x, y := j.left.Output[a].Type, j.right.Output[b].Type
	if x.Kind != y.Kind {
		return false
	}
	return x.Attr == y.Attr && x.Attr != types.NoTime ||
		x.Attr == types.Rowtime && j.right.isWindowEnd(b) || y.Attr == types.Rowtime && j.left.isWindowEnd(a)
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
	keep := [2]bool{!iv.windowEnd, !iv.windowEnd}
	return j.finish(p, p.Kind, n, left, right, keep), nil
}

package physical

import (
	"slices"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

func itoa(n int) string { return strconv.Itoa(n) }

// join lowers a join: of windows if both sides have them and the condition
// makes them equal, of an interval if it bounds two time attributes, else of
// all rows.
func (l *lowerer) join(p *logical.Join) (*Node, error) {
	in, err := l.inputs(p)
	if err != nil {
		return nil, err
	}
	j := newJoining(l, p, in)
	terms := expr.Conjuncts(p.Cond)
	if p.NotIn {
		if terms, err = notFalse(terms); err != nil {
			return nil, perr.At(p.Pos(), err)
		}
	}
	if iv := j.interval(p.Kind, terms); iv != nil {
		return l.intervalJoin(p, j, iv)
	}
	j.equalities(terms)
	if n := l.windowJoin(p, j); n != nil {
		return n, nil
	}
	return l.regularJoin(p, j), nil
}

// notFalse: NOT IN drops a row as soon as a comparison is not false.
func notFalse(terms []expr.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(terms))
	for i, t := range terms {
		x, err := expr.NewCall("IS NOT FALSE", []expr.Expr{t})
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// joining takes the condition of a join apart. Keys that are no columns
// become columns behind the side's own.
type joining struct {
	l           *lowerer
	left, right *Node // the sides as they came
	width       int   // of left
	leftX       []expr.Expr
	rightX      []expr.Expr
	leftKeys    []int // of leftX and rightX
	rightKeys   []int
	nullAware   []bool
	residual    []expr.Expr
}

func newJoining(l *lowerer, p logical.Plan, in []*Node) *joining {
	return &joining{l: l, left: in[0], right: in[1], width: len(in[0].Output), leftX: identity(in[0].Output), rightX: identity(in[1].Output)}
}

// equalities takes the equalities of the two sides as keys; the rest is the
// residual.
func (j *joining) equalities(terms []expr.Expr) {
	for _, t := range terms {
		if !j.equality(t) {
			j.residual = append(j.residual, t)
		}
	}
}

func (j *joining) equality(t expr.Expr) bool {
	c, ok := t.(*expr.Call)
	if !ok || c.Fn.Name != "=" && c.Fn.Name != "IS NOT DISTINCT FROM" || !c.Args[0].Type().Equal(c.Args[1].Type()) {
		return false
	}
	a, b := c.Args[0], c.Args[1]
	if j.side(a) == 1 && j.side(b) == 0 {
		a, b = b, a
	}
	if j.side(a) != 0 || j.side(b) != 1 || volatile(a) || volatile(b) {
		return false
	}
	j.leftKeys = append(j.leftKeys, place(&j.leftX, a))
	j.rightKeys = append(j.rightKeys, place(&j.rightX, expr.Shift(b, j.width, -j.width)))
	j.nullAware = append(j.nullAware, c.Fn.Name != "=")
	return true
}

// side is 0 or 1 if x uses columns of the left or right side only, else −1.
func (j *joining) side(x expr.Expr) int {
	cols := expr.Columns(x)
	switch {
	case len(cols) == 0:
		return -1
	case cols[len(cols)-1] < j.width:
		return 0
	case cols[0] >= j.width:
		return 1
	}
	return -1
}

// place is the index of x among xs, where it is put if it is new.
func place(xs *[]expr.Expr, x expr.Expr) int {
	for i, y := range *xs {
		if expr.Equal(x, y) {
			return i
		}
	}
	*xs = append(*xs, x)
	return len(*xs) - 1
}

// sides are the inputs with the key columns behind their own.
func (j *joining) sides() (left, right *Node) {
	return j.extended(j.left, j.leftX), j.extended(j.right, j.rightX)
}

func (j *joining) extended(n *Node, xs []expr.Expr) *Node {
	if len(xs) == len(n.Output) {
		return n
	}
	fields := slices.Clone(n.Output)
	for _, x := range xs[len(fields):] {
		fields = append(fields, types.Field{Name: "$k" + itoa(len(fields)), Type: x.Type()})
	}
	return j.l.calc(n, n.At, nil, xs, fields)
}

// condition is the residual over the columns of the extended sides.
func (j *joining) condition() expr.Expr {
	x := conjunction(j.residual...)
	if x == nil {
		return nil
	}
	return expr.Shift(x, j.width, len(j.leftX)-j.width)
}

// finish completes a join node whose output has the columns of both extended
// sides (of the left one for a semi join), and cuts it down to those of p.
// keep says whether row times survive, for each side.
func (j *joining) finish(p logical.Plan, kind op.JoinKind, n *Node, left, right *Node, keep [2]bool) *Node {
	n.At = p.Pos()
	n.Inputs = []Input{keyed(left, j.leftKeys, 0), keyed(right, j.rightKeys, 1)}
	n.Single = len(j.leftKeys) == 0
	for i, side := range []*Node{left, right} {
		if i == 1 && oneSided(kind) {
			break
		}
		for _, f := range side.Output {
			if f.Type.NotNull && (i == 0 && (kind == op.Right || kind == op.Full) || i == 1 && (kind == op.Left || kind == op.Full)) {
				f.Type.NotNull = false
			}
			if !keep[i] && f.Type.Attr == types.Rowtime {
				f.Type.Attr = types.NoTime
			}
			n.Output = append(n.Output, f)
		}
	}
	n = j.l.add(n)
	exprs := identity(n.Output)
	cut := exprs[:j.width:j.width]
	if !oneSided(kind) {
		cut = append(cut, exprs[len(j.leftX):len(j.leftX)+len(j.right.Output)]...)
	}
	return j.l.calc(n, p.Pos(), nil, cut, p.Schema())
}

func oneSided(kind op.JoinKind) bool { return kind == op.Semi || kind == op.Anti }

func (l *lowerer) regularJoin(p *logical.Join, j *joining) *Node {
	left, right := j.sides()
	s := op.JoinSpec{Kind: p.Kind, LeftKeys: j.leftKeys, RightKeys: j.rightKeys, NullAware: j.nullAware, Residual: j.condition(),
		LeftUnique: left.unique(j.leftKeys), RightUnique: right.unique(j.rightKeys), LeftTTL: l.cfg.StateTTL, RightTTL: l.cfg.StateTTL}
	n := &Node{Op: &Join{JoinSpec: s, NotIn: p.NotIn}, Changes: joinChanges(p.Kind, left, right), Keys: j.keys(p.Kind, left, right)}
	return j.finish(p, p.Kind, n, left, right, [2]bool{})
}

// joinChanges: an inner join of inserts inserts; one that emits rows for lack
// of a partner takes them back.
func joinChanges(kind op.JoinKind, left, right *Node) Changes {
	if (kind == op.Inner || kind == op.Semi) && left.appendOnly() && right.appendOnly() {
		return Insert
	}
	return Every
}

// keys: a row of one side keeps its key if it meets at most one row of the
// other side.
func (j *joining) keys(kind op.JoinKind, left, right *Node) [][]int {
	if oneSided(kind) {
		return left.Keys
	}
	shift := func(k []int) []int {
		out := make([]int, len(k))
		for i, c := range k {
			out[i] = c + len(left.Output)
		}
		return out
	}
	var keys [][]int
	if right.unique(j.rightKeys) && (kind == op.Inner || kind == op.Left) {
		keys = append(keys, left.Keys...)
	}
	if left.unique(j.leftKeys) && (kind == op.Inner || kind == op.Right) {
		for _, k := range right.Keys {
			keys = append(keys, shift(k))
		}
	}
	if len(left.Keys) > 0 && len(right.Keys) > 0 {
		keys = append(keys, append(slices.Clone(left.Keys[0]), shift(right.Keys[0])...))
	}
	return keys
}

// windowJoin joins rows of equal windows; nil if the condition does not say
// so.
func (l *lowerer) windowJoin(p *logical.Join, j *joining) *Node {
	a, b := j.left.Windows, j.right.Windows
	if a == nil || b == nil || a.LTZ != b.LTZ || a.Start < 0 || a.End < 0 || b.Start < 0 || b.End < 0 || !j.left.appendOnly() || !j.right.appendOnly() {
		return nil
	}
	if !j.hasPair(a.Start, b.Start) || !j.hasPair(a.End, b.End) || slices.Contains(j.nullAware, true) {
		return nil
	}
	j.dropPair(a.Start, b.Start)
	j.dropPair(a.End, b.End)
	left, right := j.sides()
	s := op.WindowJoinSpec{Kind: p.Kind, LeftKeys: j.leftKeys, RightKeys: j.rightKeys, LeftEnd: a.End, RightEnd: b.End, LTZ: a.LTZ, Residual: j.condition()}
	n := &Node{Op: &WindowJoin{s}, Changes: Insert, Keys: j.keys(p.Kind, left, right)}
	switch p.Kind {
	case op.Right:
		w := len(left.Output)
		n.Windows = &WindowColumns{b.Start + w, b.End + w, b.Time, b.LTZ}
		if b.Time >= 0 {
			n.Windows.Time += w
		}
	case op.Full:
	default:
		n.Windows = a
	}
	return j.finish(p, p.Kind, n, left, right, [2]bool{true, true})
}

func (j *joining) hasPair(l, r int) bool {
	for i := range j.leftKeys {
		if j.leftKeys[i] == l && j.rightKeys[i] == r {
			return true
		}
	}
	return false
}

func (j *joining) dropPair(l, r int) {
	for i := range j.leftKeys {
		if j.leftKeys[i] == l && j.rightKeys[i] == r {
			j.leftKeys = slices.Delete(slices.Clone(j.leftKeys), i, i+1)
			j.rightKeys = slices.Delete(slices.Clone(j.rightKeys), i, i+1)
			j.nullAware = slices.Delete(slices.Clone(j.nullAware), i, i+1)
			return
		}
	}
}

// temporalJoin joins each left row with the version of its time.
func (l *lowerer) temporalJoin(p *logical.TemporalJoin) (*Node, error) {
	in, err := l.inputs(p)
	if err != nil {
		return nil, err
	}
	t, ok := p.Time.(*expr.Column)
	if !ok || in[0].Output[t.Index].Type.Attr == types.NoTime {
		return nil, perr.New(p.Pos(), "FOR SYSTEM_TIME AS OF needs a time attribute of the left side, and %s is none", p.Time).
			WithHint("declare WATERMARK FOR it in its table")
	}
	if in[0].Output[t.Index].Type.Attr == types.Proctime {
		return nil, perr.NotYet(p.Pos(), "a lookup join (FOR SYSTEM_TIME AS OF processing time)").WithHint("use an ordinary join, or a temporal join by event time")
	}
	if p.Kind != op.Inner && p.Kind != op.Left {
		return nil, perr.New(p.Pos(), "a temporal join is an inner or a LEFT join")
	}
	if !in[0].appendOnly() {
		return nil, perr.NotYet(p.Pos(), "a temporal join whose left side is updated (by %s)", describeShort(updater(in[0])))
	}
	version := slices.IndexFunc(in[1].Output, func(f types.Field) bool { return f.Type.Attr == types.Rowtime })
	j := newJoining(l, p, in)
	j.equalities(expr.Conjuncts(p.Cond))
	left, right := j.sides()
	if err := checkVersioned(p, j, right, version); err != nil {
		return nil, err
	}
	s := op.TemporalJoinSpec{Kind: p.Kind, LeftKeys: j.leftKeys, RightKeys: j.rightKeys, LeftTime: t.Index, RightTime: version, Residual: j.condition()}
	n := &Node{Op: &TemporalJoin{s}, Changes: left.Changes, Keys: left.Keys}
	return j.finish(p, p.Kind, n, left, right, [2]bool{true, false}), nil
}

func checkVersioned(p *logical.TemporalJoin, j *joining, right *Node, version int) error {
	switch {
	case len(right.Keys) == 0:
		return perr.New(p.Pos(), "the right side of a temporal join needs a primary key").
			WithHint("declare PRIMARY KEY (…) NOT ENFORCED, or use a view that keeps the last row of each key by ROW_NUMBER() … = 1")
	case version < 0:
		return perr.New(p.Pos(), "the right side of a temporal join needs a row time").WithHint("declare WATERMARK FOR its time column")
	case !right.unique(j.rightKeys):
		return perr.New(p.Pos(), "a temporal join needs equality on the right side's primary key (%s)", joinNames(right))
	}
	return nil
}

func joinNames(n *Node) string {
	s := ""
	for i, c := range n.Keys[0] {
		if i > 0 {
			s += ", "
		}
		s += n.Output[c].Name
	}
	return s
}

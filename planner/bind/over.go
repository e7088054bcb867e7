package bind

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// overs collects the OVER calls of one SELECT; they must share a window.
type overs struct {
	named map[string]ast.NamedWindow
	spec  *overSpec
	calls []logical.OverCall
}

// overSpec is a bound OVER (…).
type overSpec struct {
	partition []expr.Expr
	order     []orderKey
	rows      bool
	framed    bool // a frame was written, or the default one counts
	preceding expr.Expr
	at        ast.Pos
}

// orderKey is an item of ORDER BY.
type orderKey struct {
	x               expr.Expr
	desc, nullsLast bool
}

func newOvers(windows []ast.NamedWindow) *overs {
	o := &overs{named: map[string]ast.NamedWindow{}}
	for _, w := range windows {
		if _, ok := o.named[w.Name.Name]; ok {
			failf(w.Name.Pos, "window %q is defined twice", w.Name.Name)
		}
		o.named[w.Name.Name] = w
	}
	return o
}

// onlyOver are the functions that need OVER, with their result types.
var onlyOver = map[string]bool{
	"ROW_NUMBER": true, "RANK": true, "DENSE_RANK": true, "NTILE": true, "LAG": true, "LEAD": true, "CUME_DIST": true, "PERCENT_RANK": true,
}

// overCall binds f(…) OVER (…).
func (e *env) overCall(c *ast.Call) expr.Expr {
	if e.overs == nil {
		fail(perr.New(c.Pos, "%s … OVER cannot stand in %s", c.FuncName(), e.clause).WithHint("compute it in a subquery, or use QUALIFY to filter by it"))
	}
	inner := *e
	inner.overs, inner.subs, inner.clause = nil, nil, "OVER"
	if c.Filter != nil {
		fail(perr.NotYet(c.Filter.Position(), "FILTER with OVER").WithHint("put the condition into the argument with CASE"))
	}
	call := inner.overFunction(c)
	call.Distinct, call.At = c.Distinct, c.Pos
	spec := inner.overSpec(c, e.overs)
	e.overs.share(spec)
	return &expr.Column{Index: overBase + e.overs.add(call), Name: call.Name, T: call.T}
}

// add collects a call; equal ones are one.
func (o *overs) add(call logical.OverCall) int {
	for i, c := range o.calls {
		if c.Name == call.Name && c.Distinct == call.Distinct && slices.EqualFunc(c.Args, call.Args, expr.Equal) {
			return i
		}
	}
	o.calls = append(o.calls, call)
	return len(o.calls) - 1
}

// overFunction binds the function and its arguments.
func (e *env) overFunction(c *ast.Call) logical.OverCall {
	name := c.FuncName()
	call := logical.OverCall{Name: name}
	switch name {
	case "ROW_NUMBER", "RANK", "DENSE_RANK":
		call.T = types.Of(types.BigInt).Nullable(false)
		noArguments(c)
	case "CUME_DIST", "PERCENT_RANK":
		call.T = types.Of(types.Double).Nullable(false)
		noArguments(c)
	case "NTILE":
		call.T = types.Of(types.BigInt).Nullable(false)
		call.Args = e.exprs(c.Args)
	case "LAG", "LEAD":
		call.Args, call.T = e.lagArguments(c)
	default:
		if _, ok := fn.Lookup(name); !ok && !isAggregate(name) {
			fail(unknownFunction(c.Pos, name))
		}
		if !isAggregate(name) {
			fail(perr.New(c.Pos, "%s is no aggregate function and takes no OVER", name))
		}
		a, t := bindAggregate(e, c)
		call.Args, call.Bound, call.T = a.args, a.bound, t
	}
	return call
}

func noArguments(c *ast.Call) {
	if len(c.Args) > 0 || c.Star {
		failf(c.Pos, "%s takes no arguments", c.FuncName())
	}
}

// lagArguments binds LAG(x [, offset [, default]]).
func (e *env) lagArguments(c *ast.Call) ([]expr.Expr, types.Type) {
	if len(c.Args) < 1 || len(c.Args) > 3 {
		failf(c.Pos, "%s takes a value, an offset and a default", c.FuncName())
	}
	x := e.expr(c.Args[0])
	args, t := []expr.Expr{x}, x.Type().Nullable(true).WithAttr(types.NoTime)
	if len(c.Args) > 1 {
		args = append(args, expr.BigInt(e.whole(c.Args[1], "the offset of "+c.FuncName())))
	}
	if len(c.Args) > 2 {
		def := e.expr(c.Args[2])
		t = t.Nullable(!x.Type().NotNull || !def.Type().NotNull)
		def, err := expr.Coerce(def, t)
		check(c.Args[2].Position(), err)
		args = append(args, def)
	}
	return args, t
}

// overSpec resolves OVER w and OVER (w …), and binds the specification.
func (e *env) overSpec(c *ast.Call, o *overs) *overSpec {
	w := o.resolve(c.Over, 0)
	s := &overSpec{at: w.Pos, partition: e.exprs(w.PartitionBy)}
	for _, item := range w.OrderBy {
		s.order = append(s.order, e.orderKey(item))
	}
	if len(s.order) == 0 {
		fail(perr.New(c.Pos, "OVER needs ORDER BY on a stream").WithHint("order by the time attribute"))
	}
	if isRank(c.FuncName()) {
		return s
	}
	s.framed = true
	e.frame(s, w)
	return s
}

func isRank(name string) bool {
	switch name {
	case "ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "CUME_DIST", "PERCENT_RANK", "LAG", "LEAD":
		return true
	}
	return false
}

// resolve merges a named window into a specification.
func (o *overs) resolve(w *ast.WindowSpec, depth int) ast.WindowSpec {
	if w.Ref == nil {
		return *w
	}
	named, ok := o.named[w.Ref.Name]
	if !ok || depth > len(o.named) {
		failf(w.Ref.Pos, "window %q is not defined in a WINDOW clause", w.Ref.Name)
	}
	base := o.resolve(named.Spec, depth+1)
	if len(w.PartitionBy) > 0 {
		base.PartitionBy = w.PartitionBy
	}
	if len(w.OrderBy) > 0 {
		base.OrderBy = w.OrderBy
	}
	if w.Frame != nil {
		base.Frame = w.Frame
	}
	return base
}

func (e *env) orderKey(item ast.OrderItem) orderKey {
	k := orderKey{x: e.expr(item.X), desc: item.Desc, nullsLast: item.Desc}
	if item.Nulls != ast.NullsDefault {
		k.nullsLast = item.Nulls == ast.NullsLast
	}
	return k
}

// frame binds ROWS or RANGE; without one it is all rows up to the current
// one's time.
func (e *env) frame(s *overSpec, w ast.WindowSpec) {
	f := w.Frame
	if f == nil {
		return
	}
	s.rows = f.Rows
	if f.End.Kind != ast.CurrentRow {
		fail(perr.New(f.Pos, "a frame must end at CURRENT ROW: later rows of a stream are not known yet"))
	}
	switch f.Start.Kind {
	case ast.UnboundedPreceding:
	case ast.CurrentRow:
		s.preceding = expr.BigInt(0)
	case ast.Preceding:
		s.preceding = e.precedingOf(f)
	default:
		fail(perr.New(f.Pos, "a frame must begin before the current row"))
	}
}

func (e *env) precedingOf(f *ast.Frame) expr.Expr {
	if f.Rows {
		return expr.BigInt(e.whole(f.Start.X, "the number of rows before ROWS … PRECEDING"))
	}
	return expr.BigInt(e.duration(f.Start.X, "the range before RANGE … PRECEDING"))
}

// share refuses a second window; ranks go with any frame.
func (o *overs) share(s *overSpec) {
	if o.spec == nil {
		o.spec = s
		return
	}
	if !o.spec.same(s) {
		fail(perr.New(s.at, "all OVER windows of one SELECT must be the same; the first, at %s, is another one", o.spec.at).WithHint("compute one of them in a subquery"))
	}
	if s.framed {
		o.spec = s
	}
}

func (s *overSpec) same(t *overSpec) bool {
	if len(s.partition) != len(t.partition) || len(s.order) != len(t.order) {
		return false
	}
	for i := range s.partition {
		if !expr.Equal(s.partition[i], t.partition[i]) {
			return false
		}
	}
	for i, k := range s.order {
		if l := t.order[i]; !expr.Equal(k.x, l.x) || k.desc != l.desc || k.nullsLast != l.nullsLast {
			return false
		}
	}
	return !s.framed || !t.framed || s.rows == t.rows && sameBound(s.preceding, t.preceding)
}

func sameBound(a, b expr.Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return expr.Equal(a, b)
}

// finish puts the Over on top of p, and returns the column of its first call.
func (o *overs) finish(p logical.Plan, fix func(expr.Expr) expr.Expr) (logical.Plan, int) {
	if o.spec == nil {
		return p, 0
	}
	cols := columnsOf(p)
	place := func(x expr.Expr) int {
		x = fix(x)
		for i, c := range cols {
			if expr.Equal(c, x) {
				return i
			}
		}
		cols = append(cols, x)
		return len(cols) - 1
	}
	n := &logical.Over{Rows: o.spec.rows, Preceding: o.spec.preceding, Bounded: o.spec.preceding != nil, Node: logical.Node{At: o.spec.at}}
	for _, x := range o.spec.partition {
		n.Partition = append(n.Partition, place(x))
	}
	for _, k := range o.spec.order {
		n.Order = append(n.Order, op.SortKey{Col: place(k.x), Desc: k.desc, NullsLast: k.nullsLast})
	}
	for _, c := range o.calls {
		args := make([]expr.Expr, len(c.Args))
		for i, x := range c.Args {
			args[i] = fix(x)
		}
		c.Args = args
		n.Calls = append(n.Calls, c)
	}
	if len(cols) > len(p.Schema()) {
		p = project(p, cols, nil, o.spec.at)
	}
	n.Input = p
	n.Cols = append(n.Cols, p.Schema()...)
	for i, c := range o.calls {
		n.Cols = append(n.Cols, types.Field{Name: fmt.Sprintf("w0$o%d", i), Type: c.T})
	}
	return n, len(p.Schema())
}

package physical

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// window lowers a window function on its own: each row once per window.
func (l *lowerer) window(p *logical.Window) (*Node, error) {
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	if err := checkTime(p.Pos(), in, p.Window); err != nil {
		return nil, err
	}
	if p.Window.Kind == op.Session {
		return nil, perr.NotYet(p.Pos(), "SESSION without GROUP BY of its window_start, window_end and partition columns")
	}
	width := len(in.Output)
	n := &Node{Op: &WindowTableFunction{op.WindowTableSpec{Window: p.Window}}, At: p.Pos(), Inputs: forward(in), Output: schema(p), Changes: in.Changes}
	inheritTime(n.Output, in.Output, 0)
	n.Output[width+2].Type.Attr = in.Output[p.Window.Time].Type.Attr
	if !p.Window.Proctime {
		n.Windows = &WindowColumns{width, width + 1, width + 2, in.Output[p.Window.Time].Type.Kind == types.TimestampLTZ}
	}
	if p.Window.Kind == op.Tumble {
		n.Keys = in.Keys
	}
	return l.add(n), nil
}

// checkTime refuses windows over a column that is no time attribute by the
// time it gets here.
func checkTime(at ast.Pos, in *Node, w op.Window) error {
	f := in.Output[w.Time]
	if f.Type.Attr == types.Proctime || f.Type.Attr == types.Rowtime {
		return nil
	}
	e := perr.New(at, "column %q is no time attribute", f.Name)
	if j := timeLoser(in); j != nil {
		return perr.New(at, "column %q is no longer a time attribute: it went through %s at %s", f.Name, describeShort(j), j.At).
			WithHint("window each side before joining, or bound the join in time: a.ts BETWEEN b.ts AND b.ts + INTERVAL …")
	}
	return e.WithHint("declare WATERMARK FOR %s AS %s - INTERVAL '5' SECOND in its table", f.Name, f.Name)
}

// timeLoser is the nearest regular join or aggregation below.
func timeLoser(n *Node) *Node {
	switch n.Op.(type) {
	case *Join, *GroupAggregate:
		return n
	}
	for _, in := range n.Inputs {
		if j := timeLoser(in.Node); j != nil {
			return j
		}
	}
	return nil
}

// groupWindow lowers TUMBLE(ts, …) in GROUP BY.
func (l *lowerer) groupWindow(p *logical.Aggregate) (*Node, error) {
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	w := *p.GroupWindow
	if err := checkTime(p.Pos(), in, w); err != nil {
		return nil, err
	}
	n := &Node{
		Op: &WindowAggregate{Legacy: true, WindowAggSpec: op.WindowAggSpec{Keys: p.Keys, Aggs: aggCalls(p.Aggs), Window: &w,
			StartCol: -1, EndCol: -1, Properties: p.Properties}},
		At: p.Pos(), Inputs: []Input{keyed(in, p.Keys, 0)}, Output: schema(p), Changes: Insert, Single: len(p.Keys) == 0,
	}
	for i, prop := range p.Properties {
		c := len(p.Keys) + len(p.Aggs) + i
		switch {
		case prop == op.WindowTime && !w.Proctime:
			n.Output[c].Type.Attr = types.Rowtime
		case prop == op.WindowProcess:
			n.Output[c].Type.Attr = types.Proctime
		}
		if prop == op.WindowStart || prop == op.WindowEnd {
			n.Keys = append(n.Keys, append(seq(0, len(p.Keys)), c))
		}
	}
	return l.add(n), nil
}

// windowAggregate lowers an aggregation whose keys hold the start and end of
// a window; nil if they do not.
func (l *lowerer) windowAggregate(p *logical.Aggregate) (*Node, error) {
	if f := findWindow(p); f != nil {
		return l.assigning(p, f)
	}
	in, err := l.plan(p.Input)
	if err != nil {
		return nil, err
	}
	w := in.Windows
	if w == nil || w.Start < 0 || w.End < 0 || !slices.Contains(p.Keys, w.Start) || !slices.Contains(p.Keys, w.End) {
		return nil, nil
	}
	s := op.WindowAggSpec{Aggs: aggCalls(p.Aggs), StartCol: w.Start, EndCol: w.End, LTZ: w.LTZ}
	return l.arranged(p, in, s, *w, timeAttr(in, w.Time)), nil
}

func timeAttr(in *Node, c int) types.TimeAttr {
	if c < 0 {
		return types.Rowtime
	}
	return in.Output[c].Type.Attr
}

// windowFunction is a window function below an aggregation, which can assign
// the windows itself.
type windowFunction struct {
	window *logical.Window
	filter expr.Expr
	exprs  []expr.Expr // the aggregation's input over the function's output
}

// findWindow looks for a window function with only projects and filters
// above, of which none but the keys uses the window's columns.
func findWindow(p *logical.Aggregate) *windowFunction {
	f := &windowFunction{exprs: identity(p.Input.Schema())}
	for q := p.Input; ; q = q.Inputs()[0] {
		switch q := q.(type) {
		case *logical.Project:
			f.filter = substitute(f.filter, q.Exprs)
			for i, x := range f.exprs {
				f.exprs[i] = expr.Substitute(x, q.Exprs)
			}
			continue
		case *logical.Filter:
			f.filter = conjunction(q.Cond, f.filter)
			continue
		case *logical.Window:
			f.window = q
			if f.fits(p) {
				return f
			}
		}
		return nil
	}
}

// fits tells whether the aggregation can assign the windows.
func (f *windowFunction) fits(p *logical.Aggregate) bool {
	width := len(f.window.Input.Schema())
	var start, end bool
	var keys []int
	for _, k := range p.Keys {
		switch f.column(k) {
		case width:
			start = true
		case width + 1:
			end = true
		case width + 2:
		default:
			if c := f.column(k); c >= 0 {
				keys = append(keys, c)
			}
			if usesFrom(f.exprs[k], width) {
				return false
			}
		}
	}
	if !start || !end || f.filter != nil && usesFrom(f.filter, width) {
		return false
	}
	for _, c := range aggColumns(p) {
		if usesFrom(f.exprs[c], width) {
			return false
		}
	}
	w := f.window.Window
	return w.Kind != op.Session || containsAll(keys, w.Partition) && containsAll(w.Partition, keys)
}

// column is the output column of the function that column i of the
// aggregation's input is; −1: an expression.
func (f *windowFunction) column(i int) int {
	if c, ok := f.exprs[i].(*expr.Column); ok {
		return c.Index
	}
	return -1
}

func usesFrom(x expr.Expr, from int) bool {
	cols := expr.Columns(x)
	return len(cols) > 0 && cols[len(cols)-1] >= from
}

func aggColumns(p *logical.Aggregate) []int {
	var cols []int
	for _, a := range p.Aggs {
		cols = append(cols, a.Args...)
		if a.Filter >= 0 {
			cols = append(cols, a.Filter)
		}
	}
	return cols
}

// assigning makes an aggregation that assigns the windows of f. Below it a
// Calc computes what the aggregation reads, and the time behind it.
func (l *lowerer) assigning(p *logical.Aggregate, f *windowFunction) (*Node, error) {
	in, err := l.plan(f.window.Input)
	if err != nil {
		return nil, err
	}
	w := f.window.Window
	if err := checkTime(f.window.Pos(), in, w); err != nil {
		return nil, err
	}
	if err := checkSlices(f.window.Pos(), w); err != nil {
		return nil, err
	}
	read := f.read(p)
	attr := in.Output[w.Time].Type.Attr
	w.Time = read.time(w.Time, in)
	w.Partition = nil
	q := *p
	q.Keys = make([]int, len(p.Keys))
	for i, k := range p.Keys {
		if part := f.part(k); part > 0 {
			q.Keys[i] = -1 - part
			continue
		}
		q.Keys[i] = read.at[k]
		if w.Kind == op.Session {
			w.Partition = append(w.Partition, read.at[k])
		}
	}
	s := op.WindowAggSpec{Window: &w, StartCol: -1, EndCol: -1, Aggs: read.aggs(p)}
	calc := l.calc(in, p.Pos(), f.filter, read.exprs, read.fields)
	return l.arranged(&q, calc, s, WindowColumns{-2, -3, -4, w.LTZ}, attr), nil
}

// part is 1, 2 or 3 if column k of the aggregation's input is the start, end
// or time of the window, else 0.
func (f *windowFunction) part(k int) int {
	if c := f.column(k) - len(f.window.Input.Schema()); c >= 0 && c < 3 {
		return c + 1
	}
	return 0
}

// columnsRead are the columns that a Calc below an aggregation computes: at
// says where those of the aggregation's input are.
type columnsRead struct {
	exprs  []expr.Expr
	fields []types.Field
	at     map[int]int
}

func (f *windowFunction) read(p *logical.Aggregate) *columnsRead {
	r := &columnsRead{at: map[int]int{}}
	for _, k := range p.Keys {
		if f.part(k) == 0 {
			r.add(k, f.exprs[k], p.Input.Schema()[k])
		}
	}
	for _, c := range aggColumns(p) {
		r.add(c, f.exprs[c], p.Input.Schema()[c])
	}
	return r
}

func (r *columnsRead) add(c int, x expr.Expr, field types.Field) {
	if _, ok := r.at[c]; !ok {
		r.at[c] = len(r.exprs)
		r.exprs, r.fields = append(r.exprs, x), append(r.fields, field)
	}
}

// time makes sure that column c of in is read, and returns where it is.
func (r *columnsRead) time(c int, in *Node) int {
	for i, x := range r.exprs {
		if col, ok := x.(*expr.Column); ok && col.Index == c {
			return i
		}
	}
	r.exprs = append(r.exprs, &expr.Column{Index: c, Name: in.Output[c].Name, T: in.Output[c].Type})
	r.fields = append(r.fields, in.Output[c])
	return len(r.exprs) - 1
}

func (r *columnsRead) aggs(p *logical.Aggregate) []op.AggCall {
	calls := aggCalls(p.Aggs)
	for i := range calls {
		args := make([]int, len(calls[i].Args))
		for j, c := range calls[i].Args {
			args[j] = r.at[c]
		}
		calls[i].Args = args
		if calls[i].Filter >= 0 {
			calls[i].Filter = r.at[calls[i].Filter]
		}
	}
	return calls
}

// windowPart is 1 for the start, 2 for the end, 3 for the time of a window, 0
// for an ordinary key.
func windowPart(key int, w WindowColumns) int {
	switch key {
	case w.Start:
		return 1
	case w.End:
		return 2
	case w.Time:
		return 3
	}
	return 0
}

// checkSlices: windows that overlap are made of slices of the slide's length.
func checkSlices(at ast.Pos, w op.Window) error {
	if (w.Kind == op.Hop || w.Kind == op.Cumulate) && w.Slide > 0 && w.Size%w.Slide != 0 {
		word := map[op.WindowKind]string{op.Hop: "slide", op.Cumulate: "step"}[w.Kind]
		return perr.New(at, "the size of a %s window that is aggregated must be a multiple of its %s: %s is none of %s",
			w.Kind, word, millisText(w.Size), millisText(w.Slide))
	}
	return nil
}

// arranged makes the aggregation s, whose keys are those of p without the
// columns of the window, and brings its output into p's order.
func (l *lowerer) arranged(p *logical.Aggregate, in *Node, s op.WindowAggSpec, w WindowColumns, attr types.TimeAttr) *Node {
	out := p.Schema()
	var fields []types.Field
	at := make([]int, len(p.Keys))
	for i, k := range p.Keys {
		if windowPart(k, w) == 0 {
			at[i] = len(s.Keys)
			s.Keys, fields = append(s.Keys, k), append(fields, plain(out[i]))
		}
	}
	for i := range p.Aggs {
		fields = append(fields, plain(out[len(p.Keys)+i]))
	}
	windows := &WindowColumns{-1, -1, -1, w.LTZ}
	columns := []*int{&windows.Start, &windows.End, &windows.Time}
	for i, k := range p.Keys {
		part := windowPart(k, w)
		if part == 0 {
			continue
		}
		if c := columns[part-1]; *c < 0 {
			*c = len(fields)
			f := plain(out[i])
			if part == 3 {
				f.Type.Attr = attr
			}
			fields = append(fields, f)
			s.Properties = append(s.Properties, []op.WindowProperty{op.WindowStart, op.WindowEnd, op.WindowTime}[part-1])
		}
		at[i] = *columns[part-1]
	}
	n := &Node{Op: &WindowAggregate{WindowAggSpec: s}, At: p.Pos(), Inputs: []Input{keyed(in, s.Keys, 0)}, Output: fields, Changes: Insert, Single: len(s.Keys) == 0}
	n.Keys = [][]int{append(seq(0, len(s.Keys)), windows.Start, windows.End), append(seq(0, len(s.Keys)), windows.End)}
	if s.Window != nil && s.Window.Kind == op.Session || s.Window == nil {
		n.Keys = n.Keys[:1]
	}
	if attr == types.Rowtime {
		n.Windows = windows
	}
	n = l.add(n)
	exprs := make([]expr.Expr, len(out))
	for i := range out {
		c := len(s.Keys) + i - len(p.Keys)
		if i < len(p.Keys) {
			c = at[i]
		}
		exprs[i] = &expr.Column{Index: c, Name: n.Output[c].Name, T: n.Output[c].Type}
	}
	return l.calc(n, p.Pos(), nil, exprs, out)
}

func plain(f types.Field) types.Field {
	f.Type.Attr = types.NoTime
	return f
}

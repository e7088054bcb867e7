package rules

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pruneColumns leaves out, at every node, the columns that nothing above
// uses; a scan reads only the fields of ROW columns that are named.
func pruneColumns(_ *context, p logical.Plan) (logical.Plan, error) {
	if s, ok := p.(*logical.Sink); ok {
		return s.With(pruneAll(s.Input)), nil
	}
	return pruneAll(p), nil
}

// pruneAll prunes below p, whose columns all stay.
func pruneAll(p logical.Plan) logical.Plan {
	q, at := prune(p, every(len(p.Schema())))
	return selected(q, p.Schema(), at, every(len(at)))
}

func every(n int) columns {
	need := make(columns, n)
	for i := range need {
		need[i] = true
	}
	return need
}

// columns is a set of columns.
type columns []bool

func (c columns) clone(width int) columns {
	d := make(columns, width)
	copy(d, c)
	return d
}

func (c columns) add(cols ...int) {
	for _, i := range cols {
		c[i] = true
	}
}

// moved tells where each column of a node has gone; −1: it is no longer
// there.
type moved []int

// stay is the identity for width columns.
func stay(width int) moved {
	m := make(moved, width)
	for i := range m {
		m[i] = i
	}
	return m
}

func (m moved) all(cols []int) []int {
	out := make([]int, len(cols))
	for i, c := range cols {
		out[i] = m[c]
	}
	return out
}

func (m moved) expr(x expr.Expr) expr.Expr {
	if x == nil {
		return nil
	}
	return expr.Remap(x, func(c int) int { return m[c] })
}

func (m moved) keys(keys []op.SortKey) []op.SortKey {
	out := make([]op.SortKey, len(keys))
	for i, k := range keys {
		k.Col = m[k.Col]
		out[i] = k
	}
	return out
}

func (m moved) window(w op.Window) op.Window {
	if w.Time >= 0 {
		w.Time = m[w.Time]
	}
	w.Partition = m.all(w.Partition)
	return w
}

// behind is m with further columns: the i-th of them now stands at at[i].
func (m moved) behind(at ...int) moved { return append(append(moved(nil), m...), at...) }

// selected is q cut down to the needed columns of fields, in their order.
func selected(q logical.Plan, fields []types.Field, at moved, need columns) logical.Plan {
	var exprs []expr.Expr
	var out []types.Field
	in := q.Schema()
	same := true
	for i := range fields {
		if !need[i] {
			continue
		}
		same = same && at[i] == len(exprs) && in[at[i]].Name == fields[i].Name
		exprs = append(exprs, column(at[i], in))
		out = append(out, fields[i])
	}
	if same && len(exprs) == len(in) {
		return q
	}
	p := &logical.Project{Node: logical.Node{Cols: out, At: q.Pos()}, Input: q, Exprs: exprs}
	if l, ok := q.(*logical.Project); ok {
		p.Input = l.Input
		p.Exprs = mapExprs(exprs, func(x expr.Expr) expr.Expr { return expr.Substitute(x, l.Exprs) })
	}
	return p
}

// prune returns p without columns that are not needed, and where the old
// columns are. There may be more columns left than needed.
func prune(p logical.Plan, need columns) (logical.Plan, moved) {
	switch p := p.(type) {
	case *logical.Scan:
		return pruneScan(p, need)
	case *logical.Values:
		return p, stay(len(p.Cols))
	case *logical.Project:
		return pruneProject(p, need)
	case *logical.Filter:
		need = need.clone(len(need))
		need.add(expr.Columns(p.Cond)...)
		in, at := prune(p.Input, need)
		return &logical.Filter{Node: logical.Node{Cols: in.Schema(), At: p.At}, Input: in, Cond: at.expr(p.Cond)}, at
	case *logical.Watermark:
		need = need.clone(len(need))
		need.add(expr.Columns(p.Expr)...)
		need.add(p.Time)
		in, at := prune(p.Input, need)
		cols := append([]types.Field(nil), in.Schema()...)
		cols[at[p.Time]] = p.Cols[p.Time]
		return &logical.Watermark{Node: logical.Node{Cols: cols, At: p.At}, Input: in, Time: at[p.Time], Expr: at.expr(p.Expr)}, at
	case *logical.Sort:
		need = need.clone(len(need))
		for _, k := range p.Keys {
			need.add(k.Col)
		}
		in, at := prune(p.Input, need)
		n := *p
		n.Input, n.Cols, n.Keys = in, in.Schema(), at.keys(p.Keys)
		return &n, at
	case *logical.Window:
		return pruneWindow(p, need)
	case *logical.Aggregate:
		return pruneAggregate(p, need)
	case *logical.Expand:
		return pruneExpand(p, need)
	case *logical.Join:
		return pruneJoin(p, need)
	case *logical.TemporalJoin:
		return pruneTemporal(p, need)
	case *logical.Over:
		return pruneOver(p, need)
	case *logical.Rank:
		return pruneRank(p, need)
	case *logical.SetOp:
		return pruneSetOp(p, need)
	case *logical.Unnest:
		return pruneUnnest(p, need)
	}
	panic(fmt.Sprintf("rules: unknown node %T", p))
}

// extended are the input's columns and the last ones of a node.
func extended(in logical.Plan, old []types.Field, from int) []types.Field {
	return append(append([]types.Field(nil), in.Schema()...), old[from:]...)
}

// tail is where the columns behind the input's are.
func tail(in logical.Plan, n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = len(in.Schema()) + i
	}
	return at
}

func pruneProject(p *logical.Project, need columns) (logical.Plan, moved) {
	at := make(moved, len(p.Exprs))
	var exprs []expr.Expr
	var cols []types.Field
	for i, x := range p.Exprs {
		at[i] = -1
		if need[i] || i == 0 && !anyOf(need) {
			at[i] = len(exprs)
			exprs, cols = append(exprs, x), append(cols, p.Cols[i])
		}
	}
	n := &logical.Project{Node: logical.Node{Cols: cols, At: p.At}}
	if in, narrowed := pruneFields(p.Input, exprs); in != nil {
		n.Input, n.Exprs = in, narrowed
		return n, at
	}
	below := make(columns, len(p.Input.Schema()))
	below.add(expr.Columns(exprs...)...)
	in, m := prune(p.Input, below)
	n.Input, n.Exprs = in, mapExprs(exprs, m.expr)
	return n, at
}

func anyOf(need columns) bool {
	for _, n := range need {
		if n {
			return true
		}
	}
	return false
}

func pruneWindow(p *logical.Window, need columns) (logical.Plan, moved) {
	width := len(p.Input.Schema())
	below := need.clone(width)
	below.add(p.Window.Partition...)
	if p.Window.Time >= 0 {
		below.add(p.Window.Time)
	}
	in, at := prune(p.Input, below)
	n := &logical.Window{Node: logical.Node{Cols: extended(in, p.Cols, width), At: p.At}, Input: in, Window: at.window(p.Window)}
	return n, at.behind(tail(in, len(p.Cols)-width)...)
}

func pruneExpand(p *logical.Expand, need columns) (logical.Plan, moved) {
	at := make(moved, len(p.Cols))
	n := &logical.Expand{Node: logical.Node{At: p.At}, Projects: make([][]expr.Expr, len(p.Projects))}
	below := make(columns, len(p.Input.Schema()))
	for i := range p.Cols {
		if at[i] = -1; !need[i] {
			continue
		}
		at[i] = len(n.Cols)
		n.Cols = append(n.Cols, p.Cols[i])
		for r, row := range p.Projects {
			n.Projects[r] = append(n.Projects[r], row[i])
			below.add(expr.Columns(row[i])...)
		}
	}
	in, m := prune(p.Input, below)
	n.Input, n.Projects = in, mapRows(n.Projects, m.expr)
	return n, at
}

func pruneUnnest(p *logical.Unnest, need columns) (logical.Plan, moved) {
	width := len(p.Input.Schema())
	below := need.clone(width)
	below.add(expr.Columns(p.Collection)...)
	in, at := prune(p.Input, below)
	n := *p
	n.Input, n.Collection, n.Cols = in, at.expr(p.Collection), extended(in, p.Cols, width)
	return &n, at.behind(tail(in, len(p.Cols)-width)...)
}

func pruneRank(p *logical.Rank, need columns) (logical.Plan, moved) {
	width := len(p.Input.Schema())
	below := need.clone(width)
	below.add(p.Partition...)
	for _, k := range p.Order {
		below.add(k.Col)
	}
	in, at := prune(p.Input, below)
	n := *p
	n.Input, n.Partition, n.Order = in, at.all(p.Partition), at.keys(p.Order)
	n.OutputRank = p.OutputRank && need[width]
	if !p.OutputRank {
		n.Cols = in.Schema()
		return &n, at
	}
	if !n.OutputRank {
		n.Cols = in.Schema()
		return &n, at.behind(-1)
	}
	n.Cols = extended(in, p.Cols, width)
	return &n, at.behind(len(in.Schema()))
}

func pruneOver(p *logical.Over, need columns) (logical.Plan, moved) {
	width := len(p.Input.Schema())
	below := need.clone(width)
	if !anyOf(need[width:]) {
		in, at := prune(p.Input, below)
		for range p.Calls {
			at = at.behind(-1)
		}
		return in, at
	}
	below.add(p.Partition...)
	for _, k := range p.Order {
		below.add(k.Col)
	}
	for i, c := range p.Calls {
		if need[width+i] {
			below.add(expr.Columns(c.Args...)...)
		}
	}
	in, at := prune(p.Input, below)
	n := *p
	n.Input, n.Partition, n.Order, n.Calls = in, at.all(p.Partition), at.keys(p.Order), nil
	n.Cols = append([]types.Field(nil), in.Schema()...)
	for i, c := range p.Calls {
		if !need[width+i] {
			at = at.behind(-1)
			continue
		}
		at = at.behind(len(n.Cols))
		c.Args = mapExprs(c.Args, at.expr)
		n.Calls, n.Cols = append(n.Calls, c), append(n.Cols, p.Cols[width+i])
	}
	return &n, at
}

// pruneSetOp: only UNION ALL may lose columns, for the others compare whole
// rows.
func pruneSetOp(p *logical.SetOp, need columns) (logical.Plan, moved) {
	if p.Kind != logical.Union || !p.All {
		in := make([]logical.Plan, len(p.In))
		for i, q := range p.In {
			in[i] = pruneAll(q)
		}
		return p.With(in...), stay(len(p.Cols))
	}
	if !anyOf(need) {
		need = need.clone(len(need))
		need.add(0)
	}
	n := &logical.SetOp{Kind: p.Kind, All: true, Node: logical.Node{At: p.At}}
	at := make(moved, len(p.Cols))
	for i, f := range p.Cols {
		if at[i] = -1; need[i] {
			at[i] = len(n.Cols)
			n.Cols = append(n.Cols, f)
		}
	}
	for _, q := range p.In {
		in, m := prune(q, need)
		n.In = append(n.In, selected(in, q.Schema(), m, need))
	}
	return n, at
}

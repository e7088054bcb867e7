package rules

import (
	"maps"
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// shareScans makes one scan of all that read the same table in a job: it
// reads the columns of all of them and the rows that any of them wants.
func shareScans(roots []logical.Plan) []logical.Plan {
	var groups []*sharedScan
	for _, p := range roots {
		visit(p, func(q logical.Plan) {
			if s, ok := q.(*logical.Scan); ok {
				groups = group(groups, s)
			}
		})
	}
	out := slices.Clone(roots)
	for _, g := range groups {
		if len(g.members) < 2 || g.allEqual() {
			continue
		}
		scan := g.merged()
		for i, p := range out {
			out[i], _ = simply(p, func(q logical.Plan) logical.Plan {
				if s, ok := q.(*logical.Scan); ok && slices.Contains(g.members, s) {
					return g.member(scan, s)
				}
				return q
			})
		}
	}
	return out
}

func visit(p logical.Plan, f func(logical.Plan)) {
	f(p)
	for _, q := range p.Inputs() {
		visit(q, f)
	}
}

// sharedScan are the scans of one table.
type sharedScan struct{ members []*logical.Scan }

func group(groups []*sharedScan, s *logical.Scan) []*sharedScan {
	for _, g := range groups {
		if sameTable(g.members[0].Table, s.Table) {
			g.members = append(g.members, s)
			return groups
		}
	}
	return append(groups, &sharedScan{[]*logical.Scan{s}})
}

// sameTable: also with the same options, which a hint may have changed.
func sameTable(a, b *catalog.Table) bool {
	return a == b || a.Path == b.Path && maps.Equal(a.Options, b.Options)
}

// allEqual: physical planning makes one node of equal scans by itself.
func (g *sharedScan) allEqual() bool {
	a := g.members[0]
	for _, b := range g.members[1:] {
		if !slices.EqualFunc(a.Columns, b.Columns, slices.Equal[[]int]) || !same(a.Filter, b.Filter) || !same(a.Watermark, b.Watermark) {
			return false
		}
	}
	return true
}

func same(a, b expr.Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	return expr.Equal(a, b)
}

// merged is the scan of all columns and rows of the members.
func (g *sharedScan) merged() *logical.Scan {
	n := *g.members[0]
	var paths [][]int
	for _, s := range g.members {
		for i := range s.Cols {
			paths = append(paths, path(s, i))
		}
	}
	paths = shortest(paths)
	n.Columns, n.Cols = paths, nil
	for _, p := range paths {
		n.Cols = append(n.Cols, fieldOf(tableFields(n.Table), p))
	}
	var any []expr.Expr
	all := true
	n.Filter, n.Watermark, n.Rowtime = nil, nil, nil
	for _, s := range g.members {
		cols := membersColumns(&n, s)
		if s.Filter == nil {
			all = false
		} else if x := expr.Substitute(s.Filter, cols); !slices.ContainsFunc(any, func(y expr.Expr) bool { return expr.Equal(x, y) }) {
			any = append(any, x)
		}
		if s.Rowtime != nil && (s.Watermark != nil || n.Rowtime == nil) {
			n.Watermark, n.Rowtime, n.RowtimeName = substitute(s.Watermark, cols), expr.Substitute(s.Rowtime, cols), s.RowtimeName
		}
	}
	switch {
	case !all:
	case len(any) == 1:
		n.Filter = any[0]
	default:
		n.Filter = &expr.Or{Terms: any}
	}
	if c, ok := n.Rowtime.(*expr.Column); ok {
		n.Cols[c.Index].Type = n.Cols[c.Index].Type.WithAttr(types.Rowtime)
	}
	return &n
}

// member is what one of the scans was, on top of the merged one.
func (g *sharedScan) member(scan, s *logical.Scan) logical.Plan {
	cols := membersColumns(scan, s)
	var in logical.Plan = scan
	if s.Filter != nil && (scan.Filter == nil || !expr.Equal(scan.Filter, expr.Substitute(s.Filter, cols))) {
		in = filtered(scan, []expr.Expr{expr.Substitute(s.Filter, cols)})
	}
	return &logical.Project{Node: logical.Node{Cols: s.Cols, At: s.At}, Input: in, Exprs: cols}
}

// membersColumns are the columns of s over the merged scan.
func membersColumns(scan, s *logical.Scan) []expr.Expr {
	cols := make([]expr.Expr, len(s.Cols))
	for i := range s.Cols {
		p := path(s, i)
		at := slices.IndexFunc(scan.Columns, func(k []int) bool { return hasPrefix(p, k) })
		var x expr.Expr = column(at, scan.Cols)
		for _, f := range p[len(scan.Columns[at]):] {
			x = expr.FieldAt(x, f)
		}
		cols[i] = x
	}
	return cols
}

// shortest are the paths of which none begins with another one, sorted.
func shortest(paths [][]int) [][]int {
	paths = slices.Clone(paths)
	slices.SortFunc(paths, slices.Compare[[]int])
	var kept [][]int
	for _, p := range paths {
		if k := len(kept); k == 0 || !hasPrefix(p, kept[k-1]) {
			kept = append(kept, p)
		}
	}
	return kept
}

// tableFields are the physical and metadata columns of a table.
func tableFields(t *catalog.Table) []types.Field {
	var fields []types.Field
	for _, c := range t.Columns {
		if c.Computed == nil {
			fields = append(fields, types.Field{Name: c.Name, Type: c.Type})
		}
	}
	return fields
}

func substitute(x expr.Expr, cols []expr.Expr) expr.Expr {
	if x == nil {
		return nil
	}
	return expr.Substitute(x, cols)
}

package rules

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pruneScan reads whole columns only.
func pruneScan(p *logical.Scan, need columns) (logical.Plan, moved) {
	need = need.clone(len(need))
	for _, x := range read(p) {
		need.add(expr.Columns(x)...)
	}
	if !anyOf(need) {
		need.add(cheapest(p.Cols))
	}
	at := make(moved, len(p.Cols))
	n := *p
	n.Columns, n.Cols = nil, nil
	for i, f := range p.Cols {
		if at[i] = -1; need[i] {
			at[i] = len(n.Cols)
			n.Cols = append(n.Cols, f)
			n.Columns = append(n.Columns, path(p, i))
		}
	}
	n.Filter, n.Watermark, n.Rowtime = at.expr(p.Filter), at.expr(p.Watermark), nil
	if p.Rowtime != nil && !slices.ContainsFunc(expr.Columns(p.Rowtime), func(c int) bool { return at[c] < 0 }) {
		n.Rowtime = at.expr(p.Rowtime)
	}
	return &n, at
}

// read are the expressions that a scan itself computes. An event time without
// a watermark is only known, not read.
func read(s *logical.Scan) []expr.Expr {
	var xs []expr.Expr
	if s.Filter != nil {
		xs = append(xs, s.Filter)
	}
	if s.Watermark != nil {
		xs = append(xs, s.Watermark, s.Rowtime)
	}
	return xs
}

// cheapest is the column to read where only the number of rows counts.
func cheapest(fields []types.Field) int {
	for i, f := range fields {
		if f.Type.IsNumeric() || f.Type.Kind == types.Boolean {
			return i
		}
	}
	return 0
}

// pruneFields narrows a scan below to the fields that exprs use; it returns
// nil if p is no scan (perhaps with a filter above), or no field is used on
// its own.
func pruneFields(p logical.Plan, exprs []expr.Expr) (logical.Plan, []expr.Expr) {
	var cond expr.Expr
	scan, ok := p.(*logical.Scan)
	f, isFilter := p.(*logical.Filter)
	if isFilter {
		cond = f.Cond
		scan, ok = f.Input.(*logical.Scan)
	}
	if !ok {
		return nil, nil
	}
	all := append(slices.Clone(exprs), read(scan)...)
	if cond != nil {
		all = append(all, cond)
	}
	paths := usedPaths(all)
	if !slices.ContainsFunc(paths, func(p []int) bool { return len(p) > 1 }) {
		return nil, nil
	}
	n := *scan
	n.Columns, n.Cols = nil, nil
	for _, used := range paths {
		n.Columns = append(n.Columns, append(slices.Clone(path(scan, used[0])), used[1:]...))
		n.Cols = append(n.Cols, fieldOf(scan.Cols, used))
	}
	narrow := func(x expr.Expr) expr.Expr { return narrowed(x, paths, n.Cols) }
	n.Filter, n.Watermark, n.Rowtime = narrow(scan.Filter), narrow(scan.Watermark), nil
	if scan.Rowtime != nil && covered(scan.Rowtime, paths) {
		n.Rowtime = narrow(scan.Rowtime)
	}
	out := mapExprs(exprs, narrow)
	if !isFilter {
		return &n, out
	}
	return &logical.Filter{Node: logical.Node{Cols: n.Cols, At: f.At}, Input: &n, Cond: narrow(cond)}, out
}

// pathOf is the column and fields that x names; nil if it is no such chain.
func pathOf(x expr.Expr) []int {
	switch x := x.(type) {
	case *expr.Column:
		return []int{x.Index}
	case *expr.Field:
		if p := pathOf(x.X); p != nil {
			return append(p, x.Index)
		}
	}
	return nil
}

// usedPaths are the shortest paths that cover what xs use, sorted.
func usedPaths(xs []expr.Expr) [][]int {
	var paths [][]int
	for _, x := range xs {
		expr.Walk(x, func(y expr.Expr) bool {
			p := pathOf(y)
			if p != nil {
				paths = append(paths, p)
			}
			return p == nil
		})
	}
	return shortest(paths)
}

func hasPrefix(path, prefix []int) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// fieldOf names and types what a path leads to; it is null where a row on the
// way is.
func fieldOf(fields []types.Field, path []int) types.Field {
	f := fields[path[0]]
	for _, i := range path[1:] {
		inner := f.Type.Fields[i]
		f = types.Field{Name: f.Name + "." + inner.Name, Type: inner.Type.Nullable(!inner.Type.NotNull || !f.Type.NotNull)}
	}
	return f
}

// narrowed replaces what paths lead to by the columns that hold it. No path
// is the beginning of another one.
func narrowed(x expr.Expr, paths [][]int, cols []types.Field) expr.Expr {
	if x == nil {
		return nil
	}
	made := map[expr.Expr]bool{}
	return expr.Rewrite(x, func(y expr.Expr) expr.Expr {
		if made[rootOf(y)] {
			return y
		}
		p := pathOf(y)
		i := slices.IndexFunc(paths, func(k []int) bool { return p != nil && slices.Equal(p, k) })
		if i < 0 {
			return y
		}
		c := column(i, cols)
		made[c] = true
		return c
	})
}

// covered tells whether all that x uses is read.
func covered(x expr.Expr, paths [][]int) bool {
	for _, p := range usedPaths([]expr.Expr{x}) {
		if !slices.ContainsFunc(paths, func(k []int) bool { return hasPrefix(p, k) }) {
			return false
		}
	}
	return true
}

// rootOf is what the fields of a chain are taken from.
func rootOf(x expr.Expr) expr.Expr {
	for {
		f, ok := x.(*expr.Field)
		if !ok {
			return x
		}
		x = f.X
	}
}

// path is where column i of a scan is in its table.
func path(s *logical.Scan, i int) []int {
	if s.Columns == nil {
		return []int{i}
	}
	return s.Columns[i]
}

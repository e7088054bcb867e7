package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// sortItem is an item of ORDER BY: an output column, or a hidden one.
type sortItem struct {
	col             int
	hidden          expr.Expr // nil: a selected column
	desc, nullsLast bool
}

func sortItemOf(o ast.OrderItem) sortItem {
	s := sortItem{desc: o.Desc, nullsLast: o.Desc}
	if o.Nulls != ast.NullsDefault {
		s.nullsLast = o.Nulls == ast.NullsLast
	}
	return s
}

// bindOrder resolves ORDER BY of a SELECT: positions, names of the SELECT
// list, or expressions over FROM.
func (s *selection) bindOrder() {
	s.clause = "ORDER BY"
	hidden := len(s.items)
	for _, o := range s.q.OrderBy {
		it := sortItemOf(o)
		if it.col, it.hidden = s.selected(o.X); it.hidden != nil {
			if s.q.Distinct {
				fail(perr.New(o.Pos, "ORDER BY of SELECT DISTINCT must be one of the selected expressions"))
			}
			it.col = hidden
			hidden++
		}
		s.order = append(s.order, it)
	}
}

// selected finds an item of ORDER BY among the output columns; one that is not
// selected is returned bound.
func (s *selection) selected(x ast.Expr) (col int, hidden expr.Expr) {
	names := make([]string, len(s.items))
	for i, it := range s.items {
		names[i] = it.name
	}
	if col, ok := outputColumn(x, names); ok {
		return col, nil
	}
	y := s.expr(x)
	for i, it := range s.items {
		if expr.Equal(it.x, y) {
			return i, nil
		}
	}
	return 0, y
}

// outputColumn finds a position or a name.
func outputColumn(x ast.Expr, names []string) (int, bool) {
	switch x := x.(type) {
	case *ast.NumberLit:
		n := number(x, "")
		if !n.T.IsInteger() || n.V.I < 1 || n.V.I > int64(len(names)) {
			failf(x.Pos, "ORDER BY position %s is not between 1 and %d", x.Text, len(names))
		}
		return int(n.V.I) - 1, true
	case *ast.Column:
		if len(x.Parts) > 1 {
			return 0, false
		}
		for i, n := range names {
			if n == x.Parts[0].Name {
				return i, true
			}
		}
	}
	return 0, false
}

// tail applies ORDER BY, LIMIT and OFFSET to a query that is no SELECT: only
// its output columns can be ordered by.
func (b *Binder) tail(p logical.Plan, t ast.Tail, s *scope) logical.Plan {
	if t.Empty() {
		return p
	}
	e := &env{b: b, s: &scope{rel: relate("", p), outer: s, ctes: s.ctes}, clause: "ORDER BY"}
	var names []string
	for _, f := range p.Schema() {
		names = append(names, f.Name)
	}
	var order []sortItem
	for _, o := range t.OrderBy {
		it := sortItemOf(o)
		col, ok := outputColumn(o.X, names)
		if !ok {
			c, isColumn := e.expr(o.X).(*expr.Column)
			if !isColumn {
				fail(perr.New(o.Pos, "ORDER BY of this query must be one of its columns").WithHint("put the query into FROM (…) and order by expressions there"))
			}
			col = c.Index
		}
		it.col = col
		order = append(order, it)
	}
	return b.sort(p, order, t, e)
}

// sort is ORDER BY, LIMIT and OFFSET over output columns.
func (b *Binder) sort(p logical.Plan, order []sortItem, t ast.Tail, e *env) logical.Plan {
	if t.Empty() {
		return p
	}
	n := &logical.Sort{Input: p, Limit: -1, Node: logical.Node{Cols: p.Schema(), At: p.Pos()}}
	for i, o := range order {
		if i == 0 {
			n.At = t.OrderBy[0].Pos
		}
		n.Keys = append(n.Keys, op.SortKey{Col: o.col, Desc: o.desc, NullsLast: o.nullsLast})
	}
	constants := &env{b: b, s: &scope{}, clause: "LIMIT"}
	if t.Limit != nil {
		n.Limit = constants.whole(t.Limit, "LIMIT")
	}
	if t.Offset != nil {
		n.Offset = constants.whole(t.Offset, "OFFSET")
	}
	return n
}

package parser

import (
	tast "github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/sqlstream/sqlstream/parser/ast"
)

func (n *norm) selectStmt(q *tast.SelectStmt) ast.Query {
	slot := n.selectSlotOf(q)
	tail := n.tailOf(q.OrderBy, q.Limit)
	items := q.Fields.Fields[1:]
	if slot.ctes != nil {
		return n.addTail(n.withOf(slot, items), tail)
	}
	if slot.values {
		v := &ast.Values{Pos: slot.pos, Tail: tail}
		for _, f := range items {
			v.Rows = append(v.Rows, n.convert(f.Expr).(*ast.Row))
		}
		return v
	}
	s := &ast.Select{Pos: slot.pos, Distinct: slot.distinct, Hints: slot.hints, Tail: tail}
	for _, f := range items {
		s.Items = append(s.Items, n.itemOf(f))
	}
	if q.From != nil {
		s.From = n.convertTable(q.From.TableRefs)
	}
	if q.Where != nil {
		s.Where = n.convert(q.Where)
	}
	if q.GroupBy != nil {
		s.GroupBy = n.byItems(q.GroupBy.Items)
	}
	if q.Having != nil {
		n.having(s, slot, q.Having.Expr)
	}
	for i := range q.WindowSpecs {
		s.Windows = append(s.Windows, n.windowOf(&q.WindowSpecs[i]))
	}
	return s
}

// withOf makes WITH of the queries that are the items.
func (n *norm) withOf(slot *selectSlot, items []*tast.SelectField) ast.Query {
	w := &ast.With{Pos: slot.pos, CTEs: slot.ctes}
	for i := range w.CTEs {
		w.CTEs[i].Query = n.convert(items[i].Expr).(*ast.Subquery).Query
	}
	w.Body = n.convert(items[len(w.CTEs)].Expr).(*ast.Subquery).Query
	return w
}

func (n *norm) itemOf(f *tast.SelectField) ast.SelectItem {
	x := n.convert(f.Expr)
	item := ast.SelectItem{Pos: x.Position(), X: x}
	if f.AsName.O != "" {
		item.Alias = n.slotOf(f.AsName.O).what.(*ast.Ident)
	}
	return item
}

func (n *norm) byItems(items []*tast.ByItem) []ast.Expr {
	xs := make([]ast.Expr, len(items))
	for i, it := range items {
		xs[i] = n.convert(it.Expr)
	}
	return xs
}

// having takes HAVING and QUALIFY apart.
func (n *norm) having(s *ast.Select, slot *selectSlot, x tast.ExprNode) {
	if !slot.qualify {
		s.Having = n.convert(x)
		return
	}
	args := x.(*tast.FuncCallExpr).Args
	if slot.having {
		s.Having = n.convert(args[0])
	}
	s.Qualify = n.convert(args[len(args)-1])
}

func (n *norm) windowOf(w *tast.WindowSpec) ast.NamedWindow {
	named := *n.slotOf(w.Name.O).what.(*ast.NamedWindow)
	n.fillSpec(named.Spec, w)
	return named
}

// fillSpec gives spec the parts that TiDB found.
func (n *norm) fillSpec(spec *ast.WindowSpec, w *tast.WindowSpec) {
	if w.PartitionBy != nil {
		spec.PartitionBy = n.byItems(w.PartitionBy.Items)
	}
	if w.OrderBy != nil {
		spec.OrderBy = n.orderItemsOf(w.OrderBy)
	}
	if w.Frame != nil {
		spec.Frame.Rows = w.Frame.Type == tast.Rows
		n.fillBound(&spec.Frame.Start, &w.Frame.Extent.Start)
		n.fillBound(&spec.Frame.End, &w.Frame.Extent.End)
	}
}

func (n *norm) fillBound(b *ast.Bound, f *tast.FrameBound) {
	switch {
	case f.Type == tast.CurrentRow:
		b.Kind = ast.CurrentRow
	case f.Type == tast.Preceding && f.UnBounded:
		b.Kind = ast.UnboundedPreceding
	case f.Type == tast.Following && f.UnBounded:
		b.Kind = ast.UnboundedFollowing
	case f.Type == tast.Preceding:
		b.Kind, b.X = ast.Preceding, n.convert(f.Expr)
	default:
		b.Kind, b.X = ast.Following, n.convert(f.Expr)
	}
}

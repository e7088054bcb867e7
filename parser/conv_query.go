package parser

import (
	"fmt"
	"strconv"

	tast "github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// slotOf is the slot with the number that s spells.
func (n *norm) slotOf(s string) *slot {
	num, err := strconv.Atoi(s)
	if err != nil || num < 0 || num >= len(n.slots) {
		panic(fmt.Sprintf("parser: %q is no slot", s))
	}
	return &n.slots[num]
}

// convertQuery turns TiDB's tree into ours, slots resolved.
func (n *norm) convertQuery(q tast.Node) ast.Query {
	switch q := q.(type) {
	case *tast.SelectStmt:
		return n.selectStmt(q)
	case *tast.SetOprStmt:
		return n.addTail(n.setOps(q.SelectList), n.tailOf(q.OrderBy, q.Limit))
	case *tast.SetOprSelectList:
		return n.addTail(n.setOps(q), n.tailOf(q.OrderBy, q.Limit))
	default:
		panic(fmt.Sprintf("parser: unexpected query %T", q))
	}
}

// convertQueryItem gives the only item of a SELECT around an expression.
func (n *norm) convertQueryItem(q tast.Node) ast.Expr {
	return n.convert(q.(*tast.SelectStmt).Fields.Fields[0].Expr)
}

func (n *norm) tailOf(order *tast.OrderByClause, limit *tast.Limit) ast.Tail {
	var t ast.Tail
	if order != nil {
		t.OrderBy = n.orderItemsOf(order)
	}
	if limit != nil {
		t.Limit, t.Offset = n.countOf(limit.Count), n.countOf(limit.Offset)
	}
	return t
}

// countOf is the number of rows that x stands for; nil for slot 0.
func (n *norm) countOf(x tast.ExprNode) ast.Expr {
	if x == nil {
		return nil
	}
	return n.convert(x)
}

func (n *norm) orderItemsOf(order *tast.OrderByClause) []ast.OrderItem {
	items := make([]ast.OrderItem, len(order.Items))
	for i, it := range order.Items {
		items[i] = n.convert(it.Expr).(orderItem).item
	}
	return items
}

// addTail puts ORDER BY and LIMIT onto q, around it if it already has its own.
func (n *norm) addTail(q ast.Query, t ast.Tail) ast.Query {
	if t.Empty() {
		return q
	}
	if own := tailField(q); own != nil && own.Empty() {
		*own = t
		return q
	}
	return &ast.Paren{Pos: q.Position(), Query: q, Tail: t}
}

func tailField(q ast.Query) *ast.Tail {
	switch q := q.(type) {
	case *ast.Select:
		return &q.Tail
	case *ast.SetOp:
		return &q.Tail
	case *ast.Values:
		return &q.Tail
	case *ast.Paren:
		return &q.Tail
	}
	return nil
}

// setOps builds the tree of TiDB's flat list; INTERSECT binds tighter than UNION and EXCEPT.
func (n *norm) setOps(list *tast.SetOprSelectList) ast.Query {
	result, pending := ast.Query(nil), (*ast.SetOp)(nil)
	term := n.convertQuery(list.Selects[0])
	for _, s := range list.Selects[1:] {
		kind, all := setOpOf(s)
		op := &ast.SetOp{Pos: n.setOpPos(s), Op: kind, All: all}
		right := n.convertQuery(s)
		if kind == ast.Intersect {
			op.L, op.R = term, right
			term = op
			continue
		}
		result = closeOp(result, pending, term)
		pending, term = op, right
	}
	return closeOp(result, pending, term)
}

// closeOp finishes the pending operator, whose left side is result, with term on its right.
func closeOp(result ast.Query, pending *ast.SetOp, term ast.Query) ast.Query {
	if pending == nil {
		return term
	}
	pending.L, pending.R = result, term
	return pending
}

func setOpOf(s tast.Node) (ast.SetOpKind, bool) {
	var op *tast.SetOprType
	switch s := s.(type) {
	case *tast.SelectStmt:
		op = s.AfterSetOperator
	case *tast.SetOprSelectList:
		op = s.AfterSetOperator
	}
	switch *op {
	case tast.Union:
		return ast.Union, false
	case tast.UnionAll:
		return ast.Union, true
	case tast.Except:
		return ast.Except, false
	case tast.ExceptAll:
		return ast.Except, true
	case tast.Intersect:
		return ast.Intersect, false
	default:
		return ast.Intersect, true
	}
}

// setOpPos is the place of the operator before s: its first SELECT keeps it.
func (n *norm) setOpPos(s tast.Node) ast.Pos {
	for {
		switch q := s.(type) {
		case *tast.SetOprSelectList:
			s = q.Selects[0]
		case *tast.SelectStmt:
			sel := n.selectSlotOf(q)
			if sel.setOp != nil {
				return *sel.setOp
			}
			return sel.pos
		default:
			return ast.Pos{}
		}
	}
}

// selectSlotOf is the slot that is the first item of q.
func (n *norm) selectSlotOf(q *tast.SelectStmt) *selectSlot {
	return n.slotOf(q.Fields.Fields[0].Expr.(*tast.ColumnNameExpr).Name.Name.O).what.(*selectSlot)
}

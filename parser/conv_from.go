package parser

import (
	"fmt"

	tast "github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// convertTable turns TiDB's tree of joins into ours.
func (n *norm) convertTable(t tast.ResultSetNode) ast.TableExpr {
	switch t := t.(type) {
	case *tast.Join:
		if t.Right == nil {
			return n.convertTable(t.Left)
		}
		return n.joinOf(t)
	case *tast.TableSource:
		if join, ok := t.Source.(*tast.Join); ok {
			return n.convertTable(join)
		}
		return n.tableOf(t)
	default:
		panic(fmt.Sprintf("parser: unexpected table %T", t))
	}
}

func (n *norm) joinOf(t *tast.Join) ast.TableExpr {
	slot := n.firstTable(t.Right).join
	j := &ast.Join{Pos: slot.pos, Kind: slot.kind, Comma: slot.comma, Natural: slot.natural, Using: slot.using}
	j.L, j.R = n.convertTable(t.Left), n.convertTable(t.Right)
	if slot.on {
		j.On = n.convert(t.On.Expr)
	}
	return j
}

// firstTable is the slot of the leftmost table of t: it holds the join in front.
func (n *norm) firstTable(t tast.ResultSetNode) *tableSlot {
	for {
		switch s := t.(type) {
		case *tast.Join:
			t = s.Left
		case *tast.TableSource:
			if join, ok := s.Source.(*tast.Join); ok {
				t = join
				continue
			}
			return n.tableSlotOf(s)
		default:
			panic(fmt.Sprintf("parser: unexpected table %T", t))
		}
	}
}

func (n *norm) tableSlotOf(t *tast.TableSource) *tableSlot {
	if name, ok := t.Source.(*tast.TableName); ok {
		return n.slotOf(name.Name.O).what.(*tableSlot)
	}
	return n.slotOf(t.AsName.O).what.(*tableSlot)
}

func (n *norm) tableOf(t *tast.TableSource) ast.TableExpr {
	slot := n.tableSlotOf(t)
	switch {
	case slot.build != nil:
		return slot.build(n.itemsOf(t.Source))
	case slot.derived != nil:
		slot.derived.Query = n.convertQuery(t.Source)
		return slot.derived
	default:
		return slot.ref
	}
}

// itemsOf are the items of a sub-query that stands for a table function.
func (n *norm) itemsOf(q tast.ResultSetNode) []ast.Expr {
	fields := q.(*tast.SelectStmt).Fields.Fields
	xs := make([]ast.Expr, len(fields))
	for i, f := range fields {
		xs[i] = n.convert(f.Expr)
	}
	return xs
}

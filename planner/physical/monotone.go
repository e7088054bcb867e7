package physical

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
)

// fastKey is the unique key by which a Top-N follows the updates of in
// without their -U: rows are never deleted, stay in their partition, and only
// ever move up in the order. nil: the Top-N needs what was.
func fastKey(in *Node, partition []int, order []op.SortKey) []int {
	if in.Changes != Insert|Update || len(order) == 0 {
		return nil
	}
	for _, k := range order {
		if m := in.motion(k.Col); m != still && m != rising && k.Desc || m != still && m != falling && !k.Desc {
			return nil
		}
	}
	for _, k := range in.Keys {
		if containsAll(k, partition) {
			return k
		}
	}
	return nil
}

// motion is how a column of a row changes by its updates.
type motion uint8

const (
	anyhow motion = iota
	still
	rising
	falling
)

func (n *Node) motion(col int) motion {
	switch o := n.Op.(type) {
	case *Calc:
		if c, ok := o.Exprs[col].(*expr.Column); ok {
			return n.in(0).motion(c.Index)
		}
	case *GroupAggregate:
		if col < len(o.Keys) {
			return still
		}
		if a := o.Aggs[col-len(o.Keys)]; n.in(0).appendOnly() {
			return motions[a.Name]
		}
	default:
		if slices.ContainsFunc(n.Keys, func(k []int) bool { return slices.Contains(k, col) }) && n.appendOnly() {
			return still
		}
	}
	return anyhow
}

// motions are those of aggregates over inserts.
var motions = map[string]motion{"COUNT": rising, "MAX": rising, "MIN": falling}

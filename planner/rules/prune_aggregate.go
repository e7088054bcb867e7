package rules

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pruneAggregate keeps all keys, and those aggregates and window properties
// that are used; one at least where there would be no column left.
func pruneAggregate(p *logical.Aggregate, need columns) (logical.Plan, moved) {
	need = need.clone(len(need))
	if len(p.Keys) == 0 && !anyOf(need) && len(need) > 0 {
		need.add(0)
	}
	below := make(columns, len(p.Input.Schema()))
	below.add(p.Keys...)
	if w := p.GroupWindow; w != nil {
		below.add(w.Partition...)
		if w.Time >= 0 {
			below.add(w.Time)
		}
	}
	for i, a := range p.Aggs {
		if need[len(p.Keys)+i] {
			below.add(a.Args...)
			if a.Filter >= 0 {
				below.add(a.Filter)
			}
		}
	}
	in, m := prune(p.Input, below)
	n := &logical.Aggregate{Node: logical.Node{At: p.At, Cols: append([]types.Field(nil), p.Cols[:len(p.Keys)]...)}, Input: in, Keys: m.all(p.Keys)}
	at := stay(len(p.Keys))
	if p.GroupWindow != nil {
		w := m.window(*p.GroupWindow)
		n.GroupWindow = &w
	}
	for i, a := range p.Aggs {
		c := len(p.Keys) + i
		if !need[c] {
			at = at.behind(-1)
			continue
		}
		a.Args = m.all(a.Args)
		if a.Filter >= 0 {
			a.Filter = m[a.Filter]
		}
		at = at.behind(len(n.Cols))
		n.Aggs, n.Cols = append(n.Aggs, a), append(n.Cols, p.Cols[c])
	}
	for i, w := range p.Properties {
		c := len(p.Keys) + len(p.Aggs) + i
		if !need[c] {
			at = at.behind(-1)
			continue
		}
		at = at.behind(len(n.Cols))
		n.Properties, n.Cols = append(n.Properties, w), append(n.Cols, p.Cols[c])
	}
	return n, at
}

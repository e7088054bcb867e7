package physical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
)

// finish orders the nodes, decides which edges carry -U, tells the operators
// so, and names the job.
func (l *lowerer) finish(p *Plan) error {
	p.Hash = jobHash(p.Roots)
	p.order()
	p.needBefore()
	l.dropBefore(p)
	p.order()
	p.needEachRow()
	p.setBefore()
	p.upsertsBeforeSinks()
	p.dropWatermarks()
	return nil
}

// upsertsBeforeSinks gives no -U to sinks that take upserts. Where each -U is
// followed by its +U (the query is shared with consumers that need -U) it is
// dropped; else the operator UpsertChanges makes deletions of those that
// stand alone.
func (p *Plan) upsertsBeforeSinks() {
	made := map[string]*Node{}
	for _, n := range p.Roots {
		in := n.Inputs[0].Node
		s, ok := n.Op.(*Sink)
		if !ok || s.Sink.Accepts() != connectors.Upsert || !in.Before {
			continue
		}
		drop := withoutBefore(in)
		if n.wantsBefore(0) || !in.everyUpdate() {
			drop.Op, drop.UID = &UpsertChanges{op.UpsertChangesSpec{Key: s.Key}}, digest(fmt.Sprint("UpsertChanges", s.Key, "<", in.UID))
			drop.Changes |= Delete
		}
		if made[drop.UID] == nil {
			made[drop.UID] = drop
		}
		drop = made[drop.UID]
		n.Inputs[0].Node, n.Changes, n.Before = drop, drop.Changes, false
	}
	p.order()
}

// everyUpdate tells whether each -U is followed by its +U: no filter stands
// between here and the operator that updates.
func (n *Node) everyUpdate() bool {
	switch o := n.Op.(type) {
	case *Calc:
		return (o.Filter == nil || n.in(0).keyOnly(o.Filter)) && n.in(0).everyUpdate()
	case *Scan:
		return o.Filter == nil || n.keyOnly(o.Filter)
	case *Union, *NotNull:
		for _, in := range n.Inputs {
			if !in.Node.everyUpdate() {
				return false
			}
		}
	}
	return true
}

func withoutBefore(n *Node) *Node {
	return &Node{Op: &DropUpdateBefore{}, At: n.At, Inputs: forward(n), Output: n.Output, Parallelism: n.Parallelism,
		Changes: n.Changes, Keys: n.Keys, UID: digest("DropUpdateBefore<" + n.UID), rowtime: n.rowtime}
}

// order lists the nodes that the roots use, inputs first.
func (p *Plan) order() {
	p.Nodes = nil
	done := map[*Node]bool{}
	var visit func(*Node)
	visit = func(n *Node) {
		if done[n] {
			return
		}
		done[n] = true
		for _, in := range n.Inputs {
			visit(in.Node)
		}
		n.ID = len(p.Nodes)
		p.Nodes = append(p.Nodes, n)
	}
	for _, r := range p.Roots {
		visit(r)
	}
}

// needBefore marks the nodes of which a consumer needs -U, consumers first.
func (p *Plan) needBefore() {
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := p.Nodes[i]
		for j, in := range n.Inputs {
			if in.Node.Changes.Has(Update) && n.wantsBefore(j) {
				in.Node.needsBefore = true
			}
		}
	}
}

// needEachRow marks the nodes that make the versions of a temporal join: of
// two versions in one batch rows may need the first one.
func (p *Plan) needEachRow() {
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := p.Nodes[i]
		_, join := n.Op.(*TemporalJoin)
		for _, in := range n.Inputs {
			if n.EachRow || join && in.Port == 1 {
				in.Node.EachRow = true
			}
		}
	}
}

// wantsBefore tells whether n needs the -U of input i.
func (n *Node) wantsBefore(i int) bool {
	in := n.in(i)
	switch o := n.Op.(type) {
	case *Sink:
		return o.Sink.Accepts() != connectors.Upsert || !in.exactKey(o.Key)
	case *Calc:
		// An update whose new row does not pass would leave its old row behind.
		return n.needsBefore || o.Filter != nil && !in.keyOnly(o.Filter)
	case *Union, *Expand, *Unnest, *WindowTableFunction, *NotNull, *Replicate:
		return n.needsBefore
	case *Rank:
		return o.UpsertKey == nil
	case *TemporalJoin:
		// A version ends where the next one begins.
		return i == 0 && n.needsBefore
	case *ChangelogNormalize, *DropUpdateBefore, *UpsertChanges:
		return false
	}
	return true
}

// exactKey tells whether the columns are a unique key, not more.
func (n *Node) exactKey(cols []int) bool {
	for _, k := range n.Keys {
		if containsAll(cols, k) && containsAll(k, cols) {
			return true
		}
	}
	return false
}

// keyOnly tells whether x depends on one unique key only, so that it gives
// the same for the old and the new row of an update.
func (n *Node) keyOnly(x expr.Expr) bool {
	for _, k := range n.Keys {
		if containsAll(k, expr.Columns(x)) {
			return true
		}
	}
	return false
}

// dropBefore removes -U right above the sources whose -U nobody needs.
func (l *lowerer) dropBefore(p *Plan) {
	dropped := map[*Node]*Node{}
	for _, n := range p.Nodes {
		s, ok := n.Op.(*Scan)
		if !ok || s.Source.Changelog() != connectors.Retract || n.needsBefore || !n.everyUpdate() {
			continue
		}
		dropped[n] = withoutBefore(n)
	}
	for _, n := range p.Nodes {
		for i, in := range n.Inputs {
			if d := dropped[in.Node]; d != nil {
				n.Inputs[i].Node = d
			}
		}
	}
}

// setBefore says of each node whether its updates come with -U, and fills in
// what the operators must know of their inputs and consumers.
func (p *Plan) setBefore() {
	for _, n := range p.Nodes {
		n.Before = n.Changes.Has(Update) && n.emitsBefore()
		switch o := n.Op.(type) {
		case *GroupAggregate:
			o.InputRetract, o.EmitBefore = n.in(0).retracts(), n.Before
		case *WindowAggregate:
			o.InputRetract = n.in(0).retracts()
		case *Join:
			o.LeftRetract, o.RightRetract, o.EmitBefore = n.in(0).retracts(), n.in(1).retracts(), n.Before
		case *Rank:
			o.InputRetract, o.EmitBefore = n.in(0).retracts(), n.Before
			if o.InputRetract { // another consumer of the input needs -U
				o.UpsertKey = nil
			}
		case *Deduplicate:
			o.EmitBefore = n.Before
		case *ChangelogNormalize:
			o.EmitBefore = n.Before
		case *OverAggregate:
			o.InputRetract, o.EmitBefore = n.in(0).retracts(), n.Before
		}
	}
}

// emitsBefore: operators without state pass on what comes; the others make
// -U where it is needed.
func (n *Node) emitsBefore() bool {
	switch o := n.Op.(type) {
	case *Scan:
		return o.Source.Changelog() == connectors.Retract
	case *DropUpdateBefore, *UpsertChanges:
		return false
	case *Calc, *Union, *Expand, *Unnest, *WindowTableFunction, *NotNull, *Replicate, *Sink, *Collect, *TemporalJoin:
		for _, in := range n.Inputs {
			if in.Node.Before {
				return true
			}
		}
		return false
	}
	return n.needsBefore
}

// dropWatermarks lets scans make watermarks only where an operator above
// needs them. What is left of an event time is its check for nulls.
func (p *Plan) dropWatermarks() {
	needed := map[*Node]bool{}
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := p.Nodes[i]
		need := needed[n] || n.usesWatermark()
		if s, ok := n.Op.(*Scan); ok && !need {
			s.Watermark = nil
		}
		for _, in := range n.Inputs {
			needed[in.Node] = needed[in.Node] || need
		}
	}
}

// usesWatermark tells whether the operator does something when event time
// advances, or reads it.
func (n *Node) usesWatermark() bool {
	switch o := n.Op.(type) {
	case *WindowAggregate:
		return o.Window == nil || !o.Window.Proctime
	case *IntervalJoin:
		return !o.Proctime
	case *TemporalJoin:
		return !o.Proctime
	case *WindowJoin, *WindowRank, *TemporalSort:
		return true
	case *Deduplicate:
		return !o.Proctime && !o.KeepLast
	case *OverAggregate:
		return o.Time >= 0
	case *Calc:
		return readsWatermark(o.Filter) || readsAnyWatermark(o.Exprs)
	}
	return false
}

func readsAnyWatermark(xs []expr.Expr) bool {
	for _, x := range xs {
		if readsWatermark(x) {
			return true
		}
	}
	return false
}

func readsWatermark(x expr.Expr) bool {
	found := false
	if x != nil {
		expr.Walk(x, func(y expr.Expr) bool {
			c, ok := y.(*expr.Call)
			found = found || ok && c.Fn.Name == "CURRENT_WATERMARK"
			return !found
		})
	}
	return found
}

// Folds tells whether the operator folds several rows of a key into one
// change; in row mode the runtime hands it one row at a time.
func (n *Node) Folds() bool {
	switch n.Op.(type) {
	case *GroupAggregate, *Join, *Rank, *Deduplicate, *ChangelogNormalize, *OverAggregate, *TemporalJoin:
		return true
	}
	return false
}

package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// emit sends how the partitions of the batch changed.
func (o *TopN) emit(out exec.Output) error {
	o.out.Reset()
	for i := range o.parts {
		p := &o.parts[i]
		switch {
		case o.byRank:
			o.view = o.viewOf(p.slot, o.view[:0])
			o.ranks(p.old, o.view)
		case o.all:
			o.view = o.viewOf(p.slot, o.view[:0])
			o.difference(p)
			o.leftAndEntered(p)
		default:
			o.leftAndEntered(p)
		}
		if o.out.N >= vec.MaxRows {
			if err := out.Emit(o.out); err != nil {
				return err
			}
			o.out.Reset()
		}
	}
	if o.out.N == 0 {
		return nil
	}
	return out.Emit(o.out)
}

// ranks compares two views rank by rank.
func (o *TopN) ranks(before, after []int32) {
	for i := range max(len(before), len(after)) {
		rank := o.spec.From + int64(i)
		switch {
		case i >= len(before):
			o.row(vec.Insert, after[i], rank)
		case i >= len(after):
			o.row(vec.Delete, before[i], rank)
		case before[i] != after[i]:
			o.update(before[i], after[i], rank)
		}
	}
}

func (o *TopN) update(before, after int32, rank int64) {
	if o.spec.EmitBefore {
		o.row(vec.UpdateBefore, before, rank)
	}
	o.row(vec.UpdateAfter, after, rank)
}

// difference sets which rows left the view and which came. Rows keep their
// order, so those that stay are found in one pass.
func (o *TopN) difference(p *topnPart) {
	stay := 0
	skip := func() {
		for stay < len(p.old) && p.old[stay] < 0 {
			p.left = append(p.left, p.old[stay])
			stay++
		}
	}
	for _, at := range o.view {
		if skip(); stay < len(p.old) && p.old[stay] == at {
			stay++
		} else {
			p.entered = append(p.entered, at)
		}
	}
	p.left = append(p.left, p.old[stay:]...)
}

// leftAndEntered emits the rows that left, then those that came; of an
// upsert key that stays, one update.
func (o *TopN) leftAndEntered(p *topnPart) {
	if o.upsert != nil {
		o.updates(p)
	}
	for _, at := range p.left {
		o.row(vec.Delete, at, 0)
	}
	for _, at := range p.entered {
		o.row(vec.Insert, at, 0)
	}
}

// updates emits pairs of rows with one upsert key.
func (o *TopN) updates(p *topnPart) {
	left := p.left[:0]
	for _, at := range p.left {
		i := -1
		for j, e := range p.entered {
			if at < 0 && o.sameUpsertKey(^at, e) {
				i = j
			}
		}
		if i < 0 {
			left = append(left, at)
			continue
		}
		o.update(at, p.entered[i], 0)
		p.entered = append(p.entered[:i], p.entered[i+1:]...)
	}
	p.left = left
}

func (o *TopN) sameUpsertKey(gone, at int32) bool {
	for _, k := range o.spec.UpsertKey {
		if !o.cols[k].Equal(at, o.gone.Cols[k], int(gone)) {
			return false
		}
	}
	return true
}

// row appends a stored row, or one that was removed, to the output.
func (o *TopN) row(op vec.Op, at int32, rank int64) {
	n := len(o.cols)
	if at >= 0 {
		for i, c := range o.cols {
			c.Append(o.out.Cols[i], at)
		}
	} else {
		for i := range n {
			o.out.Cols[i].AppendFrom(o.gone.Cols[i], int(^at))
		}
	}
	if o.spec.OutputRank {
		o.out.Cols[n].I64 = append(o.out.Cols[n].I64, rank)
	}
	o.out.Ops = append(o.out.Ops, op)
	o.out.N++
}

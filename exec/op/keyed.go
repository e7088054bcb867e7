package op

import (
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// keyed finds the rows of a table by key columns of batches.
type keyed struct {
	cols  []int // key columns of the batch
	table *state.Table
	probe state.Probe
	keys  store.Keys
	vs    []*vec.Vector
	hash  []uint64
	// own: the table's key is not the exchange key, so that it needs a hash of
	// its own beside Batch.Hash.
	own bool
}

// layoutOf is a layout with the key columns of fields.
func layoutOf(name string, fields []types.Field, key []int) state.Layout {
	l := state.Layout{Name: name, Version: 1}
	for _, k := range key {
		l.Keys = append(l.Keys, store.Class(fields[k].Type))
	}
	return l
}

// find looks the keys of the given rows up; with insert it makes the rows
// that are not there. Results are in probe.Slots and probe.New.
func (k *keyed) find(b *vec.Batch, rows []int32, insert bool) {
	k.vs = k.vs[:0]
	for _, c := range k.cols {
		k.vs = append(k.vs, b.Cols[c])
	}
	p := &k.probe
	p.Groups, p.Hashes = b.Hash, b.Hash
	if b.Hash == nil || k.own {
		k.hash = vec.HashRows(k.vs, rows, b.N, k.hash)
		p.Hashes = k.hash
		if b.Hash == nil && len(k.cols) > 0 {
			p.Groups = k.hash
		}
	}
	p.Keys, p.Rows, p.N = k.keys.Of(k.vs, rows), rows, len(rows)
	if insert {
		k.table.FindOrInsert(p)
	} else {
		k.table.Find(p)
	}
}

// distinct collects each slot of a batch once, in the order of their first
// rows.
type distinct struct {
	slots []int32
	mark  []uint32 // by slot: the round it was seen in
	round uint32
}

func (d *distinct) begin() {
	d.slots = d.slots[:0]
	if d.round++; d.round == 0 {
		clear(d.mark)
		d.round = 1
	}
}

// add is true for the first time that a slot comes.
func (d *distinct) add(slot int32) bool {
	for int(slot) >= len(d.mark) {
		d.mark = append(d.mark, make([]uint32, len(d.mark)+1024)...)
	}
	if d.mark[slot] == d.round {
		return false
	}
	d.mark[slot] = d.round
	d.slots = append(d.slots, slot)
	return true
}

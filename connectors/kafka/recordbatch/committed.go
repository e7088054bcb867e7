package recordbatch

import (
	"encoding/binary"
	"slices"
)

// Aborted is a transaction of a fetch response that was aborted: batches of
// the producer from FirstOffset on, up to its abort marker.
type Aborted struct {
	ProducerID  int64
	FirstOffset int64
}

// Filter leaves aborted transactions and transaction markers out of the
// batches of one fetch response, as a read_committed consumer must. Batches
// are offered in order.
type Filter struct {
	pending []Aborted      // by FirstOffset
	active  map[int64]bool // producers in an aborted transaction
}

// NewFilter takes the aborted transactions that the response lists.
func NewFilter(aborted []Aborted) *Filter {
	slices.SortFunc(aborted, func(a, b Aborted) int {
		switch {
		case a.FirstOffset < b.FirstOffset:
			return -1
		case a.FirstOffset > b.FirstOffset:
			return 1
		}
		return 0
	})
	return &Filter{pending: aborted, active: map[int64]bool{}}
}

// Keep tells whether the records of the batch are to be delivered.
func (f *Filter) Keep(b *Batch) bool {
	for len(f.pending) > 0 && f.pending[0].FirstOffset <= b.LastOffset {
		f.active[f.pending[0].ProducerID] = true
		f.pending = f.pending[1:]
	}
	if b.Control() {
		if b.aborts() {
			delete(f.active, b.ProducerID)
		}
		return false
	}
	return !b.Transactional() || !f.active[b.ProducerID]
}

// aborts reads the one record of a control batch: its key is a version and
// the kind of the marker, 0 for abort.
func (b *Batch) aborts() bool {
	c := cursor{data: b.body}
	c.varint() // length
	c.pos++    // attributes
	c.varint() // timestamp
	c.varint() // offset
	key, null := c.span()
	if c.bad || null || key.Len < 4 {
		return false
	}
	return binary.BigEndian.Uint16(b.body[key.Off+2:]) == 0
}

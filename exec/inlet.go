package exec

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// inlet is one port of a stage. It lends each batch a header that the
// operator may change, and in row mode splits it.
type inlet struct {
	stage *stage
	port  int
	split bool // one selected row at a time
	keys  hasher
	one   compactor

	head vec.Batch
	cols []*vec.Vector
}

func (in *inlet) rows(b *vec.Batch) error {
	h := in.lend(b)
	if in.keys.on {
		h.Hash = in.keys.hash(h)
	}
	if !in.split {
		return in.give(h)
	}
	whole := *h
	whole.Cols = b.Cols
	rows := h.Rows()
	for i := range rows {
		if err := in.give(in.lend(in.one.take(&whole, rows[i:i+1:i+1]))); err != nil {
			return err
		}
	}
	return nil
}

// give calls the operator. Test builds give it a copy, which they overwrite
// afterwards: who keeps borrowed memory is found out.
func (in *inlet) give(h *vec.Batch) error {
	if !invariants {
		return in.stage.process(in.port, h)
	}
	c := h.Clone()
	err := in.stage.process(in.port, c)
	c.Poison()
	return err
}

func (in *inlet) lend(b *vec.Batch) *vec.Batch {
	in.cols = append(in.cols[:0], b.Cols...)
	in.head = *b
	in.head.Cols = in.cols
	return &in.head
}

func (in *inlet) watermark(t types.Time) error { return in.stage.advance(in.port, t) }

// hasher computes the hash of an exchange key.
type hasher struct {
	on   bool
	key  []int
	cols []*vec.Vector
	out  []uint64
}

func newHasher(e Edge) hasher { return hasher{on: e.Exchange == Hash, key: e.Key} }

// hash returns the hashes by physical row; valid until the next call.
func (h *hasher) hash(b *vec.Batch) []uint64 {
	h.cols = h.cols[:0]
	for _, k := range h.key {
		h.cols = append(h.cols, b.Cols[k])
	}
	h.out = vec.HashRows(h.cols, b.Rows(), b.N, h.out)
	return h.out
}

// compactor selects a few rows of a batch. Few of many are copied: operators
// may work on whole columns, which would be quadratic.
type compactor struct {
	types []types.Type
	head  vec.Batch
	copy  *vec.Batch
}

// take returns a batch with the given rows of b; valid until the next call.
func (c *compactor) take(b *vec.Batch, rows []int32) *vec.Batch {
	if len(rows)*8 >= b.N {
		c.head = *b
		c.head.Sel = rows
		return &c.head
	}
	if c.copy == nil {
		c.copy = vec.NewBatch(c.types...)
	}
	c.copy.Reset()
	c.copy.AppendRows(b, rows)
	return c.copy
}

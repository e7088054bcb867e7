package vec

import "github.com/sqlstream/sqlstream/exec/types"

// Op is the kind of change a row is. Bit 0 says that the row retracts.
type Op uint8

const (
	Insert       Op = 0 // +I
	UpdateBefore Op = 1 // -U
	UpdateAfter  Op = 2 // +U
	Delete       Op = 3 // -D
)

// Retracts tells whether the row takes an earlier one back.
func (o Op) Retracts() bool { return o&1 != 0 }

func (o Op) String() string { return [...]string{"+I", "-U", "+U", "-D"}[o] }

// Sizes of the batches that sources make, in rows.
const (
	MinRows = 1024
	MaxRows = 8192
)

// Batch is a set of rows in order. All columns have N physical rows; Ops and
// Hash, where present, too, also where Sel is set.
//
// A batch is borrowed: it is valid until the Process it was given to returns,
// and whoever wants to keep rows copies them. The receiver may set Sel, Ops
// and N and replace entries of Cols; it never writes into a Vector, or into
// the memory of Ops, Sel or Hash, that it did not make, for a fan-out hands
// the same memory to several receivers, each with a header and a Cols slice
// of its own.
type Batch struct {
	Cols []*Vector
	Ops  []Op     // nil: all rows are inserts
	Sel  []int32  // selected rows, ascending; nil: all
	N    int      // physical rows
	Hash []uint64 // hash of the exchange key; nil: no key
}

// NewBatch returns an empty batch for rows of the given column types.
func NewBatch(ts ...types.Type) *Batch {
	b := &Batch{Cols: make([]*Vector, len(ts))}
	for i, t := range ts {
		b.Cols[i] = New(t)
	}
	return b
}

// Len is the number of selected rows.
func (b *Batch) Len() int {
	if b.Sel != nil {
		return len(b.Sel)
	}
	return b.N
}

// Rows are the selected rows; the slice is not to be written.
func (b *Batch) Rows() []int32 {
	if b.Sel != nil {
		return b.Sel
	}
	return Identity(b.N)
}

// Op of a physical row.
func (b *Batch) Op(i int) Op {
	if b.Ops == nil {
		return Insert
	}
	return b.Ops[i]
}

// Reset empties the batch and its columns and keeps their memory. Only for
// the maker of the columns.
func (b *Batch) Reset() {
	for _, c := range b.Cols {
		c.Reset()
	}
	b.Ops, b.Sel, b.Hash, b.N = b.Ops[:0], nil, nil, 0
	b.Ops = nil
}

// Head returns a copy of the header with a Cols slice of its own, sharing
// all vectors.
func (b *Batch) Head() *Batch {
	h := *b
	h.Cols = append([]*Vector(nil), b.Cols...)
	return &h
}

// Append copies the selected rows of src, which has the same column kinds,
// to b, with their ops and hashes. Only for the maker of b's columns.
func (b *Batch) Append(src *Batch) { b.AppendRows(src, src.Rows()) }

// AppendRows copies the given physical rows of src to b.
func (b *Batch) AppendRows(src *Batch, rows []int32) {
	for i, c := range b.Cols {
		c.AppendRows(src.Cols[i], rows, len(rows))
	}
	if src.Ops != nil || b.Ops != nil {
		b.appendOps(src, rows)
	}
	if src.Hash != nil {
		b.Hash = gather(b.Hash, src.Hash, rows, len(rows))
	}
	b.N += len(rows)
}

func (b *Batch) appendOps(src *Batch, rows []int32) {
	for len(b.Ops) < b.N {
		b.Ops = append(b.Ops, Insert)
	}
	for _, r := range rows {
		b.Ops = append(b.Ops, src.Op(int(r)))
	}
}

// identity holds 0, 1, 2 …; it is only read.
var identity = func() []int32 {
	s := make([]int32, 1<<16)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}()

// Identity returns 0 … n−1. The slice is shared and not to be written.
func Identity(n int) []int32 {
	if n <= len(identity) {
		return identity[:n:n]
	}
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

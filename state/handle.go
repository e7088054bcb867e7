package state

import "fmt"

// Col is a column of a table, list or sorted map, for kernels. Make it once, at Open; it stays valid for ever.
// A slot must be touched (Touch, or new from FindOrInsert or Append) since the last Freeze before Set and SetNull.
type Col[T any] struct{ c *column[T] }

// At reads the value of a live slot; of a null it is unspecified.
func (h Col[T]) At(slot int32) T { return h.c.pages[slot>>PageShift][slot&PageMask] }

// Set stores a value. It does not clear the null flag.
func (h Col[T]) Set(slot int32, v T) {
	h.c.put(slot, v)
}

// Ptr points to the value of a touched slot. It is valid until the next Freeze or Touch.
func (h Col[T]) Ptr(slot int32) *T {
	return h.c.ref(slot)
}

// IsNull reads the null flag.
func (h Col[T]) IsNull(slot int32) bool { return h.c.isNull(slot) }

// SetNull stores the null flag and leaves the value.
func (h Col[T]) SetNull(slot int32, null bool) {
	h.c.setNull(slot, null)
}

// Page is the raw page that holds slots p<<PageShift and up.
func (h Col[T]) Page(p int) *[PageRows]T { return h.c.pages[p] }

// NullPage is the null bitmap of page p: bit set = null.
func (h Col[T]) NullPage(p int) *[PageRows / 64]uint64 { return h.c.nulls[p] }

// AnyNull is false while no null was ever stored in this column.
func (h Col[T]) AnyNull() bool { return h.c.anyNull }

func (c *column[T]) mustOwn(slot int32) {
	if c.fam.epoch[slot>>PageShift] != c.fam.clk.cur || c.fam.changed[slot>>6]>>(uint(slot)&63)&1 == 0 {
		panic(fmt.Sprintf("state: write to slot %d, which was not touched since the last freeze", slot))
	}
}

// BytesCol is a column of class Bytes or List.
type BytesCol struct{ c *bytesColumn }

// At reads the value of a live slot. It is valid until the next call that inserts, deletes or touches rows of the same
// table or list, or sets this cell; the caller does not write to it.
func (h BytesCol) At(slot int32) []byte {
	return h.c.arena.get(h.c.pages[slot>>PageShift][slot&PageMask])
}

// Len is the length of the value in bytes.
func (h BytesCol) Len(slot int32) int { return int(h.c.pages[slot>>PageShift][slot&PageMask].Len) }

// Set stores a copy of v in a touched slot. It does not clear the null flag.
func (h BytesCol) Set(slot int32, v []byte) {
	h.c.set(slot, v)
}

// IsNull reads the null flag.
func (h BytesCol) IsNull(slot int32) bool { return h.c.isNull(slot) }

// SetNull stores the null flag of a touched slot and leaves the value.
func (h BytesCol) SetNull(slot int32, null bool) {
	h.c.setNull(slot, null)
}

// AnyNull is false while no null was ever stored in this column.
func (h BytesCol) AnyNull() bool { return h.c.anyNull }

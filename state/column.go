package state

// A page holds PageRows slots of one column. Slot s lies at pages[s>>PageShift][s&PageMask].
const (
	PageShift = 10
	PageRows  = 1 << PageShift
	PageMask  = PageRows - 1
	nullWords = PageRows / 64
)

// column is one typed column, reached through its page table. nulls is nil for internal columns, which have no nulls.
type column[T any] struct {
	fam      *family
	pages    []*[PageRows]T
	nulls    []*[nullWords]uint64
	nullable bool
	anyNull  bool // a null was stored once
}

// pager is what a family asks of its columns, a page a call.
type pager interface {
	addPage()
	copyPage(p int)
	pageBytes() int
	frozen() pageImage
	adopt(p int, r *reader, rows int)
	zero(slot int32)
	copyCell(slot int32, from pager, fromSlot int32)
}

func (c *column[T]) addPage() {
	c.pages = append(c.pages, new([PageRows]T))
	if c.nullable {
		c.nulls = append(c.nulls, new([nullWords]uint64))
	}
}

func (c *column[T]) copyPage(p int) {
	page := *c.pages[p]
	c.pages[p] = &page
	if c.nullable {
		n := *c.nulls[p]
		c.nulls[p] = &n
	}
}

func (c *column[T]) zero(slot int32) {
	var zero T
	c.pages[slot>>PageShift][slot&PageMask] = zero
	if c.nullable {
		c.setNull(slot, false)
	}
}

func (c *column[T]) isNull(slot int32) bool {
	return c.nulls[slot>>PageShift][(slot&PageMask)>>6]>>(uint(slot)&63)&1 != 0
}

func (c *column[T]) setNull(slot int32, null bool) {
	w := &c.nulls[slot>>PageShift][(slot&PageMask)>>6]
	bit := uint64(1) << (uint(slot) & 63)
	if null {
		*w |= bit
		c.anyNull = true
	} else {
		*w &^= bit
	}
}

// copyCell takes over a value and its null flag from a column of the same type. Bytes columns override it.
func (c *column[T]) copyCell(slot int32, from pager, fromSlot int32) {
	f := from.(interface{ base() *column[T] }).base()
	c.pages[slot>>PageShift][slot&PageMask] = f.pages[fromSlot>>PageShift][fromSlot&PageMask]
	if c.nullable {
		c.setNull(slot, f.isNull(fromSlot))
	}
}

func (c *column[T]) base() *column[T] { return c }

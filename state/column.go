package state

import "unsafe"

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

// pager is what a family asks of its columns, a page or a batch a call.
type pager interface {
	addPage()
	copyPage(p int)
	pageBytes() int
	zero(slot int32)
	freeze() columnImage
	// copyCells takes over values and null flags from a column of the same type.
	copyCells(slots []int32, from pager, fromSlots []int32)
	// load fills an empty page from its encoded form.
	load(p, rows int, d *decoder)
	// loadRows lays rows of a patch over a page.
	loadRows(p int, rows []uint16, d *decoder)
}

func (c *column[T]) addPage() {
	c.pages = append(c.pages, new([PageRows]T))
	if c.nullable {
		c.nulls = append(c.nulls, new([nullWords]uint64))
	}
}

func (c *column[T]) copyPage(p int) {
	c.pages[p] = (*[PageRows]T)(append([]T(nil), c.pages[p][:]...)) // append does not zero first
	if c.nullable {
		n := *c.nulls[p]
		c.nulls[p] = &n
	}
}

func (c *column[T]) zero(slot int32) {
	var zero T
	c.put(slot, zero)
	if c.nullable {
		c.setNull(slot, false)
	}
}

func (c *column[T]) isNull(slot int32) bool {
	return c.nulls[slot>>PageShift][(slot&PageMask)>>6]>>(uint(slot)&63)&1 != 0
}

func (c *column[T]) setNull(slot int32, null bool) {
	if invariants {
		c.mustOwn(slot)
	}
	w := &c.nulls[slot>>PageShift][(slot&PageMask)>>6]
	bit := uint64(1) << (uint(slot) & 63)
	if null {
		*w |= bit
		c.anyNull = true
	} else {
		*w &^= bit
	}
}

func (c *column[T]) copyCells(slots []int32, from pager, fromSlots []int32) {
	f := from.(*column[T])
	for i, s := range slots {
		c.put(s, f.at(fromSlots[i]))
		if c.nullable {
			c.setNull(s, f.isNull(fromSlots[i]))
		}
	}
}

func (c *column[T]) at(s int32) T { return c.pages[s>>PageShift][s&PageMask] }

// ref is the value of an owned slot, to be written: valid until the page is copied.
func (c *column[T]) ref(s int32) *T {
	if invariants {
		c.mustOwn(s)
	}
	return &c.pages[s>>PageShift][s&PageMask]
}

func (c *column[T]) put(s int32, v T) { *c.ref(s) = v }

func (c *column[T]) pageBytes() int {
	n := int(unsafe.Sizeof(*new(T))) * PageRows
	if c.nullable {
		n += 8 * nullWords
	}
	return n
}

package state

// family is columns whose pages are made writable, written and restored together: the keys of a table, its values, its links.
//
// Invariant: epoch[p] is the backend's epoch in which page p of every column was last made writable; a page is only
// written while epoch[p] == clk.cur, and only in rows whose bit in changed is set.
type family struct {
	clk     *clock
	cols    []pager
	epoch   []uint64
	changed []uint64  // a bit a slot: made writable since the last freeze
	past    []changes // of freezes after that of the base
}

func (f *family) add(c pager) { f.cols = append(f.cols, c) }

func (f *family) addPage() {
	for _, c := range f.cols {
		c.addPage()
	}
	f.epoch = append(f.epoch, f.clk.cur)
	f.changed = append(f.changed, make([]uint64, nullWords)...)
}

// own makes page p writable; the caller notes which rows it writes.
func (f *family) own(p int) {
	if f.epoch[p] == f.clk.cur {
		return
	}
	if f.clk.shared(f.epoch[p]) {
		for _, c := range f.cols {
			c.copyPage(p)
		}
	}
	f.epoch[p] = f.clk.cur
}

func (f *family) ownSlots(slots []int32) {
	cur := f.clk.cur
	for _, s := range slots {
		if s < 0 {
			continue
		}
		if f.epoch[s>>PageShift] != cur {
			f.own(int(s >> PageShift))
		}
		f.changed[s>>6] |= 1 << (s & 63)
	}
}

func (f *family) ownSlot(slot int32) {
	if f.epoch[slot>>PageShift] != f.clk.cur {
		f.own(int(slot >> PageShift))
	}
	f.changed[slot>>6] |= 1 << (slot & 63)
}

func (f *family) bytes() int {
	n := 0
	for _, c := range f.cols {
		n += c.pageBytes()
	}
	return n * len(f.epoch)
}

package state

// rowset is paged rows with slots: the storage under tables, lists and sorted maps.
//
// Invariants: a slot below high is either live (its bit is set, it counts in count) or in free, exactly once; every family
// has a page for each slot below high; a dead slot holds no Bytes value. live belongs to the first family.
type rowset struct {
	name  string
	clk   *clock
	fams  []*family
	live  *column[uint8] // 1: live
	data  []*bytesColumn // all Bytes columns, of any family
	arena *arena
	high  int32
	clean int32 // slots from here on were never used: their pages are zero, but for what other slots wrote
	free  []int32
	count int
}

func newRowset(clk *clock, name string, families int) *rowset {
	r := &rowset{name: name, clk: clk, arena: newArena(clk)}
	for range families {
		r.fams = append(r.fams, &family{clk: clk})
	}
	r.live = internal[uint8](r, 0)
	return r
}

// internal adds a column without nulls to a family.
func internal[T any](r *rowset, fam int) *column[T] {
	c := &column[T]{fam: r.fams[fam]}
	r.fams[fam].add(c)
	return c
}

// addColumn adds a nullable column of a class to a family.
func (r *rowset) addColumn(fam int, class Class) pager {
	f := r.fams[fam]
	var p pager
	switch class {
	case Bool:
		p = &column[bool]{fam: f, nullable: true}
	case I64:
		p = &column[int64]{fam: f, nullable: true}
	case F64:
		p = &column[float64]{fam: f, nullable: true}
	case I128:
		p = &column[Int128]{fam: f, nullable: true}
	case Bytes, List:
		c := &bytesColumn{column[cell]{fam: f, nullable: true}, r.arena}
		r.data = append(r.data, c)
		p = c
	default:
		panic("state: unknown storage class " + class.String())
	}
	f.add(p)
	return p
}

func (r *rowset) isLive(slot int32) bool {
	return slot >= 0 && slot < r.high && r.live.pages[slot>>PageShift][slot&PageMask] != 0
}

// alloc makes a slot live and writable in every family, and zeroes it.
func (r *rowset) alloc() int32 {
	slot, reused := r.take()
	if reused {
		r.zero(r.fams, slot)
	}
	return slot
}

// take makes a slot live and writable in every family; reused says that its columns may hold old values.
func (r *rowset) take() (slot int32, reused bool) {
	if n := len(r.free); n > 0 {
		slot = r.free[n-1]
		r.free = r.free[:n-1]
	} else {
		slot = r.high
		r.high++
		if int(slot>>PageShift) == len(r.fams[0].epoch) {
			for _, f := range r.fams {
				f.addPage()
			}
		}
	}
	for _, f := range r.fams {
		f.ownSlot(slot)
	}
	reused = slot < r.clean
	r.clean = max(r.clean, r.high)
	r.live.put(slot, 1)
	r.count++
	return slot, reused
}

// zero clears all columns of families at an owned live slot.
func (r *rowset) zero(fams []*family, slot int32) {
	for _, f := range fams {
		for _, c := range f.cols {
			c.zero(slot)
		}
	}
	r.live.put(slot, 1)
}

// release makes a live slot dead and drops its Bytes values.
func (r *rowset) release(slot int32) {
	if invariants && !r.isLive(slot) {
		panic("state: release of a dead slot of " + r.name)
	}
	r.fams[0].ownSlot(slot)
	r.live.put(slot, 0)
	for _, c := range r.data {
		p := c.pages[slot>>PageShift][slot&PageMask]
		if p.Len > 0 {
			c.fam.ownSlot(slot)
			c.put(slot, cell{})
			r.arena.drop(p)
		}
	}
	r.free = append(r.free, slot)
	r.count--
	if r.count == 0 {
		r.restart()
	}
}

// restart begins at slot 0 again once everything is deleted, so that slots stay dense. Pages are kept.
func (r *rowset) restart() {
	r.high = 0
	r.free = r.free[:0]
	r.arena.reset()
}

// compact moves Bytes values out of sparse blocks, once garbage exceeds what lives.
func (r *rowset) compact() {
	a := r.arena
	if !a.sparse() {
		return
	}
	doomed := make([]bool, len(a.blocks))
	for b := range a.blocks {
		doomed[b] = len(a.blocks[b]) > 0 && 2*a.live[b] <= len(a.blocks[b])
	}
	if a.cur >= 0 && doomed[a.cur] {
		a.cur = -1
	}
	for _, c := range r.data {
		for slot := int32(0); slot < r.high; slot++ {
			p := c.pages[slot>>PageShift][slot&PageMask]
			if p.Len > 0 && p.block() < len(doomed) && doomed[p.block()] {
				c.fam.ownSlot(slot)
				c.move(slot)
			}
		}
	}
}

// each calls f for every live slot in ascending order.
func (r *rowset) each(f func(slot int32)) {
	for s := int32(0); s < r.high; s++ {
		if r.live.pages[s>>PageShift][s&PageMask] != 0 {
			f(s)
		}
	}
}

func (r *rowset) bytes() int {
	n := r.arena.size + 4*cap(r.free)
	for _, f := range r.fams {
		n += f.bytes()
	}
	return n
}

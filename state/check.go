package state

import (
	"bytes"
	"fmt"
)

// mustHold panics if an invariant of a table is broken. It is called by Freeze in builds with the tag invariants, and skips
// tables that are too large to be walked at each barrier.
func (b *Backend) mustHold() {
	const walkable = 100_000
	for _, t := range b.tables {
		if t.count > walkable {
			continue
		}
		if err := t.check(); err != nil {
			panic(fmt.Sprintf("state: table %s of operator %s: %v", t.layout.Name, b.operator, err))
		}
	}
}

// check walks the table and reports the first broken invariant.
func (t *Table) check() error {
	for _, r := range t.sets() {
		if err := r.check(); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	if t.index.count != t.count {
		return fmt.Errorf("the index has %d entries for %d rows", t.index.count, t.count)
	}
	var err error
	t.each(func(s int32) {
		if e := t.checkSlot(s); e != nil && err == nil {
			err = fmt.Errorf("slot %d: %w", s, e)
		}
	})
	if err != nil {
		return err
	}
	for _, m := range t.timers {
		if err := m.checkBuckets(); err != nil {
			return fmt.Errorf("%s: %w", m.list.name, err)
		}
	}
	return t.checkOwned()
}

func (t *Table) checkSlot(s int32) error {
	if !t.indexed(s) {
		return fmt.Errorf("not in the index")
	}
	if !t.owned.Contains(t.KeyGroup(s)) {
		return fmt.Errorf("key group %d is not owned", t.KeyGroup(s))
	}
	for _, l := range t.lists {
		if err := l.checkSlot(s); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	for _, m := range t.sorted {
		if err := m.checkSlot(s); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	for _, m := range t.timers {
		if err := m.checkSlot(s); err != nil {
			return fmt.Errorf("%s: %w", m.list.name, err)
		}
	}
	return nil
}

func (t *Table) indexed(s int32) bool {
	tag := tagOf(t.Hash(s))
	mask := len(t.index.entries) - 1
	for at := t.index.home(tag); t.index.entries[at&mask] != 0; at++ {
		if t.index.entries[at&mask] == entry(tag, s) {
			return true
		}
	}
	return false
}

// checkOwned: the rows that slots own are all rows there are.
func (t *Table) checkOwned() error {
	owned := make([]int, len(t.lists)+len(t.sorted)+len(t.timers))
	t.each(func(s int32) {
		i := 0
		for _, l := range t.lists {
			owned[i] += l.Len(s)
			i++
		}
		for _, m := range t.sorted {
			owned[i] += m.Len(s)
			i++
		}
		for _, m := range t.timers {
			owned[i] += m.Len(s)
			i++
		}
	})
	for i, r := range t.sets()[1:] {
		if owned[i] != r.count {
			return fmt.Errorf("%s: slots own %d of %d rows", r.name, owned[i], r.count)
		}
	}
	return nil
}

func (r *rowset) check() error {
	live := 0
	r.each(func(int32) { live++ })
	if live != r.count || live+len(r.free) != int(r.high) {
		return fmt.Errorf("%d live rows, %d counted, %d free, %d in all", live, r.count, len(r.free), r.high)
	}
	inBlock := make([]int, len(r.arena.blocks))
	for _, c := range r.data {
		for s := int32(0); s < r.high; s++ {
			v := c.at(s)
			if v.Len > 0 && r.live.at(s) == 0 {
				return fmt.Errorf("dead slot %d holds bytes", s)
			}
			if v.Len > 0 {
				inBlock[v.block()] += room(v.Len)
			}
		}
	}
	used, alive, size := 0, 0, 0
	for b, n := range inBlock {
		size += cap(r.arena.blocks[b])
		if n != r.arena.live[b] {
			return fmt.Errorf("block %d: %d bytes live, %d counted", b, n, r.arena.live[b])
		}
		used += len(r.arena.blocks[b])
		alive += n
	}
	if size != r.arena.size {
		return fmt.Errorf("arena: blocks of %d bytes, %d counted", size, r.arena.size)
	}
	if used != r.arena.used || alive != r.arena.alive {
		return fmt.Errorf("arena: %d bytes used, %d counted; %d live, %d counted", used, r.arena.used, alive, r.arena.alive)
	}
	return nil
}

func (l *ListRows) checkSlot(s int32) error {
	n, prev := 0, int32(-1)
	for row := l.First(s); row >= 0; row = l.Next(row) {
		if !l.isLive(row) || l.Owner(row) != s || l.Prev(row) != prev {
			return fmt.Errorf("row %d is linked wrongly", row)
		}
		n, prev = n+1, row
	}
	if n != l.Len(s) || prev != l.Last(s) {
		return fmt.Errorf("%d rows, %d counted", n, l.Len(s))
	}
	return nil
}

func (m *SortedRows) checkSlot(s int32) error {
	n := 0
	var last []byte
	for row := m.First(s); row >= 0; row = m.Next(row) {
		up := m.nodes.at(row).parent - 1
		if !m.isLive(row) || m.Owner(row) != s || up >= 0 && priority(up) < priority(row) {
			return fmt.Errorf("row %d is linked wrongly", row)
		}
		if n > 0 && bytes.Compare(last, m.Key(row)) >= 0 {
			return fmt.Errorf("row %d is out of order", row)
		}
		n, last = n+1, m.Key(row)
	}
	if n != m.Len(s) {
		return fmt.Errorf("%d rows, %d counted", n, m.Len(s))
	}
	return nil
}

func (m *Timers) checkSlot(s int32) error {
	for row := m.list.First(s); row >= 0; row = m.list.Next(row) {
		if next := m.list.Next(row); next >= 0 && m.time.at(next) <= m.time.at(row) {
			return fmt.Errorf("timer %d is out of order", row)
		}
		if m.buckets[m.time.at(row)].first == 0 {
			return fmt.Errorf("timer %d is in no bucket", row)
		}
	}
	return m.list.checkSlot(s)
}

// checkBuckets: each timer is in the bucket of its time, once, and each bucket's time is in the heap.
func (m *Timers) checkBuckets() error {
	n := 0
	for time, b := range m.buckets {
		prev := int32(0)
		for row := b.first; row != 0; row = m.next[row-1] {
			if !m.list.isLive(row-1) || m.time.at(row-1) != time || m.prev[row-1] != prev {
				return fmt.Errorf("timer %d is in the bucket of %d", row-1, time)
			}
			prev = row
			n++
		}
		if b.last != prev {
			return fmt.Errorf("the bucket of %d does not end at its last timer", time)
		}
	}
	if n != m.list.count || len(m.heap) != len(m.buckets) {
		return fmt.Errorf("%d of %d timers in %d buckets, %d times in the heap", n, m.list.count, len(m.buckets), len(m.heap))
	}
	return nil
}

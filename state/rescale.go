package state

import (
	"fmt"
	"slices"
)

// absorb copies the rows of a restored table whose key groups this subtask owns. same: the layouts are equal; otherwise keys,
// times and timers of the same name are copied here and the rest by Migrate.
func (t *Table) absorb(from *Table, same bool) error {
	var olds, news []int32
	for next := int32(0); next >= 0; {
		olds, next = from.scanOwned(t.owned, next, olds[:0])
		t.index.reserve(len(olds))
		news = t.adoptKeys(from, olds, news[:0])
		t.absorbTimers(from, olds, news)
		if same {
			t.absorbRows(from, olds, news)
		} else if err := t.layout.Migrate(from, t, olds, news); err != nil {
			return fmt.Errorf("converting layout version %d to %d: %w", from.layout.Version, t.layout.Version, err)
		}
	}
	return nil
}

// scanOwned is a batch of live slots of a range from a slot on.
func (t *Table) scanOwned(r Range, from int32, dst []int32) (slots []int32, next int32) {
	var batch [PageRows]int32
	n, next := t.Scan(from, batch[:])
	for _, s := range batch[:n] {
		if r.Contains(t.KeyGroup(s)) {
			dst = append(dst, s)
		}
	}
	return dst, next
}

// adoptKeys makes a row for each old slot, with its hash, group, keys and time.
func (t *Table) adoptKeys(from *Table, olds, news []int32) []int32 {
	for _, old := range olds {
		s := t.alloc()
		t.hash.put(s, from.Hash(old))
		t.group.put(s, from.KeyGroup(old))
		t.index.insert(tagOf(from.Hash(old)), s)
		news = append(news, s)
	}
	for i, k := range t.keys {
		k.pager().copyCells(news, from.keys[i].pager(), olds)
	}
	if t.stamp != nil && from.stamp != nil {
		t.stamp.copyCells(news, from.stamp, olds)
	}
	return news
}

func (k *keyColumn) pager() pager {
	switch k.class {
	case Bool:
		return k.bool
	case I64:
		return k.i64
	case F64:
		return k.f64
	case I128:
		return k.i128
	}
	return k.bytes
}

func (t *Table) absorbRows(from *Table, olds, news []int32) {
	copyAll(t.values, from.values, news, olds)
	for i, l := range t.lists {
		l.absorb(from.lists[i], olds, news)
	}
	for i, m := range t.sorted {
		m.absorb(from.sorted[i], olds, news)
	}
}

func copyAll(to, from []pager, slots, fromSlots []int32) {
	for i, c := range to {
		c.copyCells(slots, from[i], fromSlots)
	}
}

func (l *ListRows) absorb(from *ListRows, olds, news []int32) {
	var rows, fromRows []int32
	for i, old := range olds {
		for row := from.First(old); row >= 0; row = from.Next(row) {
			rows = append(rows, l.insert(news[i], -1))
			fromRows = append(fromRows, row)
		}
	}
	copyAll(l.values, from.values, rows, fromRows)
}

func (m *SortedRows) absorb(from *SortedRows, olds, news []int32) {
	var rows, fromRows []int32
	for i, old := range olds {
		for row := from.First(old); row >= 0; row = from.Next(row) {
			to, _ := m.Insert(news[i], from.Key(row))
			rows = append(rows, to)
			fromRows = append(fromRows, row)
		}
	}
	copyAll(m.values, from.values, rows, fromRows)
}

// absorbTimers copies the timers of sets that both tables have.
func (t *Table) absorbTimers(from *Table, olds, news []int32) {
	for i, name := range t.layout.Timers {
		j := slices.Index(from.layout.Timers, name)
		if j < 0 {
			continue
		}
		to, old := t.timers[i], from.timers[j]
		for k, slot := range olds {
			for row := old.list.First(slot); row >= 0; row = old.list.Next(row) {
				to.SetOne(news[k], old.time.at(row))
			}
		}
	}
}

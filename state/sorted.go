package state

import "bytes"

// SortedRows is, for each slot of a table, a map of rows ordered by key bytes: Top-N, MIN and MAX with retraction, rows in
// time order. Keys compare as bytes; AppendSortI64 and its like make such keys. Rows die with their slot.
//
// It is one treap a slot: heap-ordered by a hash of the row's number, so the shape needs no stored priorities.
//
// Invariants: an in-order walk gives strictly ascending keys; priority(parent) ≥ priority(child); size counts the rows.
type SortedRows struct {
	*rowset
	table  *Table
	nodes  *column[node]
	key    *bytesColumn
	values []pager
	roots  *column[root] // by slot
}

// node is a row's place in the tree: child[0] has lesser keys, child[1] greater ones. Rows are row+1, 0: none.
type node struct {
	owner, parent int32
	child         [2]int32
}

// root is a slot's tree; top is row+1, 0: none.
type root struct{ top, size int32 }

func newSorted(t *Table, l ListLayout) *SortedRows {
	r := newRowset(t.clk, t.layout.Name+"/"+l.Name, 1)
	m := &SortedRows{
		rowset: r, table: t,
		nodes: internal[node](r, 0), roots: internal[root](t.rowset, famLinks),
	}
	m.key = r.addColumn(0, Bytes).(*bytesColumn)
	for _, c := range l.Values {
		m.values = append(m.values, r.addColumn(0, c))
	}
	return m
}

// Len is the number of rows of a slot; Rows of all slots.
func (m *SortedRows) Len(slot int32) int { return int(m.roots.at(slot).size) }
func (m *SortedRows) Rows() int          { return m.count }

// Owner is the slot in whose map the row is.
func (m *SortedRows) Owner(row int32) int32 { return m.nodes.at(row).owner }

// Key is the row's key, valid as long as a BytesCol.At.
func (m *SortedRows) Key(row int32) []byte { return m.key.arena.get(m.key.at(row)) }

// First and Last are the rows with the least and the greatest key, -1 if there is none.
func (m *SortedRows) First(slot int32) int32 { return m.end(m.roots.at(slot).top-1, 0) }
func (m *SortedRows) Last(slot int32) int32  { return m.end(m.roots.at(slot).top-1, 1) }

// Next and Prev are the neighbours in key order, -1 at the end.
func (m *SortedRows) Next(row int32) int32 { return m.step(row, 0) }
func (m *SortedRows) Prev(row int32) int32 { return m.step(row, 1) }

// end walks from a row down one side.
func (m *SortedRows) end(row int32, side int) int32 {
	if row < 0 {
		return -1
	}
	for {
		next := m.nodes.at(row).child[side]
		if next == 0 {
			return row
		}
		row = next - 1
	}
}

// step is the neighbour of a row away from the side `back`.
func (m *SortedRows) step(row int32, back int) int32 {
	if a := m.nodes.at(row).child[1-back]; a != 0 {
		return m.end(a-1, back)
	}
	for {
		up := m.nodes.at(row).parent - 1
		if up < 0 || m.nodes.at(up).child[back]-1 == row {
			return up
		}
		row = up
	}
}

// Find is the row with the key, -1 if there is none.
func (m *SortedRows) Find(slot int32, key []byte) int32 {
	if row := m.Seek(slot, key); row >= 0 && bytes.Equal(m.Key(row), key) {
		return row
	}
	return -1
}

// Seek is the first row whose key is not below the given one, -1 if there is none.
func (m *SortedRows) Seek(slot int32, key []byte) int32 {
	found := int32(-1)
	for row := m.roots.at(slot).top - 1; row >= 0; {
		if bytes.Compare(m.Key(row), key) >= 0 {
			found = row
			row = m.nodes.at(row).child[0] - 1
		} else {
			row = m.nodes.at(row).child[1] - 1
		}
	}
	return found
}

// Insert finds the row with the key or makes it (touched, values zero and not null).
func (m *SortedRows) Insert(slot int32, key []byte) (row int32, isNew bool) {
	m.compact()
	up, below := int32(-1), 0
	for at := m.roots.at(slot).top - 1; at >= 0; {
		c := bytes.Compare(key, m.Key(at))
		if c == 0 {
			return at, false
		}
		up, below = at, c
		if c < 0 {
			at = m.nodes.at(at).child[0] - 1
		} else {
			at = m.nodes.at(at).child[1] - 1
		}
	}
	row = m.alloc()
	m.nodes.ref(row).owner = slot
	m.key.set(row, key)
	m.table.fams[famLinks].ownSlot(slot)
	m.roots.ref(slot).size++
	m.hang(slot, up, below < 0, row)
	for p := m.nodes.at(row).parent - 1; p >= 0 && priority(p) < priority(row); p = m.nodes.at(row).parent - 1 {
		m.rotateUp(slot, row)
	}
	return row, true
}

func priority(row int32) uint64 { return (uint64(row) + 1) * 0xD6E8FEB86659FD93 }

// hang makes row a child of up (-1: the root).
func (m *SortedRows) hang(slot, up int32, left bool, row int32) {
	if row >= 0 {
		m.fams[0].ownSlot(row)
		m.nodes.ref(row).parent = up + 1
	}
	if up < 0 {
		m.table.fams[famLinks].ownSlot(slot)
		m.roots.ref(slot).top = row + 1
		return
	}
	m.fams[0].ownSlot(up)
	if left {
		m.nodes.ref(up).child[0] = row + 1
	} else {
		m.nodes.ref(up).child[1] = row + 1
	}
}

// rotateUp swaps a row with its parent.
func (m *SortedRows) rotateUp(slot, row int32) {
	p := m.nodes.at(row).parent - 1
	g := m.nodes.at(p).parent - 1
	isLeft := m.nodes.at(p).child[0]-1 == row
	gLeft := g >= 0 && m.nodes.at(g).child[0]-1 == p
	if isLeft {
		m.hang(slot, p, true, m.nodes.at(row).child[1]-1)
	} else {
		m.hang(slot, p, false, m.nodes.at(row).child[0]-1)
	}
	m.hang(slot, row, !isLeft, p)
	m.hang(slot, g, gLeft, row)
}

// Remove takes a row out. Its number is reused.
func (m *SortedRows) Remove(row int32) {
	slot := m.nodes.at(row).owner
	for {
		l, r := m.nodes.at(row).child[0]-1, m.nodes.at(row).child[1]-1
		if l < 0 || r < 0 {
			child := max(l, r)
			p := m.nodes.at(row).parent - 1
			m.hang(slot, p, p >= 0 && m.nodes.at(p).child[0]-1 == row, child)
			break
		}
		if priority(l) > priority(r) {
			m.rotateUp(slot, l)
		} else {
			m.rotateUp(slot, r)
		}
	}
	m.table.fams[famLinks].ownSlot(slot)
	m.roots.ref(slot).size--
	m.release(row)
}

// Clear removes all rows of a slot.
func (m *SortedRows) Clear(slot int32) {
	row := m.roots.at(slot).top - 1
	if row < 0 {
		return
	}
	m.table.fams[famLinks].ownSlot(slot)
	m.roots.put(slot, root{})
	for row >= 0 { // post-order: children are gone when a row goes
		if l := m.nodes.at(row).child[0] - 1; l >= 0 {
			row = l
			continue
		}
		if r := m.nodes.at(row).child[1] - 1; r >= 0 {
			row = r
			continue
		}
		row = m.prune(row)
	}
}

// prune releases a leaf and returns its parent.
func (m *SortedRows) prune(row int32) int32 {
	up := m.nodes.at(row).parent - 1
	if up >= 0 {
		m.hang(0, up, m.nodes.at(up).child[0]-1 == row, -1)
	}
	m.release(row)
	return up
}

// Touch makes the values of rows writable until the next Freeze. Negative rows are skipped.
func (m *SortedRows) Touch(rows []int32) {
	m.compact()
	m.fams[0].ownSlots(rows)
}

// TouchOne is Touch of one row, without compaction.
func (m *SortedRows) TouchOne(row int32) { m.fams[0].ownSlot(row) }

// Value columns, by their place in ListLayout.Values; they are indexed by row.

func (m *SortedRows) BoolCol(i int) Col[bool]   { return colOf[bool](m.name, i, m.values[i]) }
func (m *SortedRows) I64Col(i int) Col[int64]   { return colOf[int64](m.name, i, m.values[i]) }
func (m *SortedRows) F64Col(i int) Col[float64] { return colOf[float64](m.name, i, m.values[i]) }
func (m *SortedRows) I128Col(i int) Col[Int128] { return colOf[Int128](m.name, i, m.values[i]) }
func (m *SortedRows) BytesCol(i int) BytesCol   { return bytesColOf(m.name, i, m.values[i]) }

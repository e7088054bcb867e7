package state

// ListRows is a list of rows for each slot of a table: rows per key of a join, elements of a pattern, a multiset.
// A row is named by its number, which stays the same until it is removed. Rows die with their slot.
//
// Invariants: the rows of a slot are linked both ways from head to tail, len of them, and each names the slot as owner.
type ListRows struct {
	*rowset
	table  *Table
	links  *column[link]
	values []pager
	ends   *column[ends] // by slot
}

// link is a row's place; what lies together is one cache miss. next and prev are row+1, 0: none.
type link struct{ owner, next, prev int32 }

// ends is a slot's list. first and last are row+1, 0: none.
type ends struct{ first, last, size int32 }

func newList(t *Table, l ListLayout) *ListRows {
	r := newRowset(t.clk, t.layout.Name+"/"+l.Name, 1)
	x := newLinked(t, r)
	for _, c := range l.Values {
		x.values = append(x.values, r.addColumn(0, c))
	}
	return x
}

func newLinked(t *Table, r *rowset) *ListRows {
	return &ListRows{rowset: r, table: t, links: internal[link](r, 0), ends: internal[ends](t.rowset, famLinks)}
}

// Len is the number of rows of a slot.
func (l *ListRows) Len(slot int32) int { return int(l.ends.at(slot).size) }

// Rows is the number of rows of all slots.
func (l *ListRows) Rows() int { return l.count }

// First and Last are the ends of a slot's list, -1 if it is empty. Next and Prev follow it, -1 at the end.
func (l *ListRows) First(slot int32) int32 { return l.ends.at(slot).first - 1 }
func (l *ListRows) Last(slot int32) int32  { return l.ends.at(slot).last - 1 }
func (l *ListRows) Next(row int32) int32   { return l.links.at(row).next - 1 }
func (l *ListRows) Prev(row int32) int32   { return l.links.at(row).prev - 1 }

// Owner is the slot whose list the row is in.
func (l *ListRows) Owner(row int32) int32 { return l.links.at(row).owner }

// Append adds a row at the end of the list of each slot and stores its number in rows[i]; -1 for a negative slot.
// The rows are touched, their values zero and not null.
func (l *ListRows) Append(slots []int32, rows []int32) {
	l.compact()
	for i, s := range slots {
		rows[i] = -1
		if s >= 0 {
			rows[i] = l.insert(s, -1)
		}
	}
}

// InsertBefore adds a row before another one of the slot's list; at -1: at the end. It is touched and zero.
func (l *ListRows) InsertBefore(slot, at int32) int32 {
	l.compact()
	return l.insert(slot, at)
}

func (l *ListRows) insert(slot, at int32) int32 {
	row := l.alloc()
	prev := l.ends.at(slot).last - 1
	if at >= 0 {
		prev = l.links.at(at).prev - 1
	}
	l.table.fams[famLinks].ownSlot(slot)
	l.links.ref(row).owner = slot
	l.link(slot, prev, row)
	l.link(slot, row, at)
	l.ends.ref(slot).size++
	return row
}

// link makes b follow a in the slot's list; -1 stands for the end.
func (l *ListRows) link(slot, a, b int32) {
	if a >= 0 {
		l.fams[0].ownSlot(a)
		l.links.ref(a).next = b + 1
	} else {
		l.ends.ref(slot).first = b + 1
	}
	if b >= 0 {
		l.fams[0].ownSlot(b)
		l.links.ref(b).prev = a + 1
	} else {
		l.ends.ref(slot).last = a + 1
	}
}

// Remove takes a row out. Its number is reused.
func (l *ListRows) Remove(row int32) {
	slot := l.links.at(row).owner
	l.table.fams[famLinks].ownSlot(slot)
	l.link(slot, l.links.at(row).prev-1, l.links.at(row).next-1)
	l.ends.ref(slot).size--
	l.release(row)
}

// Clear removes all rows of a slot.
func (l *ListRows) Clear(slot int32) {
	if l.ends.at(slot).size == 0 {
		return
	}
	l.table.fams[famLinks].ownSlot(slot)
	for row := l.First(slot); row >= 0; {
		next := l.Next(row)
		l.release(row)
		row = next
	}
	l.ends.put(slot, ends{})
}

// Touch makes the values of rows writable until the next Freeze. Negative rows are skipped.
func (l *ListRows) Touch(rows []int32) {
	l.compact()
	l.fams[0].ownSlots(rows)
}

// TouchOne is Touch of one row, without compaction.
func (l *ListRows) TouchOne(row int32) { l.fams[0].ownSlot(row) }

// Value columns, by their place in ListLayout.Values; they are indexed by row.

func (l *ListRows) BoolCol(i int) Col[bool]   { return colOf[bool](l.name, i, l.values[i]) }
func (l *ListRows) I64Col(i int) Col[int64]   { return colOf[int64](l.name, i, l.values[i]) }
func (l *ListRows) F64Col(i int) Col[float64] { return colOf[float64](l.name, i, l.values[i]) }
func (l *ListRows) I128Col(i int) Col[Int128] { return colOf[Int128](l.name, i, l.values[i]) }
func (l *ListRows) BytesCol(i int) BytesCol   { return bytesColOf(l.name, i, l.values[i]) }

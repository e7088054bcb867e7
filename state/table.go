package state

import "fmt"

// families of a table's rowset
const (
	famKeys   = iota // live, hash, group, keys: written by insert and delete only
	famValues        // values and the TTL's time
	famLinks         // heads of lists, sorted maps and timers
	famCount
)

// Table is keyed rows, worked on a batch a call. It belongs to one subtask's goroutine; only a Snapshot is read elsewhere.
//
// A row is named by its slot (0 and up), which stays the same until the row is deleted; then it is reused. A new row has
// zero values that are not null. Values are reached through column handles (I64Col, BytesCol, …), taken once at Open.
//
// Before values of old rows are written, their slots are touched: once after each Freeze is enough, so operators touch
// once a batch. Rows that are new in FindOrInsert are touched.
//
// Invariants: those of rowset; the index holds exactly the live slots, each under the tag of its hash; no two live rows
// have equal keys; every row of a list, sorted map and timer set is owned by a live slot.
type Table struct {
	*rowset
	layout  Layout
	owned   Range
	hash    *column[uint64]
	group   *column[uint8]
	keys    []keyColumn
	values  []pager
	stamp   *column[int64]
	lists   []*ListRows
	sorted  []*SortedRows
	timers  []*Timers
	index   index
	scratch scratch
	expired int32 // where Expire goes on
}

// scratch is buffers of batch calls.
type scratch struct {
	rows []int32
	bad  []bool
	used []int32
}

// identity returns rows, or 0..n-1 if it is nil.
func (s *scratch) identity(rows []int32, n int) []int32 {
	if rows != nil {
		return rows
	}
	for len(s.rows) < n {
		s.rows = append(s.rows, int32(len(s.rows)))
	}
	return s.rows[:n]
}

func newTable(clk *clock, l Layout, owned Range) *Table {
	t := &Table{rowset: newRowset(clk, l.Name, famCount), layout: l, owned: owned, index: newIndex()}
	t.hash = internal[uint64](t.rowset, famKeys)
	t.group = internal[uint8](t.rowset, famKeys)
	for _, c := range l.Keys {
		t.keys = append(t.keys, keyOf(c, t.addColumn(famKeys, c)))
	}
	for _, c := range l.Values {
		t.values = append(t.values, t.addColumn(famValues, c))
	}
	if l.TTL {
		t.stamp = internal[int64](t.rowset, famValues)
	}
	for _, x := range l.Lists {
		t.lists = append(t.lists, newList(t, x))
	}
	for _, x := range l.Sorted {
		t.sorted = append(t.sorted, newSorted(t, x))
	}
	for _, name := range l.Timers {
		t.timers = append(t.timers, newTimers(t, name))
	}
	return t
}

// Layout is what the table was made with.
func (t *Table) Layout() Layout { return t.layout }

// Rows is the number of live rows.
func (t *Table) Rows() int { return t.count }

// Bytes is the memory of the table, its lists, sorted maps and timers, garbage included.
func (t *Table) Bytes() int {
	n := t.rowset.bytes() + t.index.bytes()
	for _, l := range t.lists {
		n += l.bytes()
	}
	for _, s := range t.sorted {
		n += s.bytes()
	}
	for _, m := range t.timers {
		n += m.bytes()
	}
	return n
}

// Touch makes the values of slots writable until the next Freeze. Negative slots are skipped, duplicates are fine.
func (t *Table) Touch(slots []int32) {
	t.compact()
	t.fams[famValues].ownSlots(slots)
}

// TouchOne is Touch of one slot, without compaction.
func (t *Table) TouchOne(slot int32) { t.fams[famValues].ownSlot(slot) }

// Live says whether a slot holds a row.
func (t *Table) Live(slot int32) bool { return t.isLive(slot) }

// Hash is the hash that the row was inserted with.
func (t *Table) Hash(slot int32) uint64 { return t.hash.pages[slot>>PageShift][slot&PageMask] }

// KeyGroup is the key group of the row.
func (t *Table) KeyGroup(slot int32) uint8 { return t.group.pages[slot>>PageShift][slot&PageMask] }

// Scan fills dst with live slots from `from` on, in ascending order. It returns how many, and where to go on; next is -1
// at the end. Rows inserted meanwhile may be seen or not.
func (t *Table) Scan(from int32, dst []int32) (n int, next int32) {
	for s := from; s < t.high; s++ {
		if t.live.pages[s>>PageShift][s&PageMask] == 0 {
			continue
		}
		if n == len(dst) {
			return n, s
		}
		dst[n] = s
		n++
	}
	return n, -1
}

// LiveIn appends the live slots whose key group is in r, in ascending order.
func (t *Table) LiveIn(r Range, dst []int32) []int32 {
	for s := int32(0); s < t.high; s++ {
		if t.live.pages[s>>PageShift][s&PageMask] != 0 && r.Contains(t.KeyGroup(s)) {
			dst = append(dst, s)
		}
	}
	return dst
}

// List is the i-th list of the layout.
func (t *Table) List(i int) *ListRows { return t.lists[i] }

// Sorted is the i-th sorted map of the layout.
func (t *Table) Sorted(i int) *SortedRows { return t.sorted[i] }

// Timers is the i-th set of timers of the layout.
func (t *Table) Timers(i int) *Timers { return t.timers[i] }

// Value columns, by their place in Layout.Values. A wrong class is a bug and panics.

func (t *Table) BoolCol(i int) Col[bool]   { return colOf[bool](t.layout.Name, i, t.values[i]) }
func (t *Table) I64Col(i int) Col[int64]   { return colOf[int64](t.layout.Name, i, t.values[i]) }
func (t *Table) F64Col(i int) Col[float64] { return colOf[float64](t.layout.Name, i, t.values[i]) }
func (t *Table) I128Col(i int) Col[Int128] { return colOf[Int128](t.layout.Name, i, t.values[i]) }
func (t *Table) BytesCol(i int) BytesCol   { return bytesColOf(t.layout.Name, i, t.values[i]) }

func colOf[T any](table string, i int, p pager) Col[T] {
	c, ok := p.(*column[T])
	if !ok {
		panic(fmt.Sprintf("state %s: column %d is %T", table, i, p))
	}
	return Col[T]{c}
}

func bytesColOf(table string, i int, p pager) BytesCol {
	c, ok := p.(*bytesColumn)
	if !ok {
		panic(fmt.Sprintf("state %s: column %d is %T", table, i, p))
	}
	return BytesCol{c}
}

// Key columns, by their place in Layout.Keys, for reading only.

func (t *Table) KeyBool(i int) Col[bool] { return colOf[bool](t.layout.Name, i, t.keys[i].pager()) }
func (t *Table) KeyI64(i int) Col[int64] { return colOf[int64](t.layout.Name, i, t.keys[i].pager()) }
func (t *Table) KeyF64(i int) Col[float64] {
	return colOf[float64](t.layout.Name, i, t.keys[i].pager())
}
func (t *Table) KeyI128(i int) Col[Int128] { return colOf[Int128](t.layout.Name, i, t.keys[i].pager()) }
func (t *Table) KeyBytes(i int) BytesCol   { return bytesColOf(t.layout.Name, i, t.keys[i].pager()) }

package state

import "math"

// Due is a timer that has fired.
type Due struct {
	Slot int32
	Time int64
}

// Timers is a set of (slot, time), popped in time order. A slot may have any number of timers; they die with it.
// Whether the times are event or processing time is the operator's business. Only the timers' rows are in snapshots; the
// order by time is built again on restore.
//
// Invariants: the timers of a slot are linked in strictly ascending time order; each is in the bucket of its time; every
// time with a bucket is in heap exactly once (a bucket may be empty after Cancel).
type Timers struct {
	list    *ListRows
	time    *column[int64]
	buckets map[int64]bucket
	heap    []int64
	next    []int32 // by timer: neighbours in the bucket, row+1; not in snapshots
	prev    []int32
}

// bucket is the timers of one time in the order they were set, row+1.
type bucket struct{ first, last int32 }

func newTimers(t *Table, name string) *Timers {
	r := newRowset(t.clk, t.layout.Name+"/"+name, 1)
	m := &Timers{list: newLinked(t, r), buckets: map[int64]bucket{}}
	m.time = internal[int64](r, 0)
	return m
}

// Set sets a timer for each slot: times[i], ms. One that is set already stays as it is. Negative slots are skipped.
func (m *Timers) Set(slots []int32, times []int64) {
	for i, s := range slots {
		if s >= 0 {
			m.SetOne(s, times[i])
		}
	}
}

// SetOne sets one timer; false if it was set already.
func (m *Timers) SetOne(slot int32, time int64) bool {
	at, found := m.find(slot, time)
	if found {
		return false
	}
	row := m.list.insert(slot, at)
	m.time.put(row, time)
	m.enqueue(row, time)
	return true
}

// find returns the slot's timer of that time, or the first later one (-1: none). Times mostly ascend: it begins at the end.
func (m *Timers) find(slot int32, time int64) (row int32, found bool) {
	later := int32(-1)
	for row := m.list.Last(slot); row >= 0; row = m.list.Prev(row) {
		t := m.time.at(row)
		if t == time {
			return row, true
		}
		if t < time {
			break
		}
		later = row
	}
	return later, false
}

// Cancel removes a timer; false if there is none.
func (m *Timers) Cancel(slot int32, time int64) bool {
	row, found := m.find(slot, time)
	if found {
		m.dequeue(row)
		m.list.Remove(row)
	}
	return found
}

// Clear removes all timers of a slot.
func (m *Timers) Clear(slot int32) {
	for row := m.list.First(slot); row >= 0; row = m.list.Next(row) {
		m.dequeue(row)
	}
	m.list.Clear(slot)
}

// First is the earliest timer of a slot.
func (m *Timers) First(slot int32) (time int64, ok bool) {
	row := m.list.First(slot)
	if row < 0 {
		return 0, false
	}
	return m.time.at(row), true
}

// Len is the number of timers of a slot; Count of all slots.
func (m *Timers) Len(slot int32) int { return m.list.Len(slot) }
func (m *Timers) Count() int         { return m.list.count }

// Min is the time of the earliest timer, math.MaxInt64 if there is none.
func (m *Timers) Min() int64 {
	for len(m.heap) > 0 {
		t := m.heap[0]
		if m.buckets[t].first != 0 {
			return t
		}
		m.popTime()
	}
	return math.MaxInt64
}

// PopDue removes timers with time ≤ t in time order and stores them in dst, up to its length. It returns how many; call it
// until that is 0 (timers set by what the earlier ones caused are then popped too). Timers of one time come in the order
// they were set, after a restore in another. A caller that deletes slots while it handles dst checks Live for the rest of it.
func (m *Timers) PopDue(t int64, dst []Due) int {
	n := 0
	for n < len(dst) {
		time := m.Min()
		if time > t || time == math.MaxInt64 && m.Count() == 0 {
			break
		}
		row := m.buckets[time].first - 1
		dst[n] = Due{m.list.Owner(row), time}
		n++
		m.dequeue(row)
		m.list.Remove(row)
	}
	return n
}

// enqueue appends a timer to the bucket of its time.
func (m *Timers) enqueue(row int32, time int64) {
	for len(m.next) <= int(row) {
		m.next = append(m.next, 0)
		m.prev = append(m.prev, 0)
	}
	b, known := m.buckets[time]
	m.next[row], m.prev[row] = 0, b.last
	if b.last != 0 {
		m.next[b.last-1] = row + 1
	} else {
		b.first = row + 1
	}
	b.last = row + 1
	m.buckets[time] = b
	if !known {
		m.pushTime(time)
	}
}

// dequeue takes a timer out of its bucket. The bucket stays until Min meets it empty.
func (m *Timers) dequeue(row int32) {
	time := m.time.at(row)
	b := m.buckets[time]
	next, prev := m.next[row], m.prev[row]
	if prev != 0 {
		m.next[prev-1] = next
	} else {
		b.first = next
	}
	if next != 0 {
		m.prev[next-1] = prev
	} else {
		b.last = prev
	}
	m.buckets[time] = b
}

func (m *Timers) pushTime(t int64) {
	h := append(m.heap, t)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up] <= h[i] {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
	m.heap = h
}

// popTime removes the least time and its empty bucket.
func (m *Timers) popTime() {
	h := m.heap
	delete(m.buckets, h[0])
	h[0] = h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if h[c] < h[least] {
				least = c
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	m.heap = h
}

// rebuild makes buckets and heap from the restored rows.
func (m *Timers) rebuild() {
	m.buckets, m.heap = map[int64]bucket{}, nil
	m.list.each(func(row int32) { m.enqueue(row, m.time.at(row)) })
}

func (m *Timers) bytes() int {
	return m.list.bytes() + 4*(cap(m.next)+cap(m.prev)) + 8*cap(m.heap) + 48*len(m.buckets)
}

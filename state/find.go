package state

// Probe is a batch of keys and what became of them. Keep one per operator and table: its result buffers are reused.
type Probe struct {
	Groups []uint64 // by physical row: Batch.Hash, whose key group the row lives in. nil: the subtask's first group (no key)
	Hashes []uint64 // by physical row: the hash of the whole key of this table
	Keys   []KeyCol // by physical row, one for each of Layout.Keys
	Rows   []int32  // the physical rows to work on; nil: 0..N-1
	N      int      // used if Rows is nil

	Slots []int32 // result: the slot of Rows[i], -1 if not found
	New   []bool  // result of FindOrInsert: Slots[i] was made for this row; a second row with that key has false
}

func (p *Probe) size(n int) {
	if cap(p.Slots) < n {
		p.Slots = make([]int32, n, n+n/2)
		p.New = make([]bool, n, n+n/2)
	}
	p.Slots, p.New = p.Slots[:n], p.New[:n]
	clear(p.New)
}

// Find looks keys up.
func (t *Table) Find(p *Probe) {
	rows := t.scratch.identity(p.Rows, p.N)
	p.size(len(rows))
	bad := t.lookup(p, rows)
	for i := range bad {
		if bad[i] {
			p.Slots[i] = t.probe(p, rows[i])
		}
	}
}

// FindOrInsert looks keys up and makes rows for those that are not there.
func (t *Table) FindOrInsert(p *Probe) {
	t.compact()
	rows := t.scratch.identity(p.Rows, p.N)
	p.size(len(rows))
	bad := t.lookup(p, rows)
	reused := t.scratch.used[:0]
	for i, s := range p.Slots {
		if s >= 0 && !bad[i] {
			continue
		}
		s = t.probe(p, rows[i])
		if s < 0 {
			var used bool
			if s, used = t.insert(p, rows[i]); used {
				reused = append(reused, s)
			}
			p.New[i] = true
		}
		p.Slots[i] = s
	}
	t.scratch.used = reused
	for _, f := range t.fams[famValues:] {
		for _, c := range f.cols {
			zeroSlots(c, reused)
		}
	}
}

func zeroSlots(c pager, slots []int32) {
	for _, s := range slots {
		c.zero(s)
	}
}

// lookup finds for each row the first entry with its tag, then compares keys column by column. The loads of one loop do not
// depend on each other, so that cache misses overlap. bad marks rows whose candidate has another key.
func (t *Table) lookup(p *Probe, rows []int32) (bad []bool) {
	for from := 0; from < len(rows); from += fetchRows {
		to := min(from+fetchRows, len(rows))
		t.index.fetch(p.Hashes, rows[from:to], p.Slots[from:to])
	}
	if cap(t.scratch.bad) < len(rows) {
		t.scratch.bad = make([]bool, len(rows)*3/2)
	}
	bad = t.scratch.bad[:len(rows)]
	clear(bad)
	for i := range t.keys {
		t.keys[i].match(&p.Keys[i], rows, p.Slots, bad)
	}
	return bad
}

// probe looks one key up.
func (t *Table) probe(p *Probe, row int32) int32 {
	tag := tagOf(p.Hashes[row])
	mask := len(t.index.entries) - 1
	for at := t.index.home(tag); ; at++ {
		e := t.index.entries[at&mask]
		if e == 0 {
			return -1
		}
		if s := int32(uint32(e)) - 1; uint32(e>>32) == tag && t.sameKey(p, row, s) {
			return s
		}
	}
}

func (t *Table) sameKey(p *Probe, row, s int32) bool {
	for i := range t.keys {
		if !t.keys[i].equal(&p.Keys[i], row, s) {
			return false
		}
	}
	return true
}

// insert makes a row; used says that values and links are still those of a deleted row.
func (t *Table) insert(p *Probe, row int32) (s int32, used bool) {
	group := t.owned.First
	if p.Groups != nil {
		group = Group(p.Groups[row])
	}
	if invariants && !t.owned.Contains(group) {
		panic("state: row of a key group that this subtask does not own")
	}
	s, used = t.take()
	t.hash.put(s, p.Hashes[row])
	t.group.put(s, group)
	for i := range t.keys {
		t.keys[i].store(&p.Keys[i], row, s)
	}
	t.index.reserve(1)
	t.index.insert(tagOf(p.Hashes[row]), s)
	return s, used
}

// Delete deletes rows with their lists, sorted maps and timers. Negative slots and slots already deleted are skipped.
func (t *Table) Delete(slots []int32) {
	t.compact()
	for _, s := range slots {
		if t.isLive(s) {
			t.remove(s)
		}
	}
}

func (t *Table) remove(s int32) {
	t.clear(s)
	t.index.remove(tagOf(t.Hash(s)), s)
	t.release(s)
}

// clear empties what hangs on a slot.
func (t *Table) clear(s int32) {
	for _, l := range t.lists {
		l.Clear(s)
	}
	for _, m := range t.sorted {
		m.Clear(s)
	}
	for _, m := range t.timers {
		m.Clear(s)
	}
}

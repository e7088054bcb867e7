package state

// Stamp sets the time of slots: of the last write, or of the last access, as the operator's TTL counts. Touch is not needed.
func (t *Table) Stamp(slots []int32, now int64) {
	t.fams[famValues].ownSlots(slots)
	for _, s := range slots {
		if s >= 0 {
			t.stamp.put(s, now)
		}
	}
}

// StampOf is the time of a slot, in ms.
func (t *Table) StampOf(slot int32) int64 { return t.stamp.pages[slot>>PageShift][slot&PageMask] }

// Renew makes rows that have expired (stamp + ttl ≤ now, ms) new: values zero and not null, lists, sorted maps and timers
// empty, isNew[i] true. Call it after FindOrInsert and before Stamp, so that an expired value is never seen.
// Rows that are new already are only stamped.
func (t *Table) Renew(slots []int32, isNew []bool, now, ttl int64) {
	for i, s := range slots {
		if isNew[i] {
			t.stamp.put(s, now)
			continue
		}
		if s < 0 || t.StampOf(s)+ttl > now {
			continue
		}
		t.clear(s)
		t.fams[famValues].ownSlot(s)
		for _, c := range t.values {
			if b, ok := c.(*bytesColumn); ok {
				b.set(s, nil)
			}
			c.zero(s)
		}
		t.stamp.put(s, now)
		isNew[i] = true
	}
}

// HideExpired replaces expired slots by -1: the Find that honours the TTL.
func (t *Table) HideExpired(slots []int32, now, ttl int64) {
	for i, s := range slots {
		if s >= 0 && t.StampOf(s)+ttl <= now {
			slots[i] = -1
		}
	}
}

// Expire deletes rows with stamp + ttl ≤ now (ms) among the next `rows` slots; the next call goes on behind them, so that
// the work is spread over calls. It returns the number of deleted rows.
func (t *Table) Expire(now, ttl int64, rows int) int {
	deleted := 0
	for ; rows > 0 && t.count > 0; rows-- {
		if t.expired >= t.high {
			t.expired = 0
		}
		if s := t.expired; t.isLive(s) && t.StampOf(s)+ttl <= now {
			t.remove(s)
			deleted++
		}
		t.expired++
	}
	return deleted
}

package op

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// joinSide keeps the rows of one input of a regular join: a list for each
// key. Behind the input's columns a row has, where they are needed, the
// number of its matches (counted), a hash of the row to find retracted ones
// by (retracts), and the time of its arrival (ttl).
//
// A row whose key can match nothing, for it is null, is not kept.
type joinSide struct {
	fields   []types.Field
	keys     []int
	aware    []bool // by key: nulls match nulls
	unique   bool   // one row a key
	retracts bool
	counted  bool
	ttl      expiry

	layout state.Layout
	own    keyed // this side's rows in this side's table
	probe  keyed // this side's rows in the other side's table
	list   *state.ListRows
	cols   []*store.Column
	count  state.Col[int64]
	hash   state.Col[int64]
	since  state.Col[int64]

	slots, others []int32 // by row looked at: slot here, and there; −1: none
	live, at      []int32 // scratch
	all           []*vec.Vector
	hashes        []uint64
	dead          []int32
}

func newJoinSide(name string, fields []types.Field, keys []int, ttl time.Duration) *joinSide {
	s := &joinSide{fields: fields, keys: keys, layout: layoutOf(name, fields, keys), ttl: expiry{ttl: ttl}}
	s.own.cols, s.probe.cols = keys, keys
	s.layout.TTL = ttl > 0
	return s
}

// extras are the places of the columns behind the input's; −1: it is not
// there.
func (s *joinSide) extras() (classes []state.Class, count, hash, since int) {
	classes = store.Classes(s.fields)
	add := func(wanted bool) int {
		if !wanted {
			return -1
		}
		classes = append(classes, state.I64)
		return len(classes) - 1
	}
	count, hash, since = add(s.counted), add(s.retracts && !s.unique), add(s.ttl.ttl > 0)
	return classes, count, hash, since
}

func (s *joinSide) open(b *state.Backend) error {
	classes, count, hash, since := s.extras()
	s.layout.Lists = []state.ListLayout{{Name: "rows", Values: classes}}
	t, err := b.Table(s.layout)
	if err != nil {
		return err
	}
	s.own.table, s.ttl.table, s.list = t, t, t.List(0)
	s.cols = store.NewColumns(s.list, 0, s.fields)
	for at, col := range map[int]*state.Col[int64]{count: &s.count, hash: &s.hash, since: &s.since} {
		if at >= 0 {
			*col = s.list.I64Col(at)
		}
	}
	return nil
}

// find looks rows up on both sides; here their keys are inserted.
func (s *joinSide) find(other *joinSide, b *vec.Batch, rows []int32, now types.Time) {
	live := s.matchable(b, rows)
	s.own.find(b, live, true)
	p := &s.own.probe
	s.ttl.stamp(p.Slots, p.New, now)
	s.slots = spreadSlots(s.slots, rows, live, p.Slots)
	s.probe.find(b, live, false)
	p = &s.probe.probe
	if other.ttl.ttl > 0 {
		other.ttl.table.HideExpired(p.Slots, int64(now), other.ttl.ttl.Milliseconds())
	}
	s.others = spreadSlots(s.others, rows, live, p.Slots)
}

// matchable are the rows whose key has no null that matches nothing.
func (s *joinSide) matchable(b *vec.Batch, rows []int32) []int32 {
	for i, k := range s.keys {
		v := b.Cols[k]
		if v.Nulls == nil || s.aware != nil && s.aware[i] {
			continue
		}
		kept := s.live[:0]
		for _, r := range rows {
			if !v.IsNull(int(r)) {
				kept = append(kept, r)
			}
		}
		rows, s.live = kept, kept
	}
	return rows
}

// spreadSlots gives each of rows its slot, −1 to those that are not among
// live.
func spreadSlots(dst, rows, live, slots []int32) []int32 {
	dst = dst[:0]
	if len(live) == len(rows) {
		return append(dst, slots...)
	}
	j := 0
	for _, r := range rows {
		if j < len(live) && live[j] == r {
			dst = append(dst, slots[j])
			j++
		} else {
			dst = append(dst, -1)
		}
	}
	return dst
}

// expired tells whether a row of the list has outlived the TTL.
func (s *joinSide) expired(row int32, now types.Time) bool {
	return s.ttl.ttl > 0 && s.since.At(row)+s.ttl.ttl.Milliseconds() <= int64(now)
}

// store applies the rows to the lists. matched is the number of matches of
// each, used if they are counted.
func (s *joinSide) store(b *vec.Batch, rows []int32, matched []int64, now types.Time) {
	if s.retracts && !s.unique {
		s.all = append(s.all[:0], b.Cols...)
		s.hashes = vec.HashRows(s.all, rows, b.N, s.hashes)
	}
	lo := 0
	for lo < len(rows) {
		hi := lo
		for hi < len(rows) && !b.Op(int(rows[hi])).Retracts() {
			hi++
		}
		s.appendRows(b, rows[lo:hi], s.slots[lo:hi], matched[lo:hi], now)
		for ; hi < len(rows) && b.Op(int(rows[hi])).Retracts(); hi++ {
			s.retract(b, int(rows[hi]), s.slots[hi])
		}
		lo = hi
	}
	s.drop(b)
}

func (s *joinSide) appendRows(b *vec.Batch, rows, slots []int32, matched []int64, now types.Time) {
	if len(rows) == 0 {
		return
	}
	s.at = append(s.at[:0], rows...)
	if s.unique {
		// A second row of the key takes the place of the first.
		for i, slot := range slots {
			if slot >= 0 {
				s.list.Clear(slot)
				s.list.Append(slots[i:i+1], s.at[i:i+1])
				s.put(b, rows[i:i+1], s.at[i:i+1], matched[i:i+1], now)
			}
		}
		return
	}
	if s.ttl.ttl > 0 {
		s.purge(slots, now)
	}
	s.list.Append(slots, s.at)
	s.put(b, rows, s.at, matched, now)
}

func (s *joinSide) put(b *vec.Batch, rows, at []int32, matched []int64, now types.Time) {
	for c, col := range s.cols {
		col.PutAll(at, b.Cols[c], rows)
	}
	for i, r := range at {
		if r < 0 {
			continue
		}
		if s.counted {
			s.count.Set(r, matched[i])
		}
		if s.retracts && !s.unique {
			s.hash.Set(r, int64(s.hashes[rows[i]]))
		}
		if s.ttl.ttl > 0 {
			s.since.Set(r, int64(now))
		}
	}
}

// purge removes the expired rows at the heads of lists.
func (s *joinSide) purge(slots []int32, now types.Time) {
	for _, slot := range slots {
		if slot < 0 {
			continue
		}
		for at := s.list.First(slot); at >= 0 && s.expired(at, now); at = s.list.First(slot) {
			s.list.Remove(at)
		}
	}
}

// retract removes the latest row that is equal; one that is not there (it
// has expired) is left out.
func (s *joinSide) retract(b *vec.Batch, row int, slot int32) {
	if slot < 0 {
		return
	}
	if s.unique {
		s.list.Clear(slot)
		return
	}
	h := int64(s.hashes[row])
	for at := s.list.Last(slot); at >= 0; at = s.list.Prev(at) {
		if s.hash.At(at) == h && s.equal(at, b, row) {
			s.list.Remove(at)
			return
		}
	}
}

func (s *joinSide) equal(at int32, b *vec.Batch, row int) bool {
	for c, col := range s.cols {
		if !col.Equal(at, b.Cols[c], row) {
			return false
		}
	}
	return true
}

// drop deletes the keys that have no rows left.
func (s *joinSide) drop(b *vec.Batch) {
	if b.Ops == nil {
		return
	}
	s.dead = s.dead[:0]
	for _, slot := range s.slots {
		if slot >= 0 && s.list.Len(slot) == 0 {
			s.dead = append(s.dead, slot)
		}
	}
	s.own.table.Delete(s.dead)
}

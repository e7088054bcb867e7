package op

import (
	"bytes"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// upsertRows finds the row of an upsert key: the key of its place in the
// ordered map of its partition.
type upsertRows struct {
	layout state.Layout
	keyed  keyed
	place  state.BytesCol
	key    []byte
}

func newUpsertRows(in []types.Field, key []int) *upsertRows {
	u := &upsertRows{layout: layoutOf("upsert keys", in, key), keyed: keyed{cols: key, own: true}}
	u.layout.Values = []state.Class{state.Bytes}
	u.layout.TTL = true
	return u
}

func (u *upsertRows) open(ctx *exec.Context) error {
	t, err := ctx.State.Table(u.layout)
	if err != nil {
		return err
	}
	u.keyed.table, u.place = t, t.BytesCol(0)
	return nil
}

func (u *upsertRows) expire(now types.Time, ttl time.Duration) {
	if ttl > 0 {
		u.keyed.table.Expire(int64(now), ttl.Milliseconds(), expireRows)
	}
}

// upserts replaces rows by upsert key: +I and +U bring the row, -D removes
// it, -U says nothing.
func (o *TopN) upserts(b *vec.Batch, rows, slots []int32) {
	u := o.upsert
	u.keyed.find(b, rows, true)
	at := u.keyed.probe.Slots
	u.keyed.table.Touch(at)
	u.keyed.table.Stamp(at, int64(o.ctx.Now))
	for i, r := range rows {
		switch b.Op(int(r)) {
		case vec.UpdateBefore:
		case vec.Delete:
			o.removeUpsert(slots[i], at[i])
		default:
			o.replaceUpsert(b, r, slots[i], at[i])
		}
	}
	o.empty = o.empty[:0]
	for _, s := range at {
		if u.place.Len(s) == 0 {
			o.empty = append(o.empty, s)
		}
	}
	u.keyed.table.Delete(o.empty)
}

// removeUpsert removes the row of an upsert key, and returns the key of its
// place; nil if there is none.
func (o *TopN) removeUpsert(slot, key int32) []byte {
	u := o.upsert
	u.key = append(u.key[:0], u.place.At(key)...)
	u.place.Set(key, nil)
	row := o.rows.Find(slot, u.key)
	if len(u.key) == 0 || row < 0 {
		return nil
	}
	o.remove(o.part(slot), row)
	return u.key
}

// replaceUpsert puts the new row of an upsert key in. A row whose order does
// not change keeps its place among ties.
func (o *TopN) replaceUpsert(b *vec.Batch, r, slot, key int32) {
	p := o.part(slot)
	old := o.removeUpsert(slot, key)
	o.orderKey(b, r)
	seq := int64(0)
	if n := len(old) - 8; n >= 0 && bytes.Equal(old[:n], o.key) {
		for _, x := range old[n:] {
			seq = seq<<8 | int64(x)
		}
	} else {
		seq = o.nextSeq(slot)
	}
	o.insert(p, b, r, seq)
	o.upsert.place.Set(key, o.key)
}

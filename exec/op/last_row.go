package op

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// lastRows keeps one row for each key, and tells how the rows of a batch
// change it. Within a batch only the row that stays is written.
type lastRows struct {
	keys   []int
	before bool // emit -U
	layout state.Layout
	keyed  keyed
	cols   []*store.Column // of the whole row
	values []int           // columns that are not of the key
	in     []types.Field
	index  slotIndex
	had    []bool  // by number in index
	row    []int32 // the batch's row that stays; untouched, removed
	dead   []int32
	out    *vec.Batch
}

const (
	untouched = -1
	removed   = -2
)

// newLastRows lays out rows of in by key; extra value columns follow the
// row's.
func newLastRows(name string, in []types.Field, keys []int, extra ...state.Class) lastRows {
	l := lastRows{keys: keys, in: in, layout: layoutOf(name, in, keys), keyed: keyed{cols: keys}}
	for i, f := range in {
		if !slices.Contains(keys, i) {
			l.values = append(l.values, i)
			l.layout.Values = append(l.layout.Values, store.Class(f.Type))
		}
	}
	l.layout.Values = append(l.layout.Values, extra...)
	return l
}

func (l *lastRows) open(ctx *exec.Context) error {
	t, err := ctx.State.Table(l.layout)
	if err != nil {
		return err
	}
	l.keyed.table = t
	value := 0
	for i, f := range l.in {
		if k := slices.Index(l.keys, i); k >= 0 {
			l.cols = append(l.cols, store.NewColumn(store.TableKeys(t), k, f.Type))
			continue
		}
		l.cols = append(l.cols, store.NewColumn(t, value, f.Type))
		value++
	}
	return nil
}

// find makes or finds the keys of rows.
func (l *lastRows) find(b *vec.Batch, rows []int32, ttl *expiry, now types.Time) (slots []int32, isNew []bool) {
	l.keyed.find(b, rows, true)
	p := &l.keyed.probe
	ttl.stamp(p.Slots, p.New, now)
	l.keyed.table.Touch(p.Slots)
	l.index.begin()
	l.had, l.row = l.had[:0], l.row[:0]
	return p.Slots, p.New
}

// at is the number of a key in the batch.
func (l *lastRows) at(slot int32, isNew bool) int {
	i, first := l.index.at(slot)
	if first {
		l.had, l.row = append(l.had, !isNew), append(l.row, untouched)
	}
	return i
}

// emit sends the changes of the batch and keeps the rows that stay.
// unchanged tells whether to leave out updates to an equal row.
func (l *lastRows) emit(b *vec.Batch, unchanged bool, out exec.Output) error {
	l.out.Reset()
	l.dead = l.dead[:0]
	for i, slot := range l.index.slots {
		r := l.row[i]
		switch {
		case r == untouched:
		case r == removed:
			if l.had[i] {
				l.kept(vec.Delete, slot)
			}
			l.dead = append(l.dead, slot)
		case !l.had[i]:
			l.came(vec.Insert, b, r, slot)
		case unchanged && sameRow(l.cols, slot, b, int(r)):
		default:
			if l.before {
				l.kept(vec.UpdateBefore, slot)
			}
			l.came(vec.UpdateAfter, b, r, slot)
		}
	}
	l.keyed.table.Delete(l.dead)
	if l.out.N == 0 {
		return nil
	}
	return out.Emit(l.out)
}

// kept emits the row that is kept.
func (l *lastRows) kept(op vec.Op, slot int32) {
	for c, k := range l.cols {
		k.Append(l.out.Cols[c], slot)
	}
	l.add(op)
}

// came emits a row of the batch and keeps it.
func (l *lastRows) came(op vec.Op, b *vec.Batch, r, slot int32) {
	for c := range l.cols {
		l.out.Cols[c].AppendFrom(b.Cols[c], int(r))
	}
	l.add(op)
	l.keep(b, r, slot)
}

// add ends an output row; a column behind those of the row is the rank.
func (l *lastRows) add(op vec.Op) {
	if n := len(l.cols); n < len(l.out.Cols) {
		l.out.Cols[n].I64 = append(l.out.Cols[n].I64, 1)
	}
	l.out.Ops = append(l.out.Ops, op)
	l.out.N++
}

// keep stores a row of the batch; its key is there already.
func (l *lastRows) keep(b *vec.Batch, r, slot int32) {
	for _, c := range l.values {
		l.cols[c].Put(slot, b.Cols[c], int(r))
	}
}

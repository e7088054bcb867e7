package agg

import (
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// rowList keeps the values of a group in the order they came. A retraction
// takes the earliest equal row out, as in Flink; one that never came is left
// out.
type rowList struct {
	ts   []types.Type
	rows *state.ListRows
	cols []*store.Column
	at   []int32
	one  []*vec.Vector // for merge
}

func listOf(name string, ts ...types.Type) state.ListLayout {
	l := state.ListLayout{Name: name}
	for _, t := range ts {
		l.Values = append(l.Values, store.Class(t))
	}
	return l
}

func (l *rowList) open(rows *state.ListRows) {
	l.rows = rows
	for i, t := range l.ts {
		l.cols = append(l.cols, store.NewColumn(rows, i, t))
		l.one = append(l.one, vec.New(t))
	}
}

func (l *rowList) add(args []*vec.Vector, rows, slots []int32, ops []vec.Op) {
	if ops == nil {
		l.append(args, rows, slots)
		return
	}
	for i, r := range rows {
		if ops[r].Retracts() {
			l.remove(args, int(r), slots[i])
		} else {
			l.append(args, rows[i:i+1], slots[i:i+1])
		}
	}
}

func (l *rowList) append(args []*vec.Vector, rows, slots []int32) {
	l.at = append(l.at[:0], rows...)
	l.rows.Append(slots, l.at)
	for c, col := range l.cols {
		col.PutAll(l.at, args[c], rows)
	}
}

func (l *rowList) remove(args []*vec.Vector, row int, slot int32) {
	for at := l.rows.First(slot); at >= 0; at = l.rows.Next(at) {
		if l.equal(at, args, row) {
			l.rows.Remove(at)
			return
		}
	}
}

func (l *rowList) equal(at int32, args []*vec.Vector, row int) bool {
	for c, col := range l.cols {
		if !col.Equal(at, args[c], row) {
			return false
		}
	}
	return true
}

// merge copies the rows of from behind those of to.
func (l *rowList) merge(to, from []int32) {
	for i := range to {
		for at := l.rows.First(from[i]); at >= 0; at = l.rows.Next(at) {
			for c, col := range l.cols {
				l.one[c].Reset()
				col.Append(l.one[c], at)
			}
			l.append(l.one, vec.Identity(1), to[i:i+1])
		}
	}
}

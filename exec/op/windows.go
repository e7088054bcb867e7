package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// windows is what all window aggregations have in common: a table of
// accumulators by key and a number (the end of the window or slice, or what
// names a session), timers, and the output.
type windows struct {
	spec   WindowAggSpec
	ctx    *exec.Context
	clock  wallClock
	layout state.Layout
	table  *state.Table
	timers *state.Timers // at the time when the row's window fires
	aggs   *aggSet
	keys   []*store.Column
	ids    state.Col[int64] // the last key column
	start  state.Col[int64] // layout's first value
	rows   state.Col[int64] // second value: rows that were not taken back, if the input retracts

	probe state.Probe
	vs    []*vec.Vector
	key   store.Keys
	hash  []uint64
	id    *vec.Vector // of the rows to look up, by physical row
	times []int64
	due   []state.Due
	done  windowList // that fire
	live  windowList // those of them that have rows
	out   *vec.Batch
	kept  []int32
	fired firedCache
}

const (
	startCol = iota
	rowsCol
	windowCols
)

func newWindows(s WindowAggSpec, clock wallClock) windows {
	w := windows{spec: s, clock: clock, layout: layoutOf("windows", s.Inputs[0], s.Keys)}
	w.layout.Keys = append(w.layout.Keys, state.I64)
	w.layout.Values = []state.Class{state.I64, state.I64}
	w.layout.Timers = []string{"fire"}
	w.out = batchOf(s.Output)
	w.id = &vec.Vector{Kind: vec.I64}
	return w
}

// addAggs appends the accumulators, behind all other value columns.
func (w *windows) addAggs() {
	w.aggs = newAggSet(w.spec.Aggs, w.spec.Inputs[0], w.spec.InputRetract, &w.layout)
}

func (w *windows) Open(ctx *exec.Context) error {
	t, err := ctx.State.Table(w.layout)
	if err != nil {
		return err
	}
	w.ctx, w.table, w.timers = ctx, t, t.Timers(0)
	w.ids, w.start, w.rows = t.KeyI64(len(w.spec.Keys)), t.I64Col(startCol), t.I64Col(rowsCol)
	w.aggs.open(t, w.spec.InputRetract)
	for i, k := range w.spec.Keys {
		w.keys = append(w.keys, store.NewColumn(store.TableKeys(t), i, w.spec.Inputs[0][k].Type))
	}
	return nil
}

func (w *windows) Close() error { return nil }

// find makes or finds the rows of the given rows of b: their keys, and their
// numbers in w.id.
func (w *windows) find(b *vec.Batch, rows []int32) {
	w.vs = w.vs[:0]
	for _, c := range w.spec.Keys {
		w.vs = append(w.vs, b.Cols[c])
	}
	w.vs = append(w.vs, w.id)
	p := &w.probe
	w.hash = vec.HashRows(w.vs, rows, b.N, w.hash)
	p.Groups, p.Hashes = b.Hash, w.hash
	if b.Hash == nil && len(w.spec.Keys) > 0 {
		p.Groups = w.hash
	}
	p.Keys, p.Rows, p.N = w.key.Of(w.vs, rows), rows, len(rows)
	w.table.FindOrInsert(p)
	w.table.Touch(p.Slots)
}

// add folds rows of b into slots, which have been touched.
func (w *windows) add(b *vec.Batch, rows, slots []int32) error {
	if w.spec.InputRetract {
		for i, r := range rows {
			if b.Op(int(r)).Retracts() {
				*w.rows.Ptr(slots[i])--
			} else {
				*w.rows.Ptr(slots[i])++
			}
		}
	}
	return w.aggs.add(b, rows, slots)
}

// isFired tells whether the window with this end has fired. Windows over
// processing time have not, as long as rows come.
func (w *windows) isFired(end int64) bool {
	return w.fired.at(end, w.ctx.Watermark, &w.clock)
}

// late counts rows that are dropped.
func (w *windows) late(n int) {
	if n > 0 {
		w.ctx.Metrics.Late.Add(int64(n))
	}
}

// firedCache remembers the last answers: rows of a batch ask about few
// windows.
type firedCache struct {
	// Windows with an end up to fired have fired at mark; those from open on
	// have not.
	mark        types.Time
	fired, open int64
	valid       bool
}

func (c *firedCache) at(end int64, mark types.Time, clock *wallClock) bool {
	if mark == types.MinTime {
		return false
	}
	if !c.valid || c.mark != mark {
		*c = firedCache{mark: mark, fired: minInt64, open: maxInt64, valid: true}
	}
	switch {
	case end <= c.fired:
		return true
	case end >= c.open:
		return false
	case clock.fires(end) <= int64(mark):
		c.fired = end
		return true
	}
	c.open = end
	return false
}

const (
	minInt64 = int64(types.MinTime)
	maxInt64 = int64(types.MaxTime)
)

// emit adds the results of w.done to the output batch. Windows whose rows
// were all taken back give nothing.
func (w *windows) emit(out exec.Output) error {
	slots, starts, ends := w.done.slots, w.done.starts, w.done.ends
	if w.spec.InputRetract {
		slots, starts, ends = w.alive(slots, starts, ends)
	}
	k := len(w.keys)
	for c, key := range w.keys {
		key.AppendAll(w.out.Cols[c], slots)
	}
	if err := w.aggs.results(slots, w.out.Cols[k:k+len(w.spec.Aggs)]); err != nil {
		return err
	}
	for i, p := range w.spec.Properties {
		w.property(p, k+len(w.spec.Aggs)+i, starts, ends)
	}
	if w.out.N += len(slots); w.out.N >= vec.MaxRows {
		return w.flush(out)
	}
	return nil
}

func (w *windows) flush(out exec.Output) error {
	if w.out.N == 0 {
		return nil
	}
	err := out.Emit(w.out)
	w.out.Reset()
	return err
}

// alive are those of the windows that have rows.
func (w *windows) alive(slots []int32, starts, ends []int64) ([]int32, []int64, []int64) {
	l := &w.live
	l.reset()
	for i, s := range slots {
		if w.rows.At(s) > 0 {
			l.add(s, starts[i], ends[i])
		}
	}
	return l.slots, l.starts, l.ends
}

// windowList is windows by slot.
type windowList struct {
	slots        []int32
	starts, ends []int64
}

func (l *windowList) reset() { l.slots, l.starts, l.ends = l.slots[:0], l.starts[:0], l.ends[:0] }

func (l *windowList) add(slot int32, start, end int64) {
	l.slots, l.starts, l.ends = append(l.slots, slot), append(l.starts, start), append(l.ends, end)
}

// property appends one of the window's columns. A TIMESTAMP is the wall
// clock, a TIMESTAMP_LTZ the instant.
func (w *windows) property(p WindowProperty, col int, starts, ends []int64) {
	v := w.out.Cols[col]
	at, less := ends, int64(0)
	switch p {
	case WindowStart:
		at = starts
	case WindowTime:
		less = 1
	case WindowProcess:
		for range ends {
			v.I64 = append(v.I64, int64(w.ctx.Now)*1000)
		}
		return
	}
	instant := w.spec.Output[col].Type.Kind == types.TimestampLTZ
	for _, t := range at {
		if t -= less; instant {
			t = w.clock.instant(t)
		}
		v.I64 = append(v.I64, t*1000)
	}
}

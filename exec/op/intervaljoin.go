package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// IntervalJoin joins rows whose times are close:
// left + (−Upper) ≤ right ≤ left + (−Lower). For each key it keeps the rows of
// both sides by time, until no row that may still come can meet them. A row
// of an outer side that met none is emitted then, so the watermark that is
// passed on is held back by as long as a row may wait.
//
// Late rows are not dropped: they meet what is still kept. As in Flink, kept
// rows are looked through half an interval after they could go.
type IntervalJoin struct {
	spec  IntervalJoinSpec
	ctx   *exec.Context
	match *matcher
	out   *joined
	table *state.Table
	find  [2]keyed
	sides [2]*intervalSide
	hold  int64 // ms that the watermark is held back
	slack int64 // ms that rows are kept longer than they could be

	in    int
	batch *vec.Batch
	pairs pairs
	live  []int32
	slots []int32 // by row: slot or −1
	times []int64 // by physical row
	clock wallClock
	met   []bool // by row
	to    exec.Output
	due   [256]state.Due
	key   []byte
	empty []int32
}

// intervalSide is the rows of one side, ordered by time and arrival.
type intervalSide struct {
	fields []types.Field
	keys   []int
	time   int
	outer  bool
	// A row of time t meets rows of the other side from t+from to t+to.
	from, to int64
	seq      state.Col[int64] // by key: rows that came
	rows     *state.SortedRows
	timers   *state.Timers
	cols     []*store.Column
	at       state.Col[int64] // ms
	met      state.Col[bool]
	gone     []int32
}

// NewIntervalJoin makes the operator.
func NewIntervalJoin(s IntervalJoinSpec) (exec.Operator, error) {
	o := &IntervalJoin{spec: s, out: newJoined(s.Common), slack: (s.Upper - s.Lower) / 2, hold: max(-s.Lower, s.Upper, 0)}
	left := &intervalSide{fields: s.Inputs[0], keys: s.LeftKeys, time: s.LeftTime, outer: s.Kind == Left || s.Kind == Full, from: -s.Upper, to: -s.Lower}
	right := &intervalSide{fields: s.Inputs[1], keys: s.RightKeys, time: s.RightTime, outer: s.Kind == Right || s.Kind == Full, from: s.Lower, to: s.Upper}
	o.sides = [2]*intervalSide{left, right}
	o.find[0].cols, o.find[1].cols = s.LeftKeys, s.RightKeys
	var err error
	o.match, err = newMatcher(s.Residual, s.Inputs, s.Zone)
	return o, err
}

func (o *IntervalJoin) Open(ctx *exec.Context) error {
	o.ctx = ctx
	l := layoutOf("interval", o.spec.Inputs[0], o.spec.LeftKeys)
	l.Values = []state.Class{state.I64, state.I64}
	l.Timers = []string{"left end", "right end"}
	for i, s := range o.sides {
		l.Sorted = append(l.Sorted, state.ListLayout{Name: [2]string{"left", "right"}[i], Values: append(store.Classes(s.fields), state.I64, state.Bool)})
	}
	t, err := ctx.State.Table(l)
	if err != nil {
		return err
	}
	o.table, o.find[0].table, o.find[1].table = t, t, t
	for i, s := range o.sides {
		s.seq, s.rows, s.timers = t.I64Col(i), t.Sorted(i), t.Timers(i)
		s.cols = store.NewColumns(s.rows, 0, s.fields)
		s.at, s.met = s.rows.I64Col(len(s.fields)), s.rows.BoolCol(len(s.fields)+1)
	}
	return nil
}

// now is the time that rows are measured by.
func (o *IntervalJoin) now() int64 {
	if o.spec.Proctime {
		return int64(o.ctx.Now)
	}
	return int64(o.ctx.Watermark)
}

func (o *IntervalJoin) Process(in int, b *vec.Batch, out exec.Output) (err error) {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	own, other := o.sides[in], o.sides[1-in]
	o.in, o.batch, o.to = in, b, out
	if err := o.setTimes(own, b, rows); err != nil {
		return err
	}
	o.findSlots(own, b, rows)
	o.met = append(o.met[:0], make([]bool, len(rows))...)
	for lo := 0; lo < len(rows); {
		hi := o.candidates(rows, lo)
		if err := o.match.keep(o.ctx, &o.pairs, side{vs: b.Cols}, side{kept: other.cols}, in == 1); err != nil {
			return err
		}
		if err := o.emitPairs(other); err != nil {
			return err
		}
		lo = hi
	}
	for i, r := range rows {
		if !o.keep(own, i, r) && own.outer && !o.met[i] {
			o.add(r, -1)
		}
	}
	o.dropEmpty(o.slots)
	return o.emit()
}

func (o *IntervalJoin) setTimes(s *intervalSide, b *vec.Batch, rows []int32) (err error) {
	o.times = grown(o.times, b.N)
	if !o.spec.Proctime {
		o.times, err = columnTimes(&o.clock, b.Cols[s.time], rows, o.times)
		return err
	}
	for _, r := range rows {
		o.times[r] = int64(o.ctx.Now)
	}
	return nil
}

func (o *IntervalJoin) findSlots(s *intervalSide, b *vec.Batch, rows []int32) {
	live := notNull(b, s.keys, rows, &o.live)
	f := &o.find[o.in]
	f.find(b, live, true)
	o.table.Touch(f.probe.Slots)
	o.slots = spreadSlots(o.slots, rows, live, f.probe.Slots)
}

// notNull are the rows without a null in the given columns.
func notNull(b *vec.Batch, cols []int, rows []int32, scratch *[]int32) []int32 {
	for _, c := range cols {
		v := b.Cols[c]
		if v.Nulls == nil {
			continue
		}
		kept := (*scratch)[:0]
		for _, r := range rows {
			if !v.IsNull(int(r)) {
				kept = append(kept, r)
			}
		}
		rows, *scratch = kept, kept
	}
	return rows
}

// candidates pairs rows from lo on with those of the other side that are
// close; see Join.candidates.
func (o *IntervalJoin) candidates(rows []int32, lo int) int {
	own, other := o.sides[o.in], o.sides[1-o.in]
	o.pairs.reset()
	for ; lo < len(rows) && len(o.pairs.own) < vec.MaxRows; lo++ {
		slot, t := o.slots[lo], o.times[rows[lo]]
		if slot < 0 {
			continue
		}
		o.key = state.AppendSortI64(o.key[:0], t+own.from, false)
		for at := other.rows.Seek(slot, o.key); at >= 0 && other.at.At(at) <= t+own.to; at = other.rows.Next(at) {
			o.pairs.add(lo, rows[lo], at)
		}
	}
	return lo
}

func (o *IntervalJoin) emitPairs(other *intervalSide) error {
	if other.outer {
		other.rows.Touch(o.pairs.other)
	}
	for i, r := range o.pairs.own {
		m := o.pairs.other[i]
		o.met[o.pairs.item[i]] = true
		if other.outer {
			other.met.Set(m, true)
		}
		o.add(r, m)
		if o.out.full() {
			if err := o.emit(); err != nil {
				return err
			}
		}
	}
	return o.emit()
}

// keep stores a row if rows that meet it may still come.
func (o *IntervalJoin) keep(s *intervalSide, i int, row int32) bool {
	slot, t := o.slots[i], o.times[row]
	if slot < 0 || o.now() >= t+s.to {
		return false
	}
	if s.rows.Len(slot) == 0 {
		s.timers.SetOne(slot, t+s.to+o.slack+1)
	}
	*s.seq.Ptr(slot)++
	o.key = state.AppendSortI64(o.key[:0], t, false)
	o.key = state.AppendSortI64(o.key, s.seq.At(slot), false)
	at, _ := s.rows.Insert(slot, o.key)
	for c, col := range s.cols {
		col.Put(at, o.batch.Cols[c], int(row))
	}
	s.at.Set(at, t)
	s.met.Set(at, o.met[i])
	return true
}

// add collects an output row.
func (o *IntervalJoin) add(own, other int32) {
	if o.in == 1 {
		own, other = other, own
	}
	o.out.add(vec.Insert, own, other)
}

func (o *IntervalJoin) emit() error {
	own, other := side{vs: o.batch.Cols}, side{kept: o.sides[1-o.in].cols}
	if o.in == 1 {
		own, other = other, own
	}
	return o.out.emit(own, other, o.to)
}

// dropEmpty deletes the keys that keep no row.
func (o *IntervalJoin) dropEmpty(slots []int32) {
	o.empty = o.empty[:0]
	for _, s := range slots {
		if s >= 0 && o.sides[0].rows.Len(s) == 0 && o.sides[1].rows.Len(s) == 0 {
			o.empty = append(o.empty, s)
		}
	}
	o.table.Delete(o.empty)
}

// Advance drops the rows that nothing can meet any more, and passes on a
// watermark that the rows of outer sides that wait keep to.
func (o *IntervalJoin) Advance(t types.Time, out exec.Output) error {
	if o.spec.Proctime {
		return out.Watermark(t)
	}
	if err := o.expire(int64(t), out); err != nil {
		return err
	}
	if t != types.MaxTime {
		t = max(t-types.Time(o.hold), types.MinTime+1)
	}
	return out.Watermark(t)
}

// Wake is Advance by processing time.
func (o *IntervalJoin) Wake(now types.Time, out exec.Output) (types.Time, error) {
	if !o.spec.Proctime {
		return types.MaxTime, nil
	}
	err := o.expire(int64(now), out)
	return types.Time(min(o.sides[0].timers.Min(), o.sides[1].timers.Min())), err
}

func (o *IntervalJoin) expire(t int64, out exec.Output) error {
	for i, s := range o.sides {
		for n := s.timers.PopDue(t, o.due[:]); n > 0; n = s.timers.PopDue(t, o.due[:]) {
			if err := o.expireKeys(i, s, o.due[:n], t, out); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *IntervalJoin) expireKeys(i int, s *intervalSide, due []state.Due, t int64, out exec.Output) error {
	s.gone = s.gone[:0]
	o.slots = o.slots[:0]
	for _, d := range due {
		o.slots = append(o.slots, d.Slot)
		at := s.rows.First(d.Slot)
		for ; at >= 0 && s.at.At(at)+s.to+1 <= t; at = s.rows.Next(at) {
			s.gone = append(s.gone, at)
		}
		if at >= 0 {
			s.timers.SetOne(d.Slot, s.at.At(at)+s.to+o.slack+1)
		}
	}
	if s.outer {
		if err := o.unmatched(i, s, out); err != nil {
			return err
		}
	}
	for _, at := range s.gone {
		s.rows.Remove(at)
	}
	o.dropEmpty(o.slots)
	return nil
}

// unmatched emits those of the rows that go which met none.
func (o *IntervalJoin) unmatched(i int, s *intervalSide, out exec.Output) error {
	left, right := side{kept: o.sides[0].cols}, side{kept: o.sides[1].cols}
	for _, at := range s.gone {
		if s.met.At(at) {
			continue
		}
		if i == 0 {
			o.out.add(vec.Insert, at, -1)
		} else {
			o.out.add(vec.Insert, -1, at)
		}
		if o.out.full() {
			if err := o.out.emit(left, right, out); err != nil {
				return err
			}
		}
	}
	return o.out.emit(left, right, out)
}

func (o *IntervalJoin) Close() error { return nil }

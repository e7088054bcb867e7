package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// WindowJoin joins the rows of equal windows and keys when the window
// closes; then they are forgotten. Rows of a window that has closed are late.
//
// A row with a null key meets none: if such rows count, it is emitted at
// once.
type WindowJoin struct {
	spec  WindowJoinSpec
	ctx   *exec.Context
	match *matcher
	out   *joined
	table *state.Table
	find  [2]keyed
	lists [2]*state.ListRows
	cols  [2][]*store.Column
	ends  [2]int
	fires *state.Timers
	clock wallClock

	live   []int32
	timely []int32
	when   []int64 // when the row's window fires, by physical row
	at     []int32
	due    [256]state.Due
	slots  []int32
	lefts  []int32
	rights []int32
	pairs  pairs
	met    []bool   // by place in lefts
	metBy  distinct // right rows that met one
}

// NewWindowJoin makes the operator.
func NewWindowJoin(s WindowJoinSpec) (exec.Operator, error) {
	o := &WindowJoin{spec: s, out: newJoined(s.Common), ends: [2]int{s.LeftEnd, s.RightEnd}, clock: clockOf(s.Zone, s.LTZ)}
	for i, keys := range [][]int{s.LeftKeys, s.RightKeys} {
		o.find[i].cols = append(append([]int(nil), keys...), o.ends[i])
		o.find[i].own = true
	}
	var err error
	o.match, err = newMatcher(s.Residual, s.Inputs, s.Zone)
	return o, err
}

func (o *WindowJoin) Open(ctx *exec.Context) error {
	l := layoutOf("windows", o.spec.Inputs[0], o.find[0].cols)
	l.Timers = []string{"fires"}
	for i, name := range []string{"left", "right"} {
		l.Lists = append(l.Lists, state.ListLayout{Name: name, Values: store.Classes(o.spec.Inputs[i])})
	}
	t, err := ctx.State.Table(l)
	if err != nil {
		return err
	}
	o.ctx, o.table, o.fires = ctx, t, t.Timers(0)
	for i := range o.lists {
		o.find[i].table, o.lists[i] = t, t.List(i)
		o.cols[i] = store.NewColumns(o.lists[i], 0, o.spec.Inputs[i])
	}
	return nil
}

func (o *WindowJoin) Process(in int, b *vec.Batch, out exec.Output) error {
	rows, err := o.open(b, o.ends[in])
	if err != nil || len(rows) == 0 {
		return err
	}
	f := &o.find[in]
	live := notNull(b, f.cols, rows, &o.live)
	if len(live) < len(rows) {
		if err := o.unmatchable(in, b, rows, live, out); err != nil || len(live) == 0 {
			return err
		}
	}
	f.find(b, live, true)
	slots := f.probe.Slots
	o.at = append(o.at[:0], live...)
	o.lists[in].Append(slots, o.at)
	for c, col := range o.cols[in] {
		col.PutAll(o.at, b.Cols[c], live)
	}
	for i, r := range live {
		if f.probe.New[i] {
			o.fires.SetOne(slots[i], o.when[r])
		}
	}
	return nil
}

// open are the rows whose window has not fired.
func (o *WindowJoin) open(b *vec.Batch, end int) (rows []int32, err error) {
	all := b.Rows()
	o.when = grown(o.when, b.N)
	if o.when, err = columnTimes(&wallClock{}, b.Cols[end], all, o.when); err != nil {
		return nil, err
	}
	o.timely = o.timely[:0]
	for _, r := range all {
		if o.when[r] = o.clock.fires(o.when[r]); o.when[r] > int64(o.ctx.Watermark) {
			o.timely = append(o.timely, r)
		}
	}
	o.ctx.Metrics.Late.Add(int64(len(all) - len(o.timely)))
	return o.timely, nil
}

// unmatchable emits the rows with a null key of a side whose rows without a
// match count.
func (o *WindowJoin) unmatchable(in int, b *vec.Batch, rows, live []int32, out exec.Output) error {
	k := o.spec.Kind
	if in == 0 && k != Left && k != Full && k != Anti || in == 1 && k != Right && k != Full {
		return nil
	}
	o.slots = spreadSlots(o.slots, rows, live, live)
	for i, r := range rows {
		switch {
		case o.slots[i] >= 0:
		case in == 0:
			o.out.add(vec.Insert, r, -1)
		default:
			o.out.add(vec.Insert, -1, r)
		}
	}
	return o.out.emit(side{vs: b.Cols}, side{vs: b.Cols}, out)
}

// Advance joins the windows that close.
func (o *WindowJoin) Advance(t types.Time, out exec.Output) error {
	for n := o.fires.PopDue(int64(t), o.due[:]); n > 0; n = o.fires.PopDue(int64(t), o.due[:]) {
		o.slots = o.slots[:0]
		for _, d := range o.due[:n] {
			o.slots = append(o.slots, d.Slot)
		}
		for lo := 0; lo < n; {
			hi := o.gather(o.slots, lo)
			if err := o.join(out); err != nil {
				return err
			}
			lo = hi
		}
		o.table.Delete(o.slots)
	}
	return out.Watermark(t)
}

// gather pairs the rows of windows from lo on, until there are about a batch
// of pairs.
func (o *WindowJoin) gather(slots []int32, lo int) int {
	left, right := o.lists[0], o.lists[1]
	o.lefts, o.rights = o.lefts[:0], o.rights[:0]
	o.pairs.reset()
	for ; lo < len(slots) && len(o.pairs.own)+len(o.lefts)+len(o.rights) < vec.MaxRows; lo++ {
		first := len(o.rights)
		for r := right.First(slots[lo]); r >= 0; r = right.Next(r) {
			o.rights = append(o.rights, r)
		}
		for l := left.First(slots[lo]); l >= 0; l = left.Next(l) {
			for _, r := range o.rights[first:] {
				o.pairs.add(len(o.lefts), l, r)
			}
			o.lefts = append(o.lefts, l)
		}
	}
	return lo
}

// join emits what the gathered rows make.
func (o *WindowJoin) join(out exec.Output) error {
	left, right := side{kept: o.cols[0]}, side{kept: o.cols[1]}
	if err := o.match.keep(o.ctx, &o.pairs, left, right, false); err != nil {
		return err
	}
	o.met = append(o.met[:0], make([]bool, len(o.lefts))...)
	o.metBy.begin()
	for i, at := range o.pairs.item {
		o.met[at] = true
		o.metBy.add(o.pairs.other[i])
		if o.spec.Kind < Semi {
			o.out.add(vec.Insert, o.pairs.own[i], o.pairs.other[i])
		}
	}
	for i, l := range o.lefts {
		if o.met[i] == (o.spec.Kind == Semi) && o.leftCounts() {
			o.out.add(vec.Insert, l, -1)
		}
	}
	if o.spec.Kind == Right || o.spec.Kind == Full {
		for _, r := range o.rights {
			if o.metBy.add(r) {
				o.out.add(vec.Insert, -1, r)
			}
		}
	}
	return o.out.emit(left, right, out)
}

// leftCounts: a left row is emitted on its own, if it met one or met none.
func (o *WindowJoin) leftCounts() bool { return o.spec.Kind != Inner && o.spec.Kind != Right }

func (o *WindowJoin) Close() error { return nil }

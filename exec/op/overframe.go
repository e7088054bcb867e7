package op

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/state"
)

// overFrame computes the functions of an OVER window for rows that are handed
// to it in order. A slot of its table is a partition.
//
// Peers are the rows of one slot that are handed over together: all of them
// are folded before the results are taken, so that they share these (but for
// ROW_NUMBER).
type overFrame struct {
	spec  OverSpec
	width int // input columns

	results []overResult
	aggs    *aggSet
	values  []*vec.Vector // results of aggs, by group
	numbers bool          // ROW_NUMBER, RANK or DENSE_RANK is asked for

	table           *state.Table
	n, last         state.Col[int64] // rows so far, time of the last one
	rank, dense     state.Col[int64]
	history         *state.ListRows // bounded frames: the rows in it
	historyTime     state.Col[int64]
	args            []int // columns that history keeps
	historyCols     []*store.Column
	firstVal, lists int // where the frame's parts begin in the layout

	slots  []int32 // of each group
	first  []int32 // its first row
	of     []int32 // group of each row
	old    *vec.Batch
	oldOf  []int32
	gone   []int32
	at     []int32
	number []int64 // ROW_NUMBER by row
}

// overResult is where a call's result comes from.
type overResult struct {
	name string
	agg  int // index among the aggregates; −1: none
	lag  *overLag
}

func newOverFrame(s OverSpec, l *state.Layout) (*overFrame, error) {
	f := &overFrame{spec: s, width: len(s.Inputs[0]), firstVal: len(l.Values), lists: len(l.Lists)}
	l.Values = append(l.Values, state.I64, state.I64, state.I64, state.I64)
	var aggs []AggCall
	for _, c := range s.Calls {
		r := overResult{name: c.Name, agg: -1}
		switch {
		case c.Bound != nil:
			r.agg = len(aggs)
			aggs = append(aggs, AggCall{Name: c.Name, Bound: c.Bound, Args: c.Args, Distinct: c.Distinct, Filter: -1})
			f.args = append(f.args, c.Args...)
		case c.Name == "LAG":
			lag, err := newOverLag(c, s)
			if err != nil {
				return nil, err
			}
			r.lag = lag
		case c.Name == "ROW_NUMBER" || c.Name == "RANK" || c.Name == "DENSE_RANK":
			f.numbers = true
		case c.Name == "LEAD":
			return nil, fmt.Errorf("LEAD needs rows that have not come yet; use LAG, and look at the pair from its later row")
		default:
			return nil, fmt.Errorf("%s OVER is not supported yet", c.Name)
		}
		f.results = append(f.results, r)
	}
	f.layout(l, aggs)
	return f, nil
}

func (f *overFrame) bounded() bool { return f.spec.Preceding >= 0 }

func (f *overFrame) layout(l *state.Layout, aggs []AggCall) {
	slices.Sort(f.args)
	f.args = slices.Compact(f.args)
	if f.bounded() {
		classes := []state.Class{state.I64}
		for _, a := range f.args {
			classes = append(classes, store.Class(f.spec.Inputs[0][a].Type))
		}
		l.Lists = append(l.Lists, state.ListLayout{Name: "frame", Values: classes})
	}
	for i, r := range f.results {
		if r.lag != nil {
			r.lag.list = len(l.Lists)
			l.Lists = append(l.Lists, state.ListLayout{Name: fmt.Sprintf("lag %d", i), Values: []state.Class{store.Class(r.lag.field.Type)}})
		}
	}
	f.aggs = newAggSet(aggs, f.spec.Inputs[0], f.bounded(), l)
	f.values = f.aggs.vectors()
	f.old = batchOf(f.spec.Inputs[0])
}

func (f *overFrame) open(t *state.Table) {
	f.table = t
	f.n, f.last = t.I64Col(f.firstVal), t.I64Col(f.firstVal+1)
	f.rank, f.dense = t.I64Col(f.firstVal+2), t.I64Col(f.firstVal+3)
	if f.bounded() {
		f.history = t.List(f.lists)
		f.historyTime = f.history.I64Col(0)
		for i, a := range f.args {
			f.historyCols = append(f.historyCols, store.NewColumn(f.history, i+1, f.spec.Inputs[0][a].Type))
		}
	}
	for _, r := range f.results {
		if r.lag != nil {
			r.lag.open(t)
		}
	}
	f.aggs.open(t, f.bounded())
}

// step folds rows of b, whose peers stand together, and appends a result for
// each to dst. times are by physical row.
func (f *overFrame) step(ctx *exec.Context, b *vec.Batch, rows, slots []int32, times []int64, dst []*vec.Vector) error {
	f.group(rows, slots)
	f.table.Touch(f.slots)
	if f.bounded() {
		if err := f.expire(times); err != nil {
			return err
		}
	}
	if err := f.aggs.add(b, rows, slots); err != nil {
		return err
	}
	if f.bounded() {
		f.remember(b, rows, slots, times)
	}
	f.count(rows, times)
	resetAll(f.values)
	if err := f.aggs.results(f.slots, f.values); err != nil {
		return err
	}
	return f.append(ctx, b, rows, slots, dst)
}

func (f *overFrame) group(rows, slots []int32) {
	f.slots, f.first, f.of = f.slots[:0], f.first[:0], f.of[:0]
	for i, s := range slots {
		if i == 0 || s != slots[i-1] {
			f.slots, f.first = append(f.slots, s), append(f.first, rows[i])
		}
		f.of = append(f.of, int32(len(f.slots)-1))
	}
}

// expire takes the rows that leave the frame back.
func (f *overFrame) expire(times []int64) error {
	f.gone, f.oldOf = f.gone[:0], f.oldOf[:0]
	for g, s := range f.slots {
		at := f.history.First(s)
		if f.spec.Rows {
			if at >= 0 && int64(f.history.Len(s)) > f.spec.Preceding {
				f.gone, f.oldOf = append(f.gone, at), append(f.oldOf, s)
			}
			continue
		}
		for ; at >= 0 && f.historyTime.At(at) < times[f.first[g]]-f.spec.Preceding; at = f.history.Next(at) {
			f.gone, f.oldOf = append(f.gone, at), append(f.oldOf, s)
		}
	}
	if len(f.gone) == 0 {
		return nil
	}
	f.old.Reset()
	for i, a := range f.args {
		f.historyCols[i].AppendAll(f.old.Cols[a], f.gone)
	}
	f.old.N = len(f.gone)
	for range f.gone {
		f.old.Ops = append(f.old.Ops, vec.Delete)
	}
	rows := f.identity(len(f.gone))
	if err := f.aggs.add(f.old, rows, f.oldOf); err != nil {
		return err
	}
	for _, at := range f.gone {
		f.history.Remove(at)
	}
	return nil
}

// identity is 0 … n−1, also of more rows than a batch has.
func (f *overFrame) identity(n int) []int32 {
	for len(f.at) < n {
		f.at = append(f.at, int32(len(f.at)))
	}
	return f.at[:n]
}

func (f *overFrame) remember(b *vec.Batch, rows, slots []int32, times []int64) {
	f.gone = append(f.gone[:0], rows...)
	f.history.Append(slots, f.gone)
	for i, a := range f.args {
		f.historyCols[i].PutAll(f.gone, b.Cols[a], rows)
	}
	for i, at := range f.gone {
		f.historyTime.Set(at, times[rows[i]])
	}
}

// count keeps the numbers of the partition.
func (f *overFrame) count(rows []int32, times []int64) {
	f.number = f.number[:0]
	for i, r := range rows {
		s, t := f.slots[f.of[i]], times[r]
		n := f.n.Ptr(s)
		if *n == 0 || f.last.At(s) != t {
			*f.rank.Ptr(s) = *n + 1
			*f.dense.Ptr(s)++
			*f.last.Ptr(s) = t
		}
		*n++
		f.number = append(f.number, *n)
	}
}

func (f *overFrame) append(ctx *exec.Context, b *vec.Batch, rows, slots []int32, dst []*vec.Vector) error {
	for c, r := range f.results {
		switch {
		case r.agg >= 0:
			dst[c].AppendRows(f.values[r.agg], f.of, len(f.of))
		case r.lag != nil:
			if err := r.lag.step(ctx, b, rows, slots, dst[c]); err != nil {
				return err
			}
		case r.name == "ROW_NUMBER":
			dst[c].I64 = append(dst[c].I64, f.number...)
		case r.name == "RANK":
			appendOf(dst[c], f.rank, slots)
		default:
			appendOf(dst[c], f.dense, slots)
		}
	}
	return nil
}

func appendOf(dst *vec.Vector, c state.Col[int64], slots []int32) {
	for _, s := range slots {
		dst.I64 = append(dst.I64, c.At(s))
	}
}

// overLag is LAG: it keeps the last values of each partition. As in Flink,
// peers are all behind the row that is looked back from.
type overLag struct {
	field  types.Field
	arg    int
	offset int64
	list   int
	rows   *state.ListRows
	col    *store.Column
	def    *expr.Program
	width  int
	env    fn.Env
	at     []int32
	from   []int32 // list row of each row; −1: there is none
	sub    vec.Batch
}

func newOverLag(c OverCall, s OverSpec) (*overLag, error) {
	l := &overLag{arg: c.Args[0], field: s.Inputs[0][c.Args[0]], offset: c.Offset, width: len(s.Inputs[0]), env: fn.Env{Zone: s.Zone}}
	if c.Offset < 0 {
		return nil, fmt.Errorf("the offset of LAG is negative: %d", c.Offset)
	}
	if c.Default == nil {
		return l, nil
	}
	var err error
	l.def, err = expr.Compile([]expr.Expr{c.Default}, expr.Options{})
	return l, err
}

func (l *overLag) open(t *state.Table) {
	l.rows = t.List(l.list)
	l.col = store.NewColumn(l.rows, 0, l.field.Type)
}

func (l *overLag) step(ctx *exec.Context, b *vec.Batch, rows, slots []int32, dst *vec.Vector) error {
	l.at = append(l.at[:0], rows...)
	l.rows.Append(slots, l.at)
	l.col.PutAll(l.at, b.Cols[l.arg], rows)
	missing := l.look(slots)
	if !missing || l.def == nil {
		l.col.AppendAll(dst, l.from)
		return nil
	}
	l.env.Now, l.env.Watermark = ctx.Now, ctx.Watermark
	l.sub = vec.Batch{Cols: b.Cols[:l.width], N: b.Cols[l.arg].Len(), Sel: rows}
	vs, err := l.def.Eval(&l.env, &l.sub)
	if err != nil {
		return err
	}
	for i, at := range l.from {
		if at < 0 {
			dst.AppendFrom(vs[0], int(rows[i]))
		} else {
			l.col.Append(dst, at)
		}
	}
	return nil
}

// look finds the value of each row, and drops those that are too far back.
func (l *overLag) look(slots []int32) (missing bool) {
	l.from = l.from[:0]
	for i, s := range slots {
		if i > 0 && s == slots[i-1] {
			l.from = append(l.from, l.from[i-1])
			continue
		}
		for int64(l.rows.Len(s)) > l.offset+1 {
			l.rows.Remove(l.rows.First(s))
		}
		at := int32(-1)
		if int64(l.rows.Len(s)) == l.offset+1 {
			at = l.rows.First(s)
		}
		l.from = append(l.from, at)
	}
	return slices.Contains(l.from, -1)
}

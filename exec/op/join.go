package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Join is the regular join: the rows of both inputs are kept, and each row
// meets those of the other side. Where a row without a match counts (outer,
// semi and anti joins) each kept row knows the number of its matches, so that
// the first match and the loss of the last one are seen.
type Join struct {
	spec  JoinSpec
	ctx   *exec.Context
	sides [2]*joinSide
	match *matcher
	out   *joined

	// Of the call to Process:
	in      int
	batch   *vec.Batch
	pairs   pairs
	matched []int64 // by row
	to      exec.Output
}

// NewJoin makes the operator.
func NewJoin(s JoinSpec) (exec.Operator, error) {
	o := &Join{spec: s, out: newJoined(s.Common)}
	left := newJoinSide("left", s.Inputs[0], s.LeftKeys, s.LeftTTL)
	right := newJoinSide("right", s.Inputs[1], s.RightKeys, s.RightTTL)
	left.unique, left.retracts = s.LeftUnique, s.LeftRetract
	right.unique, right.retracts = s.RightUnique, s.RightRetract
	left.counted = s.Kind != Inner && s.Kind != Right
	right.counted = s.Kind == Right || s.Kind == Full
	left.aware, right.aware = s.NullAware, s.NullAware
	o.sides = [2]*joinSide{left, right}
	var err error
	o.match, err = newMatcher(s.Residual, s.Inputs, s.Zone)
	return o, err
}

func (o *Join) Open(ctx *exec.Context) error {
	o.ctx = ctx
	for _, s := range o.sides {
		if err := s.open(ctx.State); err != nil {
			return err
		}
	}
	o.sides[0].probe.table, o.sides[1].probe.table = o.sides[1].own.table, o.sides[0].own.table
	return nil
}

func (o *Join) Process(in int, b *vec.Batch, out exec.Output) error {
	rows := b.Rows()
	if len(rows) == 0 {
		return nil
	}
	own, other := o.sides[in], o.sides[1-in]
	o.in, o.batch, o.to = in, b, out
	o.matched = append(o.matched[:0], make([]int64, len(rows))...)
	own.find(other, b, rows, o.ctx.Now)
	for lo := 0; lo < len(rows); {
		hi := o.candidates(rows, lo)
		if err := o.match.keep(o.ctx, &o.pairs, side{vs: b.Cols}, side{kept: other.cols}, in == 1); err != nil {
			return err
		}
		if err := o.changes(rows, lo, hi); err != nil {
			return err
		}
		lo = hi
	}
	// Output rows name rows of the other side, which the batch did not move.
	if err := o.emit(); err != nil {
		return err
	}
	own.store(b, rows, o.matched, o.ctx.Now)
	return nil
}

// candidates pairs rows from lo on with the rows of equal key, until there
// are about a batch of pairs. It returns the first row that has not been
// looked at.
func (o *Join) candidates(rows []int32, lo int) int {
	own, other := o.sides[o.in], o.sides[1-o.in]
	o.pairs.reset()
	for ; lo < len(rows) && len(o.pairs.own) < vec.MaxRows; lo++ {
		slot := own.others[lo]
		if slot < 0 {
			continue
		}
		for at := other.list.First(slot); at >= 0; at = other.list.Next(at) {
			if !other.expired(at, o.ctx.Now) {
				o.pairs.add(lo, rows[lo], at)
			}
		}
	}
	return lo
}

// changes collects what the rows from lo to hi change in the result.
func (o *Join) changes(rows []int32, lo, hi int) error {
	if other := o.sides[1-o.in]; other.counted {
		other.list.Touch(o.pairs.other)
	}
	at := 0
	for i := lo; i < hi; i++ {
		from := at
		for at < len(o.pairs.item) && o.pairs.item[at] == int32(i) {
			at++
		}
		o.matched[i] = int64(at - from)
		o.change(rows[i], o.pairs.other[from:at])
		if o.out.full() {
			if err := o.emit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// change is one row that meets rows of the other side.
func (o *Join) change(row int32, matches []int32) {
	op := o.batch.Op(int(row))
	switch {
	case o.spec.Kind < Semi:
		o.joinRow(op, row, matches)
	case o.in == 0:
		if (len(matches) > 0) == (o.spec.Kind == Semi) {
			o.add(op, row, -1)
		}
	default:
		for _, m := range matches {
			o.existence(op, m)
		}
	}
}

// joinRow is a row of an inner or outer join.
func (o *Join) joinRow(op vec.Op, row int32, matches []int32) {
	outer, others := o.sides[o.in].counted, o.sides[1-o.in].counted
	if outer || others {
		op = plain(op)
	}
	if len(matches) == 0 && outer {
		o.add(op, row, -1)
	}
	for _, m := range matches {
		switch {
		case !others:
			o.add(op, row, m)
		case op == vec.Insert:
			if o.counted(m, 1) == 1 {
				o.add(vec.Delete, -1, m)
			}
			o.add(op, row, m)
		default:
			o.add(op, row, m)
			if o.counted(m, -1) == 0 {
				o.add(vec.Insert, -1, m)
			}
		}
	}
}

// existence is a row of the right side of a semi or anti join that meets a
// kept left row.
func (o *Join) existence(op vec.Op, left int32) {
	semi := o.spec.Kind == Semi
	switch {
	case !op.Retracts() && o.counted(left, 1) == 1:
		o.add(pick(semi, vec.Insert, vec.Delete), -1, left)
	case op.Retracts() && o.counted(left, -1) == 0:
		o.add(pick(semi, vec.Delete, vec.Insert), -1, left)
	}
}

func pick(first bool, a, b vec.Op) vec.Op {
	if first {
		return a
	}
	return b
}

// plain is Insert or Delete.
func plain(op vec.Op) vec.Op { return pick(op.Retracts(), vec.Delete, vec.Insert) }

// counted changes the number of matches of a row of the other side. Of a
// match that was never counted (its row had expired) nothing is taken.
func (o *Join) counted(row int32, by int64) int64 {
	n := o.sides[1-o.in].count.Ptr(row)
	if *n+by < 0 {
		return -1
	}
	*n += by
	return *n
}

// add collects an output row. Where nobody needs -U a row that goes is
// deleted: the one that takes its place may have no match.
func (o *Join) add(op vec.Op, own, other int32) {
	if op == vec.UpdateBefore && !o.spec.EmitBefore {
		op = vec.Delete
	}
	if o.in == 1 {
		own, other = other, own
	}
	o.out.add(op, own, other)
}

func (o *Join) emit() error {
	own, other := side{vs: o.batch.Cols}, side{kept: o.sides[1-o.in].cols}
	if o.in == 1 {
		own, other = other, own
	}
	return o.out.emit(own, other, o.to)
}

func (o *Join) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (o *Join) Close() error                                { return nil }

// Wake drops the keys that have not been written for the TTL.
func (o *Join) Wake(now types.Time, _ exec.Output) (types.Time, error) {
	return min(o.sides[0].ttl.wake(now), o.sides[1].ttl.wake(now)), nil
}

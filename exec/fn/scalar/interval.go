package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const (
	dayMillis = 86_400_000
	dayMicros = dayMillis * 1000
)

// bindInterval is arithmetic with an interval on at least one side; nil if
// there is none.
func bindInterval(op string, a, b types.Type) *fn.Bound {
	switch {
	case op == "+" && a.IsInterval() && b.IsTemporal():
		return swapped(bindMove(op, b, a))
	case (op == "+" || op == "-") && a.IsTemporal() && b.IsInterval():
		return bindMove(op, a, b)
	case (op == "+" || op == "-") && a.Kind == b.Kind:
		return strictBound(a, a, b, intLoops(op, 64).kernel(ints))
	case op == "*" && a.IsInterval() && b.IsNumeric():
		return bindScale(op, a, b)
	case op == "*" && a.IsNumeric() && b.IsInterval():
		return swapped(bindScale(op, b, a))
	case op == "/" && a.IsInterval() && b.IsNumeric():
		return bindScale(op, a, b)
	}
	return nil
}

// strictBound is a function of two arguments whose kernel holds no state.
func strictBound(result, a, b types.Type, k fn.Kernel) *fn.Bound {
	return &fn.Bound{Params: []types.Type{a, b}, Result: result.Nullable(!a.NotNull || !b.NotNull), New: func() fn.Kernel { return k }}
}

// swapped takes the arguments of b in the other order.
func swapped(b *fn.Bound) *fn.Bound {
	if b == nil {
		return nil
	}
	return &fn.Bound{Params: []types.Type{b.Params[1], b.Params[0]}, Result: b.Result, New: func() fn.Kernel {
		k := b.New()
		return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			return k(env, []*vec.Vector{args[1], args[0]}, rows, out)
		}
	}}
}

// bindScale is an interval times or divided by a number.
func bindScale(op string, a, b types.Type) *fn.Bound {
	if b.IsInteger() {
		if op == "*" {
			return strictBound(a, a, b, intLoops(op, 64).kernel(ints))
		}
		return strictBound(a, a, b, nonZero("/", intText, divSome[int64, int64]))
	}
	d := types.Of(types.Double).Nullable(!b.NotNull)
	return strictBound(a, a, d, func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			x, y := float64(args[0].I64[r]), args[1].F64[r]
			if op == "*" {
				out.I64[r] = int64(x * y)
				continue
			}
			if y == 0 {
				return fmt.Errorf("division by zero: interval / 0")
			}
			out.I64[r] = int64(x / y)
		}
		return nil
	})
}

// bindMove is a date or time moved by an interval: TIME stays within its
// day, months clip to the last day.
func bindMove(op string, t, interval types.Type) *fn.Bound {
	sign := int64(1)
	if op == "-" {
		sign = -1
	}
	move := moveMicros
	switch months := interval.Kind == types.IntervalYearMonth; {
	case t.Kind == types.TimeOfDay && months:
		return nil
	case t.Kind == types.TimeOfDay:
		move = moveTime
	case t.Kind == types.Date && months:
		move = moveDateMonths
	case t.Kind == types.Date:
		move = moveDate
	case months:
		move = moveMonths
	}
	t.Attr = types.NoTime
	return movedBy(t, interval, move, sign)
}

func movedBy(t, interval types.Type, move func(x, by int64) int64, sign int64) *fn.Bound {
	each := func(args []*vec.Vector, rows []int32, out *vec.Vector, by func(r int32) int64) {
		if out.Kind == vec.I128 {
			for _, r := range rows {
				w := args[0].I128[r]
				out.I128[r] = vec.Int128{Hi: move(w.Hi, by(r)), Lo: w.Lo}
			}
			return
		}
		for _, r := range rows {
			out.I64[r] = move(args[0].I64[r], by(r))
		}
	}
	b := strictBound(t, t, interval, func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		d := args[1].I64
		each(args, rows, out, func(r int32) int64 { return sign * d[r] })
		return nil
	})
	if interval.Kind == types.IntervalDaySecond && t.IsTimestamp() && vec.KindOf(t) == vec.I64 {
		b.Total = true
		b.NewConst = func(consts []*vec.Value) fn.Kernel {
			if consts[1] == nil {
				return nil
			}
			return adding[int64, int64]().constKernel(ints, 0, sign*consts[1].I*1000)
		}
	}
	return b
}

func moveMicros(us, ms int64) int64 { return us + ms*1000 }
func moveTime(us, ms int64) int64   { return modulo(us+ms*1000, dayMicros) }
func moveDate(days, ms int64) int64 { return vec.FloorDiv(days*dayMillis+ms, dayMillis) }

func modulo(x, m int64) int64 { return x - vec.FloorDiv(x, m)*m }

// moveDateMonths adds months and clips the day to the month's length.
func moveDateMonths(days, months int64) int64 {
	y, m, d := vec.CivilOf(days)
	at := y*12 + int64(m-1) + months
	y, m = vec.FloorDiv(at, 12), int(modulo(at, 12))+1
	return vec.DaysOf(y, m, min(d, vec.MonthLength(y, m)))
}

func moveMonths(us, months int64) int64 {
	day := vec.FloorDiv(us, dayMicros)
	return moveDateMonths(day, months)*dayMicros + us - day*dayMicros
}

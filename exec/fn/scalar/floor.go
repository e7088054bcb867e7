package scalar

import (
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "FLOOR", Syntax: "FLOOR(x [TO unit])", Doc: "The greatest whole number, or start of a unit of time, that is not above x.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindFloor("FLOOR(x [TO unit])", args, false) }})
	fn.Register(&fn.Scalar{Name: "CEIL", Aliases: []string{"CEILING"}, Syntax: "CEIL(x [TO unit])", Doc: "The least whole number, or start of a unit of time, that is not below x.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindFloor("CEIL(x [TO unit])", args, true) }})
}

func bindFloor(syntax string, args []fn.Arg, up bool) (*fn.Bound, error) {
	if len(args) == 2 {
		return bindFloorTo(syntax, args, up)
	}
	if _, err := bind(syntax, args, 0, numberArg); err != nil {
		return nil, err
	}
	t := args[0].Type
	b := &fn.Bound{Params: []types.Type{t}, Result: t}
	switch {
	case t.Kind == types.Null:
		b.Params[0], b.Result = types.Of(types.Double), types.Of(types.Double)
		fallthrough
	case t.IsApprox():
		round := math.Floor
		if up {
			round = math.Ceil
		}
		b.New = floatRows(func(r row) (float64, bool) { return round(r.float(0)), true })
	case t.IsInteger():
		b.New = intRows(func(r row) (int64, bool) { return r.int(0), true })
	default:
		b.Result = types.DecimalOf(t.Precision, 0).Nullable(!t.NotNull)
		b.New = func() fn.Kernel { return wholeDecimal(t, up) }
	}
	return b, nil
}

func wholeDecimal(t types.Type, up bool) fn.Kernel {
	d, one := vec.WidePow10(t.Scale), vec.Widen(1)
	return decimalRows(func(x vec.Int128) (vec.Int128, bool) {
		q, r := x.QuoRem(d)
		switch s := r.Sign(); {
		case s < 0 && !up:
			q = q.Sub(one)
		case s > 0 && up:
			q = q.Add(one)
		}
		return q, true
	})
}

// decimalRows computes a decimal from the one in argument 0.
func decimalRows(f func(x vec.Int128) (vec.Int128, bool)) fn.Kernel {
	var buf []vec.Int128
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		a := widen(args[0], rows, &buf)
		for _, i := range rows {
			x, ok := f(a[i])
			setDecimal(out, i, x, ok)
		}
		return nil
	}
}

func bindFloorTo(syntax string, args []fn.Arg, up bool) (*fn.Bound, error) {
	ts, err := bind(syntax, args, 0, temporal, stringArg)
	if err != nil {
		return nil, err
	}
	unit, err := word(syntax, args[1])
	if err != nil {
		return nil, err
	}
	t := ts[0].WithAttr(types.NoTime)
	floor, next, ok := unitFloor(unit)
	if !ok || t.Kind == types.TimeOfDay && clockUnits[unit] == 0 {
		return nil, fmt.Errorf("%s does not know the unit %s for %s", syntax, unit, t.Text())
	}
	read := clockOf(t)
	if t.Kind == types.TimestampLTZ && clockUnits[unit] > 0 {
		return &fn.Bound{Params: ts, Result: strict(t, args), New: func() fn.Kernel { return floorInstant(t, floor, next, up) }}, nil
	}
	return &fn.Bound{Params: ts, Result: strict(t, args), New: func() fn.Kernel {
		return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				us, ns := read(env, args[0], i)
				at := floor(us)
				if up && (at != us || ns > 0) {
					at = next(at)
				}
				setClock(env, t, out, i, at, 0)
			}
			return nil
		}
	}}, nil
}

// floorInstant rounds the wall clock of an instant to a unit of a clock, and
// moves the instant by as much, for the wall clock does not tell which of two
// hours it is in.
func floorInstant(t types.Type, floor, next func(us int64) int64, up bool) fn.Kernel {
	local, instant := clockOf(t), clockOf(types.Type{Kind: types.Timestamp, Precision: t.Precision})
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, i := range rows {
			us, ns := local(env, args[0], i)
			at := floor(us)
			if up && (at != us || ns > 0) {
				at = next(at)
			}
			since, _ := instant(env, args[0], i)
			setClock(env, types.Type{Kind: types.Timestamp}, out, i, since+at-us, 0)
		}
		return nil
	}
}

// clockUnits are the units of one length, in µs.
var clockUnits = map[string]int64{"HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000, "MILLISECOND": 1000, "MICROSECOND": 1}

// unitFloor is the start of the unit of a wall clock, and the start of the
// next one.
func unitFloor(unit string) (floor, next func(us int64) int64, ok bool) {
	size := clockUnits[unit]
	switch unit {
	case "DAY":
		size = dayMicros
	case "WEEK":
		const sunday = -4 * dayMicros
		return func(us int64) int64 { return us - modulo(us-sunday, 7*dayMicros) }, func(us int64) int64 { return us + 7*dayMicros }, true
	}
	if size > 0 {
		return func(us int64) int64 { return us - modulo(us, size) }, func(us int64) int64 { return us + size }, true
	}
	months := monthUnits[unit]
	if months == 0 {
		return nil, nil, false
	}
	return func(us int64) int64 {
		y, m, _ := vec.CivilOf(vec.FloorDiv(us, dayMicros))
		at := y*12 + int64(m-1)
		at -= modulo(at, months)
		return vec.DaysOf(vec.FloorDiv(at, 12), int(modulo(at, 12))+1, 1) * dayMicros
	}, func(us int64) int64 { return moveMonths(us, months) }, true
}

var monthUnits = map[string]int64{"MONTH": 1, "QUARTER": 3, "YEAR": 12, "DECADE": 120, "CENTURY": 1200, "MILLENNIUM": 12000}

package scalar

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "EXTRACT", Syntax: "EXTRACT(unit FROM x)", Doc: "A part of a date, time or interval: YEAR … SECOND, DOW (Sunday is 1), DOY, WEEK (ISO), EPOCH and others.",
		Bind: bindExtract})
	for name, unit := range map[string]string{"YEAR": "YEAR", "QUARTER": "QUARTER", "MONTH": "MONTH", "WEEK": "WEEK", "DAYOFYEAR": "DOY",
		"DAYOFMONTH": "DAY", "DAYOFWEEK": "DOW", "HOUR": "HOUR", "MINUTE": "MINUTE", "SECOND": "SECOND"} {
		fn.Register(&fn.Scalar{Name: name, Syntax: name + "(x)", Doc: "EXTRACT(" + unit + " FROM x).",
			Bind: func(args []fn.Arg) (*fn.Bound, error) {
				ts, err := bind(name+"(x)", args, 0, temporal)
				if err != nil {
					return nil, err
				}
				return bindPart(unit, ts, 0, args)
			}})
	}
}

// timePart is a unit of a wall clock in µs since 1970 and ns below.
type timePart func(us, ns int64) int64

var clockParts = map[string]timePart{
	"HOUR":        func(us, _ int64) int64 { return modulo(us, dayMicros) / 3_600_000_000 },
	"MINUTE":      func(us, _ int64) int64 { return modulo(us, 3_600_000_000) / 60_000_000 },
	"SECOND":      func(us, _ int64) int64 { return modulo(us, 60_000_000) / 1_000_000 },
	"MILLISECOND": func(us, _ int64) int64 { return modulo(us, 1_000_000) / 1000 },
	"MICROSECOND": func(us, _ int64) int64 { return modulo(us, 1_000_000) },
	"NANOSECOND":  func(us, ns int64) int64 { return modulo(us, 1_000_000)*1000 + ns },
	"EPOCH":       func(us, _ int64) int64 { return vec.FloorDiv(us, 1_000_000) },
}

var dateParts = map[string]func(days, y int64, m, d int) int64{
	"YEAR":       func(_, y int64, _, _ int) int64 { return y },
	"QUARTER":    func(_, _ int64, m, _ int) int64 { return int64(m+2) / 3 },
	"MONTH":      func(_, _ int64, m, _ int) int64 { return int64(m) },
	"DAY":        func(_, _ int64, _, d int) int64 { return int64(d) },
	"DOW":        func(days, _ int64, _, _ int) int64 { return modulo(days+4, 7) + 1 },
	"ISODOW":     func(days, _ int64, _, _ int) int64 { return modulo(days+3, 7) + 1 },
	"DOY":        func(days, y int64, _, _ int) int64 { return days - vec.DaysOf(y, 1, 1) + 1 },
	"WEEK":       func(days, _ int64, _, _ int) int64 { _, w := isoWeek(days); return w },
	"ISOYEAR":    func(days, _ int64, _, _ int) int64 { y, _ := isoWeek(days); return y },
	"DECADE":     func(_, y int64, _, _ int) int64 { return vec.FloorDiv(y, 10) },
	"CENTURY":    func(_, y int64, _, _ int) int64 { return (y + 99) / 100 },
	"MILLENNIUM": func(_, y int64, _, _ int) int64 { return (y + 999) / 1000 },
}

func isoWeek(days int64) (year, week int64) {
	y, w := time.Unix(days*86400, 0).UTC().ISOWeek()
	return int64(y), int64(w)
}

func partOf(unit string) (timePart, bool) {
	if p, ok := clockParts[unit]; ok {
		return p, true
	}
	date, ok := dateParts[unit]
	return func(us, _ int64) int64 {
		days := vec.FloorDiv(us, dayMicros)
		y, m, d := vec.CivilOf(days)
		return date(days, y, m, d)
	}, ok
}

func bindExtract(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "EXTRACT(unit FROM x)"
	source := param{"a date, time or interval", func(t types.Type) bool { return t.IsTemporal() || t.IsInterval() }, types.TimestampOf(3)}
	ts, err := bind(syntax, args, 0, stringArg, source)
	if err != nil {
		return nil, err
	}
	unit, err := word(syntax, args[0])
	if err != nil {
		return nil, err
	}
	return bindPart(unit, ts, 1, args)
}

func bindPart(unit string, ts []types.Type, arg int, args []fn.Arg) (*fn.Bound, error) {
	t := ts[arg]
	part, ok := partOf(unit)
	_, ofClock := clockParts[unit]
	if !ok || t.Kind == types.TimeOfDay && !ofClock {
		return nil, fmt.Errorf("cannot extract %s from %s", unit, t.Text())
	}
	b := &fn.Bound{Params: ts, Result: strict(types.Of(types.BigInt), args)}
	if t.IsInterval() {
		interval, ok := intervalPart(unit, t.Kind == types.IntervalYearMonth)
		if !ok {
			return nil, fmt.Errorf("cannot extract %s from %s", unit, t.Text())
		}
		b.New = intRows(func(r row) (int64, bool) { return interval(r.int(arg)), true })
		return b, nil
	}
	if loop := hourLoops[unit]; loop != nil && (t.Kind == types.Timestamp || t.Kind == types.TimeOfDay) && vec.KindOf(t) == vec.I64 {
		b.New = func() fn.Kernel {
			return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
				loop(out.I64, args[arg].I64, rows)
				return nil
			}
		}
		return b, nil
	}
	read := clockOf(t)
	if unit == "EPOCH" && t.Kind == types.TimestampLTZ {
		read = clockOf(types.TimestampOf(t.Precision))
	}
	b.New = func() fn.Kernel {
		return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				out.I64[i] = part(read(env, args[arg], i))
			}
			return nil
		}
	}
	return b, nil
}

func intervalPart(unit string, months bool) (func(int64) int64, bool) {
	if months {
		switch unit {
		case "YEAR":
			return func(m int64) int64 { return m / 12 }, true
		case "MONTH":
			return func(m int64) int64 { return m % 12 }, true
		}
		return nil, false
	}
	sizes := map[string][2]int64{"DAY": {dayMillis, 1 << 62}, "HOUR": {3_600_000, 24}, "MINUTE": {60_000, 60}, "SECOND": {1000, 60}, "MILLISECOND": {1, 1000}, "EPOCH": {1000, 1 << 62}}
	s, ok := sizes[unit]
	return func(ms int64) int64 { return ms / s[0] % s[1] }, ok
}

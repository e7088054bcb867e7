package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "TIMESTAMPADD", Syntax: "TIMESTAMPADD(unit, n, time)", Doc: "A date or time moved by n units.", Bind: bindTimestampAdd})
	fn.Register(&fn.Scalar{Name: "TIMESTAMPDIFF", Syntax: "TIMESTAMPDIFF(unit, from, to)", Doc: "Number of whole units from one time to another.", Bind: bindTimestampDiff})
	fn.Register(&fn.Scalar{Name: "MINUS_INTERVAL", Syntax: "(a - b) unit", Doc: "Difference of two times as an interval.", Bind: bindMinusInterval})
}

// unitOf is a unit argument as months or µs; SQL_TSI_ may stand before it.
func unitOf(syntax string, a fn.Arg) (name string, months, micros int64, err error) {
	name, err = word(syntax, a)
	if err != nil {
		return "", 0, 0, err
	}
	name = strings.TrimPrefix(name, "SQL_TSI_")
	switch name {
	case "DAY":
		micros = dayMicros
	case "WEEK":
		micros = 7 * dayMicros
	default:
		months, micros = monthUnits[name], clockUnits[name]
	}
	if months == 0 && micros == 0 {
		return "", 0, 0, fmt.Errorf("%s does not know the unit %s", syntax, name)
	}
	return name, months, micros, nil
}

func bindTimestampAdd(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "TIMESTAMPADD(unit, n, time)"
	ts, err := bind(syntax, args, 0, stringArg, bigArg, temporal)
	if err != nil {
		return nil, err
	}
	_, months, micros, err := unitOf(syntax, args[0])
	if err != nil {
		return nil, err
	}
	t := ts[2].WithAttr(types.NoTime)
	if t.Kind == types.Date && micros > 0 && micros < dayMicros {
		t = types.TimestampOf(6)
	}
	if t.Kind == types.TimeOfDay && months > 0 {
		return nil, fmt.Errorf("a TIME cannot be moved by months")
	}
	read := clockOf(types.Type{Kind: types.Timestamp, Precision: ts[2].Precision})
	if ts[2].Kind == types.Date {
		read = clockOf(ts[2])
	}
	return &fn.Bound{Params: ts, Result: strict(t, args), New: func() fn.Kernel {
		return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				us, ns := read(env, args[2], i)
				if n := args[1].I64[i]; months > 0 {
					us = moveMonths(us, n*months)
				} else {
					us += n * micros
				}
				if t.Kind == types.TimeOfDay {
					us = modulo(us, dayMicros)
				}
				setClock(env, types.Type{Kind: min(t.Kind, types.Timestamp)}, out, i, us, ns)
			}
			return nil
		}
	}}, nil
}

// pair is two times of one kind, as µs.
func bindPair(syntax string, args []fn.Arg, from int) (t types.Type, ts []types.Type, err error) {
	ts = make([]types.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type
	}
	if t, err = fn.Common(args[from].Type, args[from+1].Type); err != nil {
		t, err = fn.CommonCompared(syntax, args[from], args[from+1])
	}
	if err != nil {
		return t, nil, err
	}
	if !t.IsTemporal() {
		return t, nil, fmt.Errorf("%s takes dates or times, not %s", syntax, t.Text())
	}
	t = t.Nullable(true)
	ts[from], ts[from+1] = t, t
	return t, ts, nil
}

func bindTimestampDiff(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "TIMESTAMPDIFF(unit, from, to)"
	if _, err := bind(syntax, args, 0, stringArg, anyArg, anyArg); err != nil {
		return nil, err
	}
	_, months, micros, err := unitOf(syntax, args[0])
	if err != nil {
		return nil, err
	}
	t, ts, err := bindPair(syntax, args, 1)
	if err != nil {
		return nil, err
	}
	read := instantOf(t)
	return &fn.Bound{Params: ts, Result: strict(types.Of(types.Int), args), New: intRows(func(r row) (int64, bool) {
		a, b := read(r.args[1], r.i), read(r.args[2], r.i)
		if months > 0 {
			return int64(int32(monthsBetween(a, b) / months)), true
		}
		return int64(int32((b - a) / micros)), true
	})}, nil
}

// instantOf reads µs, without time zone.
func instantOf(t types.Type) func(v *vec.Vector, i int) int64 {
	switch {
	case t.Kind == types.Date:
		return func(v *vec.Vector, i int) int64 { return v.I64[i] * dayMicros }
	case vec.KindOf(t) == vec.I128:
		return func(v *vec.Vector, i int) int64 { return v.I128[i].Hi }
	}
	return func(v *vec.Vector, i int) int64 { return v.I64[i] }
}

// monthsBetween is the number of whole months from a to b, with a sign.
func monthsBetween(a, b int64) int64 {
	if b < a {
		return -monthsBetween(b, a)
	}
	ya, ma, _ := vec.CivilOf(vec.FloorDiv(a, dayMicros))
	yb, mb, _ := vec.CivilOf(vec.FloorDiv(b, dayMicros))
	m := (yb-ya)*12 + int64(mb-ma)
	if moveMonths(a, m) > b {
		m--
	}
	return m
}

func bindMinusInterval(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "(a - b) unit"
	if _, err := bind(syntax, args, 0, anyArg, anyArg, stringArg); err != nil {
		return nil, err
	}
	_, months, _, err := unitOf(syntax, args[2])
	if err != nil {
		return nil, err
	}
	t, ts, err := bindPair(syntax, args, 0)
	if err != nil {
		return nil, err
	}
	read := instantOf(t)
	result := types.Type{Kind: types.IntervalDaySecond, Unit: types.UnitSecond, Scale: 3}
	diff := func(a, b int64) int64 { return (a - b) / 1000 }
	if months > 0 {
		result = types.Type{Kind: types.IntervalYearMonth, Unit: types.UnitMonth}
		diff = func(a, b int64) int64 { return monthsBetween(b, a) }
	}
	return &fn.Bound{Params: ts, Result: strict(result, args), New: intRows(func(r row) (int64, bool) {
		return diff(read(r.args[0], r.i), read(r.args[1], r.i)), true
	})}, nil
}

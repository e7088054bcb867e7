package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

func init() {
	fn.Register(&fn.Scalar{Name: "OVERLAPS", Syntax: "(start, end) OVERLAPS (start, end)", Doc: "Whether two periods have a time in common; an end may be an interval.", Bind: bindOverlaps})
}

func bindOverlaps(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "(start, end) OVERLAPS (start, end)"
	if len(args) != 4 {
		return nil, fmt.Errorf("%s takes two periods", syntax)
	}
	t, ts, err := bindPair(syntax, []fn.Arg{args[0], args[2]}, 0)
	if err != nil {
		return nil, err
	}
	params := []types.Type{ts[0], t, ts[1], t}
	var ends [2]func(r row, start int64) int64
	for n, arg := range []int{1, 3} {
		if args[arg].Type.IsInterval() {
			params[arg] = args[arg].Type
		}
		ends[n] = endOf(t, params[arg], arg)
	}
	read := instantOf(t)
	return &fn.Bound{Params: params, Result: strict(boolean, args), New: boolRows(func(r row) (bool, bool) {
		s0, s1 := read(r.args[0], r.i), read(r.args[2], r.i)
		e0, e1 := ends[0](r, s0), ends[1](r, s1)
		s0, e0 = min(s0, e0), max(s0, e0)
		s1, e1 = min(s1, e1), max(s1, e1)
		return e0 >= s1 && e1 >= s0, true
	})}, nil
}

// endOf reads the end of a period, which is a time or an interval.
func endOf(t, end types.Type, arg int) func(r row, start int64) int64 {
	switch end.Kind {
	case types.IntervalYearMonth:
		return func(r row, start int64) int64 { return moveMonths(start, r.int(arg)) }
	case types.IntervalDaySecond:
		return func(r row, start int64) int64 { return start + r.int(arg)*1000 }
	}
	read := instantOf(t)
	return func(r row, _ int64) int64 { return read(r.args[arg], r.i) }
}

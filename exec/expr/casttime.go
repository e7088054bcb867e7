package expr

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const dayMicros = 86_400_000_000

// toTemporal: TIMESTAMP_LTZ meets the others in the session's time zone; a
// smaller precision cuts. As in Flink, the date of a TIMESTAMP before 1970
// that is not midnight is the next day. A TIME is of the first day of 1970.
func (c conversion) toTemporal() fn.Kernel {
	shift, day := c.shift(), dayOf
	if c.from.Kind == types.Timestamp {
		day = func(us int64) int64 { return us / dayMicros }
	}
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		v := args[0]
		for _, r := range rows {
			us, ns := c.micros(v, r)
			us = shift(us, env.Zone)
			switch c.to.Kind {
			case types.Date:
				out.I64[r] = day(us)
			case types.TimeOfDay:
				us -= vec.FloorDiv(us, dayMicros) * dayMicros
				out.I64[r], _ = vec.CutFraction(us, ns, min(c.to.Precision, 6))
			default:
				us, ns = vec.CutFraction(us, ns, c.to.Precision)
				setTime(out, r, us, ns)
			}
		}
		return nil
	}
}

func dayOf(us int64) int64 { return vec.FloorDiv(us, dayMicros) }

// micros reads a value as µs since 1970 (or of the day) and the ns below.
func (c conversion) micros(v *vec.Vector, r int32) (us, ns int64) {
	switch {
	case v.Kind == vec.I128:
		return v.I128[r].Hi, int64(v.I128[r].Lo)
	case c.from.Kind == types.Date:
		return v.I64[r] * dayMicros, 0
	}
	return v.I64[r], 0
}

func (c conversion) shift() func(int64, *time.Location) int64 {
	fromInstant, toInstant := c.from.Kind == types.TimestampLTZ, c.to.Kind == types.TimestampLTZ
	switch {
	case fromInstant && !toInstant:
		return vec.LocalOf
	case toInstant && !fromInstant:
		return vec.InstantOf
	}
	return func(us int64, _ *time.Location) int64 { return us }
}

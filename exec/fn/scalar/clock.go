package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// clock reads a date or time as the wall clock: µs since 1970 (of the day for
// TIME) and the ns below. TIMESTAMP_LTZ is read in the session's zone.
type clock func(env *fn.Env, v *vec.Vector, i int32) (us, ns int64)

func clockOf(t types.Type) clock {
	switch {
	case t.Kind == types.Date:
		return func(_ *fn.Env, v *vec.Vector, i int32) (int64, int64) { return v.I64[i] * dayMicros, 0 }
	case t.Kind == types.TimestampLTZ && vec.KindOf(t) == vec.I128:
		return func(env *fn.Env, v *vec.Vector, i int32) (int64, int64) {
			return vec.LocalOf(v.I128[i].Hi, env.Zone), int64(v.I128[i].Lo)
		}
	case t.Kind == types.TimestampLTZ:
		return func(env *fn.Env, v *vec.Vector, i int32) (int64, int64) {
			return vec.LocalOf(v.I64[i], env.Zone), 0
		}
	case vec.KindOf(t) == vec.I128:
		return func(_ *fn.Env, v *vec.Vector, i int32) (int64, int64) { return v.I128[i].Hi, int64(v.I128[i].Lo) }
	}
	return func(_ *fn.Env, v *vec.Vector, i int32) (int64, int64) { return v.I64[i], 0 }
}

// setClock stores a wall clock in a column of the given type.
func setClock(env *fn.Env, t types.Type, out *vec.Vector, i int32, us, ns int64) {
	switch {
	case t.Kind == types.Date:
		out.I64[i] = vec.FloorDiv(us, dayMicros)
		return
	case t.Kind == types.TimestampLTZ:
		us = vec.InstantOf(us, env.Zone)
	}
	if out.Kind == vec.I128 {
		out.I128[i] = vec.Int128{Hi: us, Lo: uint64(ns)}
		return
	}
	out.I64[i] = us
}

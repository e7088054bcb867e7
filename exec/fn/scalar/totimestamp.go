package scalar

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "TO_TIMESTAMP", Syntax: "TO_TIMESTAMP(string [, pattern])", Doc: "A timestamp read from text; NULL if it is none. Without a pattern: yyyy-MM-dd HH:mm:ss, or a date.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindParse("TO_TIMESTAMP", types.TimestampOf(3), args) }})
	fn.Register(&fn.Scalar{Name: "TO_DATE", Syntax: "TO_DATE(string [, pattern])", Doc: "A date read from text; NULL if it is none. Without a pattern: yyyy-MM-dd.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) { return bindParse("TO_DATE", types.Of(types.Date), args) }})
	fn.Register(&fn.Scalar{Name: "TO_TIMESTAMP_LTZ", Syntax: "TO_TIMESTAMP_LTZ(number [, precision]) or (string [, pattern [, zone]])",
		Doc: "An instant from a number of seconds (precision 0) or milliseconds (3, the default) since 1970, or from text in a time zone (UTC).", Bind: bindToLTZ})
	fn.Register(&fn.Scalar{Name: "UNIX_TIMESTAMP", Syntax: "UNIX_TIMESTAMP([string [, pattern]])", Doc: "Seconds since 1970 of a timestamp in the session's zone; of the processing time without argument.",
		Volatility: fn.PerStatement, Bind: bindUnixTimestamp})
}

// timeParser reads text by the pattern in argument 1, or the standard form.
type timeParser struct {
	cache    datePatterns
	dateOnly bool
}

func (p *timeParser) read(args []*vec.Vector, i int32) (us, ns int64, ok bool, err error) {
	s := args[0].BytesAt(int(i))
	if len(args) == 1 {
		if p.dateOnly {
			days, ok := vec.ParseDate(s)
			return days * dayMicros, 0, ok, nil
		}
		us, ns, ok = vec.ParseTimestamp(bytes.TrimSpace(s), 9)
		return us, ns, ok, nil
	}
	pattern, err := p.cache.of(args[1].BytesAt(int(i)))
	if err != nil {
		return 0, 0, false, err
	}
	us, ns, ok = pattern.parse(s)
	return us, ns, ok, nil
}

func bindParse(name string, t types.Type, args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind(name+"(string [, pattern])", args, 1, stringArg, stringArg)
	if err != nil {
		return nil, err
	}
	if len(args) == 2 {
		if err := checkPattern(args[1]); err != nil {
			return nil, err
		}
	}
	return &fn.Bound{Params: ts, Result: t, New: func() fn.Kernel {
		p := timeParser{dateOnly: t.Kind == types.Date}
		return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				us, ns, ok, err := p.read(args, i)
				if err != nil {
					return err
				}
				if !ok {
					out.SetNull(int(i))
					continue
				}
				us, ns = vec.CutFraction(us, ns, 3)
				setClock(env, t, out, i, us, ns)
			}
			return nil
		}
	}}, nil
}

func bindToLTZ(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "TO_TIMESTAMP_LTZ(number [, precision]) or (string [, pattern [, zone]])"
	if len(args) > 0 && args[0].Type.IsString() {
		return bindTextToLTZ(syntax, args)
	}
	ts, err := bind(syntax, args, 1, numberArg, intArg)
	if err != nil {
		return nil, err
	}
	scale := 3
	if len(args) == 2 {
		if args[1].Literal == nil || args[1].Literal.Null || (args[1].Literal.I != 0 && args[1].Literal.I != 3) {
			return nil, fmt.Errorf("the precision of TO_TIMESTAMP_LTZ must be 0 (seconds) or 3 (milliseconds)")
		}
		scale = int(args[1].Literal.I)
	}
	unit := vec.Pow10[6-scale]
	if args[0].Type.IsInteger() {
		ts[0] = args[0].Type
	}
	return &fn.Bound{Params: ts, Result: types.LTZOf(3), New: func() fn.Kernel {
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			if v := args[0]; v.Kind == vec.F64 {
				for _, i := range rows {
					out.I64[i] = int64(math.Floor(v.F64[i]*float64(unit)/1000)) * 1000
				}
				return nil
			}
			for _, i := range rows {
				out.I64[i] = args[0].I64[i] * unit
			}
			return nil
		}
	}}, nil
}

func bindTextToLTZ(syntax string, args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind(syntax, args, 2, stringArg, stringArg, stringArg)
	if err != nil {
		return nil, err
	}
	if len(args) > 1 {
		if err := checkPattern(args[1]); err != nil {
			return nil, err
		}
	}
	return &fn.Bound{Params: ts, Result: types.LTZOf(3), New: func() fn.Kernel {
		var p timeParser
		var zs zones
		return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				us, _, ok, err := p.read(args[:min(len(args), 2)], i)
				if err != nil {
					return err
				}
				if !ok {
					out.SetNull(int(i))
					continue
				}
				if len(args) == 3 {
					zone, known := zs.of(args[2].BytesAt(int(i)))
					if !known {
						out.SetNull(int(i))
						continue
					}
					us = vec.InstantOf(us, zone)
				}
				out.I64[i], _ = vec.CutFraction(us, 0, 3)
			}
			return nil
		}
	}}, nil
}

// lastInstantOf is the instant of a wall clock; of an hour that occurs twice
// it is the second one, as where Java's calendar reads it and not java.time.
func lastInstantOf(us int64, zone *time.Location) int64 {
	later := vec.LocalOf(us+dayMicros, zone) - dayMicros - us // offset behind a change
	if vec.LocalOf(us-later, zone) == us {
		return us - later
	}
	return vec.InstantOf(us, zone)
}

func bindUnixTimestamp(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("UNIX_TIMESTAMP([string [, pattern]])", args, 2, stringArg, stringArg)
	if err != nil {
		return nil, err
	}
	if len(args) == 2 {
		if err := checkPattern(args[1]); err != nil {
			return nil, err
		}
	}
	b := &fn.Bound{Params: ts, Result: strict(types.Of(types.BigInt), args)}
	if len(args) == 0 {
		b.New = func() fn.Kernel { return fill(func(env *fn.Env) int64 { return vec.FloorDiv(int64(env.Now), 1000) }) }
		return b, nil
	}
	b.New = func() fn.Kernel {
		var p timeParser
		return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				us, _, ok, err := p.read(args, i)
				if err != nil {
					return err
				}
				if out.I64[i] = vec.FloorDiv(lastInstantOf(us, env.Zone), 1e6); !ok {
					out.I64[i] = math.MinInt64
				}
			}
			return nil
		}
	}
	return b, nil
}

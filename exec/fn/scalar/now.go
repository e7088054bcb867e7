package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	for _, f := range []struct {
		name, doc string
		aliases   []string
		result    types.Type
		value     func(env *fn.Env) int64
	}{
		{"CURRENT_TIMESTAMP", "Processing time of the rows, an instant.", []string{"NOW", "CURRENT_ROW_TIMESTAMP"}, types.LTZOf(3), nowMicros},
		{"PROCTIME", "Processing time as a time attribute.", nil, types.LTZOf(3).WithAttr(types.Proctime), nowMicros},
		{"LOCALTIMESTAMP", "Processing time on the session's clock.", nil, types.TimestampOf(3), localMicros},
		{"CURRENT_DATE", "Date of the processing time in the session's zone.", nil, types.Of(types.Date),
			func(env *fn.Env) int64 { return vec.FloorDiv(localMicros(env), dayMicros) }},
		{"LOCALTIME", "Time of the day in the session's zone.", []string{"CURRENT_TIME"}, types.Type{Kind: types.TimeOfDay},
			func(env *fn.Env) int64 { return modulo(localMicros(env), dayMicros) / 1e6 * 1e6 }},
	} {
		fn.Register(&fn.Scalar{Name: f.name, Aliases: f.aliases, Syntax: f.name, Doc: f.doc, Volatility: fn.PerStatement,
			Bind: func(args []fn.Arg) (*fn.Bound, error) {
				if len(args) > 0 {
					return nil, fmt.Errorf("%s takes no arguments", f.name)
				}
				return &fn.Bound{Result: f.result.Nullable(false), New: func() fn.Kernel { return fill(f.value) }}, nil
			}})
	}
	fn.Register(&fn.Scalar{Name: "CURRENT_WATERMARK", Syntax: "CURRENT_WATERMARK(rowtime)", Doc: "The watermark that the row meets; NULL before the first one.",
		Volatility: fn.PerStatement, Bind: bindCurrentWatermark})
}

func nowMicros(env *fn.Env) int64   { return int64(env.Now) * 1000 }
func localMicros(env *fn.Env) int64 { return vec.LocalOf(nowMicros(env), env.Zone) }

func fill(value func(env *fn.Env) int64) fn.Kernel {
	return func(env *fn.Env, _ []*vec.Vector, rows []int32, out *vec.Vector) error {
		x := value(env)
		for _, i := range rows {
			out.I64[i] = x
		}
		return nil
	}
}

func bindCurrentWatermark(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("CURRENT_WATERMARK(rowtime)", args, 0, timestamps)
	if err != nil {
		return nil, err
	}
	t := types.Type{Kind: ts[0].Kind, Precision: 3}
	return &fn.Bound{Params: ts, Result: t, NullAware: true, New: func() fn.Kernel {
		return func(env *fn.Env, _ []*vec.Vector, rows []int32, out *vec.Vector) error {
			for _, i := range rows {
				out.I64[i] = int64(env.Watermark) * 1000
				if env.Watermark == types.MinTime {
					out.SetNull(int(i))
				}
			}
			return nil
		}
	}}, nil
}

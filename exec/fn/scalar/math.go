package scalar

import (
	"math"
	"math/rand/v2"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	for _, f := range []struct {
		name, doc string
		of        func(float64) float64
	}{
		{"SQRT", "Square root.", math.Sqrt}, {"EXP", "e to the power of x.", math.Exp}, {"LN", "Natural logarithm.", math.Log},
		{"LOG10", "Logarithm to base 10.", math.Log10}, {"LOG2", "Logarithm to base 2.", func(x float64) float64 { return math.Log(x) / math.Log(2) }},
		{"SIN", "Sine.", math.Sin}, {"COS", "Cosine.", math.Cos}, {"TAN", "Tangent.", math.Tan},
		{"COT", "Cotangent.", func(x float64) float64 { return 1 / math.Tan(x) }},
		{"ASIN", "Arc sine.", math.Asin}, {"ACOS", "Arc cosine.", math.Acos}, {"ATAN", "Arc tangent.", math.Atan},
		{"SINH", "Hyperbolic sine.", math.Sinh}, {"COSH", "Hyperbolic cosine.", math.Cosh}, {"TANH", "Hyperbolic tangent.", math.Tanh},
		{"DEGREES", "Radians in degrees.", func(x float64) float64 { return x * 180 / math.Pi }},
		{"RADIANS", "Degrees in radians.", func(x float64) float64 { return x / 180 * math.Pi }},
	} {
		simple{name: f.name, syntax: f.name + "(x)", doc: f.doc, params: []param{numberArg}, result: types.Of(types.Double),
			kernel: floatRows(func(r row) (float64, bool) { return f.of(r.float(0)), true })}.register()
	}
	for _, f := range []struct {
		name, syntax, doc string
		of                func(a, b float64) float64
	}{
		{"POWER", "POWER(x, y)", "x to the power of y.", math.Pow},
		{"ATAN2", "ATAN2(y, x)", "Angle of a point.", math.Atan2},
	} {
		simple{name: f.name, syntax: f.syntax, doc: f.doc, params: []param{numberArg, numberArg}, result: types.Of(types.Double),
			kernel: floatRows(func(r row) (float64, bool) { return f.of(r.float(0), r.float(1)), true })}.register()
	}
	simple{name: "LOG", syntax: "LOG([base,] x)", doc: "Logarithm, natural without a base.", params: []param{numberArg, numberArg}, opt: 1, result: types.Of(types.Double),
		kernel: floatRows(func(r row) (float64, bool) {
			if len(r.args) == 1 {
				return math.Log(r.float(0)), true
			}
			return math.Log(r.float(1)) / math.Log(r.float(0)), true
		})}.register()
	constant("PI", "The number pi.", math.Pi)
	constant("E", "The number e.", math.E)
	simple{name: "RAND", syntax: "RAND([seed])", doc: "A random number from 0 up to 1.", params: []param{intArg}, opt: 1, result: types.Of(types.Double), volatility: fn.PerRow,
		kernel: func() fn.Kernel {
			return floatRows(func(row) (float64, bool) { return rand.Float64(), true })()
		}}.register()
	simple{name: "RAND_INTEGER", syntax: "RAND_INTEGER(bound)", doc: "A random integer from 0 up to a bound.", params: []param{intArg}, result: types.Of(types.Int), volatility: fn.PerRow,
		kernel: intRows(func(r row) (int64, bool) { return rand.Int64N(max(1, r.int(0))), true })}.register()
}

func constant(name, doc string, x float64) {
	simple{name: name, syntax: name + "()", doc: doc, result: types.Of(types.Double),
		kernel: func() fn.Kernel {
			return func(_ *fn.Env, _ []*vec.Vector, rows []int32, out *vec.Vector) error {
				for _, i := range rows {
					out.F64[i] = x
				}
				return nil
			}
		}}.register()
}

package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "PRINTF", Syntax: "PRINTF(format, a …)", Doc: "Arguments in a format of Java: %d %s %x %X %o %f %e %b %c %% and %n, with flags, width and precision. A NULL prints as null; NULL if the format does not fit.", Bind: bindPrintf})
}

func bindPrintf(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bindAll("PRINTF(format, a …)", args, 1, anyArg)
	if err != nil {
		return nil, err
	}
	if !ts[0].IsString() {
		return nil, fmt.Errorf("the format of PRINTF must be a string, not %s", ts[0].Text())
	}
	return &fn.Bound{Params: ts, Result: types.String(), NullAware: true, New: textRows(func(dst []byte, r row) ([]byte, bool) {
		if r.null(0) {
			return dst, false
		}
		return printf(dst, r, ts)
	})}, nil
}

func printf(dst []byte, r row, ts []types.Type) ([]byte, bool) {
	format, arg := r.text(0), 1
	for format != "" {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return append(dst, format...), true
		}
		dst, format = append(dst, format[:i]...), format[i:]
		n := 1 + len(format[1:]) - len(strings.TrimLeft(format[1:], "-+ 0#,.123456789"))
		if n >= len(format) {
			return dst, false
		}
		spec, verb := format[:n], format[n]
		format = format[n+1:]
		switch verb {
		case '%':
			dst = append(dst, '%')
			continue
		case 'n':
			dst = append(dst, '\n')
			continue
		}
		if arg >= len(r.args) {
			return dst, false
		}
		var ok bool
		if dst, ok = printArg(dst, spec, verb, r, arg, ts[arg]); !ok {
			return dst, false
		}
		arg++
	}
	return dst, true
}

// printArg formats one argument; false if the verb is not for its type.
func printArg(dst []byte, spec string, verb byte, r row, arg int, t types.Type) ([]byte, bool) {
	v := r.args[arg]
	if v.IsNull(r.i) {
		return fmt.Appendf(dst, strings.Trim(spec, "0+#, ")+"s", "null"), true
	}
	switch {
	case verb == 's' || verb == 'b' && t.Kind == types.Boolean:
		return fmt.Appendf(dst, spec+"s", printText(v, r.i, t)), true
	case strings.IndexByte("dxXoc", verb) >= 0 && t.IsInteger():
		return fmt.Appendf(dst, strings.ReplaceAll(spec, ",", "")+string(verb), v.I64[r.i]), true
	case strings.IndexByte("feEgG", verb) >= 0 && t.IsApprox():
		return fmt.Appendf(dst, spec+string(verb), v.F64[r.i]), true
	case verb == 'f' && t.Kind == types.Decimal:
		var buf []vec.Int128
		x := widen(v, []int32{int32(r.i)}, &buf)[r.i]
		return fmt.Appendf(dst, spec+"f", x.Float(t.Scale)), true
	}
	return dst, false
}

// printText is Java's text: booleans in lower case.
func printText(v *vec.Vector, i int, t types.Type) string {
	if t.Kind == types.Boolean {
		return fmt.Sprint(v.Bool[i])
	}
	return string(vec.AppendText(nil, v, i, t))
}

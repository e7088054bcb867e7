package scalar

import (
	"bytes"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "DATE_FORMAT", Syntax: "DATE_FORMAT(timestamp, pattern)", Doc: "A timestamp, or a string that is one, by a pattern such as yyyy-MM-dd HH:mm:ss.",
		Bind: bindDateFormat})
	fn.Register(&fn.Scalar{Name: "FROM_UNIXTIME", Syntax: "FROM_UNIXTIME(seconds [, pattern])", Doc: "Seconds since 1970 as text in the session's zone.",
		Zoned: true, Bind: bindFromUnixtime})
}

func bindDateFormat(args []fn.Arg) (*fn.Bound, error) {
	const syntax = "DATE_FORMAT(timestamp, pattern)"
	source := param{"a timestamp or string", func(t types.Type) bool { return t.IsTimestamp() || t.IsString() }, types.TimestampOf(3)}
	ts, err := bind(syntax, args, 0, source, stringArg)
	if err != nil {
		return nil, err
	}
	if err := checkPattern(args[1]); err != nil {
		return nil, err
	}
	read := readClock(ts[0])
	return &fn.Bound{Params: ts, Result: strict(types.String(), args).Nullable(ts[0].IsString() || !strict(boolean, args).NotNull),
		New: func() fn.Kernel { return formatKernel(read) }}, nil
}

// checkPattern refuses a constant pattern that is invalid before the job
// starts.
func checkPattern(a fn.Arg) error {
	if a.Literal == nil || a.Literal.Null {
		return nil
	}
	_, err := compileDatePattern(a.Literal.S)
	return err
}

// readClock is clockOf, and strings are parsed.
func readClock(t types.Type) func(env *fn.Env, v *vec.Vector, i int32) (us, ns int64, ok bool) {
	if t.IsString() {
		return func(_ *fn.Env, v *vec.Vector, i int32) (int64, int64, bool) {
			return vec.ParseTimestamp(bytes.TrimSpace(v.BytesAt(int(i))), 9)
		}
	}
	c := clockOf(t)
	return func(env *fn.Env, v *vec.Vector, i int32) (int64, int64, bool) {
		us, ns := c(env, v, i)
		return us, ns, true
	}
}

func formatKernel(read func(*fn.Env, *vec.Vector, int32) (int64, int64, bool)) fn.Kernel {
	var cache datePatterns
	return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		var last lastText
		for _, i := range rows {
			pattern := args[1].BytesAt(int(i))
			if last.span.Len == 0 || string(pattern) != last.pattern {
				p, err := cache.of(pattern)
				if err != nil {
					return err
				}
				last = lastText{p: p, pattern: cache.last, unit: p.unit()}
			}
			us, ns, ok := read(env, args[0], i)
			if !ok {
				out.SetNull(int(i))
				continue
			}
			out.Spans[i] = last.append(out, us, ns)
		}
		return nil
	}
}

// lastText is the text of the row before. Rows are nearly in order, so that
// many have the same text; they share its bytes.
type lastText struct {
	p       datePattern
	pattern string
	unit    int64 // what the text depends on: whole units of µs; 0 for more
	at      int64
	span    vec.Span
}

func (l *lastText) append(out *vec.Vector, us, ns int64) vec.Span {
	at := us
	if l.unit > 0 {
		at = vec.FloorDiv(us, l.unit)
		if at == l.at && l.span.Len > 0 {
			return l.span
		}
	}
	start := len(out.Data)
	out.Data = l.p.append(out.Data, us, ns)
	l.at, l.span = at, vec.Span{Off: uint32(start), Len: uint32(len(out.Data) - start)}
	return l.span
}

var standardPattern, _ = compileDatePattern("yyyy-MM-dd HH:mm:ss")

func bindFromUnixtime(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("FROM_UNIXTIME(seconds [, pattern])", args, 1, bigArg, stringArg)
	if err != nil {
		return nil, err
	}
	if len(args) == 2 {
		if err := checkPattern(args[1]); err != nil {
			return nil, err
		}
	}
	return &fn.Bound{Params: ts, Result: strict(types.String(), args), New: func() fn.Kernel {
		var cache datePatterns
		return func(env *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
			p := standardPattern
			for _, i := range rows {
				if len(args) == 2 {
					var err error
					if p, err = cache.of(args[1].BytesAt(int(i))); err != nil {
						return err
					}
				}
				start := len(out.Data)
				out.Data = p.append(out.Data, vec.LocalOf(args[0].I64[i]*1e6, env.Zone), 0)
				out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(len(out.Data) - start)}
			}
			return nil
		}
	}}, nil
}

package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// simple is a function with one overload.
type simple struct {
	name, syntax, doc string
	aliases           []string
	params            []param
	opt               int  // so many of the last parameters may be left out
	variadic          bool // the last parameter may be repeated
	result            types.Type
	resultOf          func(ts []types.Type) types.Type // instead of result
	nullable          bool                             // the result may be NULL though no argument is
	nullAware         bool
	volatility        fn.Volatility
	kernel            func() fn.Kernel
	constant          func(consts []*vec.Value) fn.Kernel
}

func (s simple) register() {
	fn.Register(&fn.Scalar{Name: s.name, Aliases: s.aliases, Syntax: s.syntax, Doc: s.doc, Volatility: s.volatility, Bind: s.bind})
}

func (s simple) bind(args []fn.Arg) (*fn.Bound, error) {
	params := s.params
	for s.variadic && len(params) < len(args) {
		params = append(params[:len(params):len(params)], params[len(params)-1])
	}
	ts, err := bind(s.syntax, args, s.opt, params...)
	if err != nil {
		return nil, err
	}
	t := s.result
	if s.resultOf != nil {
		t = s.resultOf(ts)
	}
	t.Attr = types.NoTime
	if t = strict(t, args); s.nullable {
		t.NotNull = false
	}
	return &fn.Bound{Params: ts, Result: t, NullAware: s.nullAware, New: s.kernel, NewConst: s.constant}, nil
}

// row is one row of a function's arguments.
type row struct {
	args []*vec.Vector
	i    int
}

func (r row) bytes(arg int) []byte  { return r.args[arg].BytesAt(r.i) }
func (r row) text(arg int) string   { return string(r.args[arg].BytesAt(r.i)) }
func (r row) int(arg int) int64     { return r.args[arg].I64[r.i] }
func (r row) float(arg int) float64 { return r.args[arg].F64[r.i] }
func (r row) bool(arg int) bool     { return r.args[arg].Bool[r.i] }
func (r row) null(arg int) bool     { return r.args[arg].IsNull(r.i) }

// intOr is an optional integer argument.
func (r row) intOr(arg int, otherwise int64) int64 {
	if arg >= len(r.args) {
		return otherwise
	}
	return r.int(arg)
}

// The following make kernels of a function of one row; a result that is not
// ok is NULL. They cost a call a row, which the functions that use them do
// not feel.

// textRows appends the result to dst.
func textRows(f func(dst []byte, r row) ([]byte, bool)) func() fn.Kernel {
	k := func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, i := range rows {
			start := len(out.Data)
			dst, ok := f(out.Data, row{args, int(i)})
			if !ok {
				out.SetNull(int(i))
				continue
			}
			out.Data = dst
			out.Spans[i] = vec.Span{Off: uint32(start), Len: uint32(len(dst) - start)}
		}
		return nil
	}
	return func() fn.Kernel { return k }
}

// pieceRows is for results that are a part of argument arg: they share its
// bytes, and are slices of r.bytes(arg) whose capacity was not cut. The kernel never appends to out.Data, so nothing is overwritten.
func pieceRows(arg int, f func(r row) ([]byte, bool)) func() fn.Kernel {
	k := func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		v := args[arg]
		out.Data = v.Data
		for _, i := range rows {
			piece, ok := f(row{args, int(i)})
			if !ok {
				out.SetNull(int(i))
				continue
			}
			s := v.Spans[i]
			out.Spans[i] = vec.Span{Off: s.Off + s.Len - uint32(cap(piece)), Len: uint32(len(piece))}
		}
		return nil
	}
	return func() fn.Kernel { return k }
}

func intRows(f func(r row) (int64, bool)) func() fn.Kernel {
	return rowsOf(func(v *vec.Vector) []int64 { return v.I64 }, f)
}

func floatRows(f func(r row) (float64, bool)) func() fn.Kernel {
	return rowsOf(func(v *vec.Vector) []float64 { return v.F64 }, f)
}

func boolRows(f func(r row) (bool, bool)) func() fn.Kernel {
	return rowsOf(func(v *vec.Vector) []bool { return v.Bool }, f)
}

func rowsOf[T any](col func(*vec.Vector) []T, f func(r row) (T, bool)) func() fn.Kernel {
	k := func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		o := col(out)
		for _, i := range rows {
			x, ok := f(row{args, int(i)})
			o[i] = x
			if !ok {
				out.SetNull(int(i))
			}
		}
		return nil
	}
	return func() fn.Kernel { return k }
}

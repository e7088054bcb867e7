package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func init() {
	fn.Register(&fn.Scalar{Name: "||", Syntax: "a || b", Doc: "Strings or binary strings joined.", Bind: bindJoin})
	fn.Register(&fn.Scalar{Name: "CONCAT", Syntax: "CONCAT(a, b …)", Doc: "Strings joined; NULL if one is.",
		Bind: func(args []fn.Arg) (*fn.Bound, error) {
			ts, err := bindAll("CONCAT(a, b …)", args, 1, stringArg)
			return &fn.Bound{Params: ts, Result: strict(types.String(), args), New: joinKernel}, err
		}})
	fn.Register(&fn.Scalar{Name: "CONCAT_WS", Syntax: "CONCAT_WS(separator, a, b …)", Doc: "Strings joined with a separator between them; NULLs are left out.", Bind: bindConcatWS})
}

func bindJoin(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("a || b", args, 0, textual, textual)
	if err != nil {
		return nil, err
	}
	a, b := ts[0], ts[1]
	if a.IsString() != b.IsString() {
		return nil, fmt.Errorf("cannot join %s and %s", a.Text(), b.Text())
	}
	t := a
	if a.Kind != b.Kind {
		t.Kind = max(a.Kind, b.Kind)
	}
	t.Precision = int(min(int64(a.Precision)+int64(b.Precision), types.MaxLength))
	return &fn.Bound{Params: ts, Result: strict(t, args), New: joinKernel}, nil
}

func joinKernel() fn.Kernel {
	return func(_ *fn.Env, args []*vec.Vector, rows []int32, out *vec.Vector) error {
		for _, r := range rows {
			start := len(out.Data)
			for _, a := range args {
				out.Data = append(out.Data, a.BytesAt(int(r))...)
			}
			out.Spans[r] = vec.Span{Off: uint32(start), Len: uint32(len(out.Data) - start)}
		}
		return nil
	}
}

func bindConcatWS(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bindAll("CONCAT_WS(separator, a, b …)", args, 1, stringArg)
	if err != nil {
		return nil, err
	}
	return &fn.Bound{Params: ts, Result: strict(types.String(), args), NullAware: true,
		New: textRows(func(dst []byte, r row) ([]byte, bool) {
			if r.null(0) {
				return dst, false
			}
			found := false
			for i := 1; i < len(r.args); i++ {
				if r.null(i) {
					continue
				}
				if found {
					dst = append(dst, r.bytes(0)...)
				}
				dst, found = append(dst, r.bytes(i)...), true
			}
			return dst, true
		})}, nil
}

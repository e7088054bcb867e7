package build

import (
	"context"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/physical"
)

func (b *builder) values(n *physical.Node, v *physical.Values) (*exec.SourceNode, error) {
	for _, row := range v.Rows {
		if _, err := expr.Compile(row, expr.Options{}); err != nil {
			return nil, err
		}
	}
	return &exec.SourceNode{Source: &valuesSource{rows: v.Rows, fields: n.Output, env: fn.Env{Zone: b.plan.Config.Zone}}, Bounded: true}, nil
}

// valuesSource reads a constant table: one split, its position a byte that
// says whether the rows have been read.
type valuesSource struct {
	rows   [][]expr.Expr
	fields []types.Field
	env    fn.Env
}

func (s *valuesSource) Splits(context.Context) ([]exec.Split, error) {
	return []exec.Split{{ID: "values"}}, nil
}

func (s *valuesSource) Reader(sc exec.SourceContext, splits []exec.Split) (exec.Reader, error) {
	return &valuesReader{source: s, context: sc, splits: splits}, nil
}

type valuesReader struct {
	source  *valuesSource
	context exec.SourceContext
	splits  []exec.Split
}

func (r *valuesReader) Next(_ context.Context, b *vec.Batch) (int, bool, error) {
	b.Reset()
	for len(b.Cols) < len(r.source.fields) {
		b.Cols = append(b.Cols, nil)
	}
	for i, f := range r.source.fields {
		b.Cols[i] = vec.New(f.Type)
	}
	if len(r.splits[0].Position) == 0 {
		env := r.source.env
		env.Now = types.TimeOf(r.context.Clock.Now())
		for _, row := range r.source.rows {
			if err := appendRow(row, &env, b); err != nil {
				return 0, false, err
			}
		}
		r.splits[0].Position = []byte{1}
	}
	return 0, true, nil
}

func appendRow(row []expr.Expr, env *fn.Env, b *vec.Batch) error {
	p, err := expr.Compile(row, expr.Options{})
	if err != nil {
		return err
	}
	out, err := p.Eval(env, &vec.Batch{N: 1})
	if err != nil {
		return err
	}
	for i, v := range out {
		b.Cols[i].AppendValue(v.At(0))
	}
	b.N++
	return nil
}

func (r *valuesReader) Positions() []exec.Split                       { return r.splits }
func (r *valuesReader) Completed(context.Context, []exec.Split) error { return nil }
func (r *valuesReader) Close() error                                  { return nil }

package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Calc filters rows and computes columns.
type Calc struct {
	spec    CalcSpec
	ctx     *exec.Context
	filter  *expr.Filter
	program *expr.Program
	env     fn.Env
	out     vec.Batch
}

// NewCalc compiles the expressions.
func NewCalc(s CalcSpec) (exec.Operator, error) {
	o := &Calc{spec: s, env: fn.Env{Zone: s.Zone}}
	var err error
	if s.Filter != nil {
		if o.filter, err = expr.CompileFilter(s.Filter); err != nil {
			return nil, err
		}
	}
	if s.Exprs != nil {
		o.program, err = expr.Compile(s.Exprs, expr.Options{})
	}
	return o, err
}

func (o *Calc) Open(ctx *exec.Context) error { o.ctx = ctx; return nil }

func (o *Calc) Process(_ int, b *vec.Batch, out exec.Output) error {
	o.env.Now, o.env.Watermark = o.ctx.Now, o.ctx.Watermark
	o.out = *b
	if o.filter != nil {
		sel, err := o.filter.Select(&o.env, b)
		if err != nil {
			return err
		}
		o.out.Sel = sel
	}
	if o.out.Len() == 0 {
		return nil
	}
	if o.program != nil {
		cols, err := o.program.Eval(&o.env, &o.out)
		if err != nil {
			return err
		}
		o.out.Cols = cols
	}
	return out.Emit(&o.out)
}

func (o *Calc) Advance(t types.Time, out exec.Output) error { return out.Watermark(t) }
func (o *Calc) Close() error                                { return nil }

package op

import (
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Expand emits each row once per grouping set, a batch a set.
type Expand struct {
	passing
	ctx      *exec.Context
	programs []*expr.Program
	env      fn.Env
	out      vec.Batch
}

// NewExpand compiles the projections.
func NewExpand(s ExpandSpec) (exec.Operator, error) {
	o := &Expand{env: fn.Env{Zone: s.Zone}}
	for _, xs := range s.Projects {
		p, err := expr.Compile(xs, expr.Options{})
		if err != nil {
			return nil, err
		}
		o.programs = append(o.programs, p)
	}
	return o, nil
}

func (o *Expand) Open(ctx *exec.Context) error { o.ctx = ctx; return nil }

func (o *Expand) Process(_ int, b *vec.Batch, out exec.Output) error {
	if b.Len() == 0 {
		return nil
	}
	o.env.Now, o.env.Watermark = o.ctx.Now, o.ctx.Watermark
	for _, p := range o.programs {
		cols, err := p.Eval(&o.env, b)
		if err != nil {
			return err
		}
		// The receiver may replace entries of Cols, and set Sel.
		o.out = *b
		o.out.Cols, o.out.Hash = cols, nil
		if err := out.Emit(&o.out); err != nil {
			return err
		}
	}
	return nil
}

package physical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Check tells what is wrong with a plan, for tests: nodes out of order,
// columns that an input does not have or that are of another type there, and
// edges that runtime and operators would not understand.
func (p *Plan) Check() error {
	seen := map[string]bool{}
	for i, n := range p.Nodes {
		if n.ID != i || n.UID == "" || seen[n.UID] {
			return fmt.Errorf("%s: number %d at %d, UID %q", n.Title(), n.ID, i, n.UID)
		}
		seen[n.UID] = true
		if err := n.check(); err != nil {
			return fmt.Errorf("%s: %w", n.Title(), err)
		}
	}
	return nil
}

func (n *Node) check() error {
	for _, in := range n.Inputs {
		if in.Node.ID >= n.ID {
			return fmt.Errorf("its input %s comes behind it", in.Node.Title())
		}
		if (in.Exchange == exec.Hash) != (len(in.Key) > 0) {
			return fmt.Errorf("exchange %d with key %v", in.Exchange, in.Key)
		}
		if err := inside(in.Key, len(in.Node.Output)); err != nil {
			return err
		}
		if in.Exchange == exec.Gather && n.Parallelism != 1 || in.Exchange == exec.Forward && n.Parallelism != in.Node.Parallelism {
			return fmt.Errorf("exchange %d from %d to %d subtasks", in.Exchange, in.Node.Parallelism, n.Parallelism)
		}
	}
	for _, k := range n.Keys {
		if err := inside(k, len(n.Output)); err != nil {
			return fmt.Errorf("unique key: %w", err)
		}
	}
	if w := n.Windows; w != nil && max(w.Start, w.End, w.Time) >= len(n.Output) {
		return fmt.Errorf("window columns %+v of %d columns", *w, len(n.Output))
	}
	return n.checkExprs()
}

func inside(cols []int, width int) error {
	for _, c := range cols {
		if c < 0 || c >= width {
			return fmt.Errorf("column %d of %d", c, width)
		}
	}
	return nil
}

// checkExprs compares the expressions with the columns they are over.
func (n *Node) checkExprs() error {
	fields := n.Output
	var xs []expr.Expr
	switch o := n.Op.(type) {
	case *Scan:
		xs = []expr.Expr{o.Filter, o.Watermark, o.Rowtime}
	case *Calc:
		fields, xs = n.in(0).Output, append(expr.Conjuncts(o.Filter), o.Exprs...)
		if len(o.Exprs) != len(n.Output) {
			return fmt.Errorf("%d expressions for %d columns", len(o.Exprs), len(n.Output))
		}
	case *Join:
		fields, xs = n.both(), []expr.Expr{o.Residual}
	case *IntervalJoin:
		fields, xs = n.both(), []expr.Expr{o.Residual}
	case *WindowJoin:
		fields, xs = n.both(), []expr.Expr{o.Residual}
	case *TemporalJoin:
		fields, xs = n.both(), []expr.Expr{o.Residual}
	case *Unnest:
		fields, xs = n.in(0).Output, []expr.Expr{o.Collection}
	}
	for _, x := range xs {
		if err := checkExpr(x, fields); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) both() []types.Field {
	return append(append([]types.Field(nil), n.in(0).Output...), n.in(1).Output...)
}

func checkExpr(x expr.Expr, fields []types.Field) (err error) {
	if x == nil {
		return nil
	}
	expr.Walk(x, func(y expr.Expr) bool {
		c, ok := y.(*expr.Column)
		switch {
		case err != nil || !ok:
		case c.Index < 0 || c.Index >= len(fields):
			err = fmt.Errorf("%s: column %d of %d", x, c.Index, len(fields))
		case !c.T.Equal(fields[c.Index].Type):
			err = fmt.Errorf("%s: column %s is %s, the input's is %s", x, c, c.T, fields[c.Index].Type)
		case c.T.NotNull && !fields[c.Index].Type.NotNull:
			err = fmt.Errorf("%s: column %s is NOT NULL, the input's is not", x, c)
		}
		return err == nil
	})
	return err
}

package logical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Verify checks what holds of every plan: columns exist and have the types of
// the input, and a node has as many columns as it computes. It is for tests.
func Verify(p Plan) error {
	for _, in := range p.Inputs() {
		if err := Verify(in); err != nil {
			return err
		}
	}
	if err := verifyNode(p); err != nil {
		return fmt.Errorf("%s: %w", describe(p), err)
	}
	return nil
}

func verifyNode(p Plan) error {
	switch n := p.(type) {
	case *Project:
		return first(sameTypes(n.Cols, n.Exprs), columnsIn(n.Input.Schema(), n.Exprs...))
	case *Filter:
		return first(boolean(n.Cond), columnsIn(n.Input.Schema(), n.Cond), width(n.Cols, len(n.Input.Schema())))
	case *Watermark:
		return columnsIn(n.Input.Schema(), n.Expr)
	case *Values:
		for _, row := range n.Rows {
			if err := sameTypes(n.Cols, row); err != nil {
				return err
			}
		}
	case *Window:
		return width(n.Cols, len(n.Input.Schema())+3)
	case *Aggregate:
		return n.verify()
	case *Expand:
		for _, xs := range n.Projects {
			if err := first(sameTypes(n.Cols, xs), columnsIn(n.Input.Schema(), xs...)); err != nil {
				return err
			}
		}
	case *Join:
		return verifyJoin(n)
	case *TemporalJoin:
		both := append(append([]types.Field{}, n.Left.Schema()...), n.Right.Schema()...)
		return first(columnsIn(n.Left.Schema(), n.Time), boolean(n.Cond), columnsIn(both, n.Cond), width(n.Cols, len(both)))
	case *Over:
		return n.verify()
	case *SetOp:
		for _, in := range n.In {
			if err := sameFields(n.Cols, in.Schema()); err != nil {
				return err
			}
		}
	case *Unnest:
		return columnsIn(n.Input.Schema(), n.Collection)
	case *Sink:
		return sameFields(n.Cols, n.Input.Schema())
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func width(cols []types.Field, n int) error {
	if len(cols) != n {
		return fmt.Errorf("%d columns, not %d", len(cols), n)
	}
	return nil
}

func boolean(x expr.Expr) error {
	if x != nil && x.Type().Kind != types.Boolean {
		return fmt.Errorf("condition %s is of type %s", x, x.Type())
	}
	return nil
}

// sameTypes: nullability may be wider in cols.
func sameTypes(cols []types.Field, xs []expr.Expr) error {
	if err := width(cols, len(xs)); err != nil {
		return err
	}
	for i, x := range xs {
		if !cols[i].Type.Equal(x.Type()) {
			return fmt.Errorf("column %s is %s, its expression %s", cols[i].Name, cols[i].Type, x.Type())
		}
	}
	return nil
}

func sameFields(cols, in []types.Field) error {
	if err := width(cols, len(in)); err != nil {
		return err
	}
	for i, f := range in {
		if !cols[i].Type.Equal(f.Type) {
			return fmt.Errorf("column %s is %s, that of the input %s", cols[i].Name, cols[i].Type, f.Type)
		}
	}
	return nil
}

// columnsIn checks the columns that expressions use; nil ones are skipped.
func columnsIn(in []types.Field, xs ...expr.Expr) error {
	var err error
	for _, x := range xs {
		if x == nil {
			continue
		}
		expr.Walk(x, func(y expr.Expr) bool {
			c, ok := y.(*expr.Column)
			switch {
			case !ok || err != nil:
			case c.Index >= len(in):
				err = fmt.Errorf("%s uses column %d of %d", x, c.Index, len(in))
			case !in[c.Index].Type.Equal(c.T):
				err = fmt.Errorf("%s uses column %d as %s, which is %s", x, c.Index, c.T, in[c.Index].Type)
			}
			return err == nil
		})
	}
	return err
}

func verifyJoin(n *Join) error {
	both := append(append([]types.Field{}, n.Left.Schema()...), n.Right.Schema()...)
	out := len(both)
	if n.Kind == op.Semi || n.Kind == op.Anti {
		out = len(n.Left.Schema())
	}
	return first(boolean(n.Cond), columnsIn(both, n.Cond), width(n.Cols, out))
}

func (n *Aggregate) verify() error {
	in := n.Input.Schema()
	for i, k := range n.Keys {
		if !n.Cols[i].Type.Equal(in[k].Type) {
			return fmt.Errorf("key %s is %s, its column %s", n.Cols[i].Name, n.Cols[i].Type, in[k].Type)
		}
	}
	for i, a := range n.Aggs {
		if !n.Cols[len(n.Keys)+i].Type.Equal(a.Bound.Result) {
			return fmt.Errorf("%s gives %s, not %s", a.Name, a.Bound.Result, n.Cols[len(n.Keys)+i].Type)
		}
		for j, c := range a.Args {
			if p := a.Bound.Params[j]; !in[c].Type.Equal(p) {
				return fmt.Errorf("%s takes %s, not %s", a.Name, p, in[c].Type)
			}
		}
		if a.Filter >= 0 && in[a.Filter].Type.Kind != types.Boolean {
			return fmt.Errorf("filter of %s is %s", a.Name, in[a.Filter].Type)
		}
	}
	return width(n.Cols, len(n.Keys)+len(n.Aggs)+len(n.Properties))
}

func (n *Over) verify() error {
	for i, c := range n.Calls {
		if err := columnsIn(n.Input.Schema(), c.Args...); err != nil {
			return err
		}
		if t := n.Cols[len(n.Input.Schema())+i].Type; !t.Equal(c.T) {
			return fmt.Errorf("%s gives %s, not %s", c.Name, c.T, t)
		}
	}
	return width(n.Cols, len(n.Input.Schema())+len(n.Calls))
}

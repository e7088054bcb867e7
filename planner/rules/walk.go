package rules

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// bottomUp replaces each node by what f makes of it, inputs first.
func bottomUp(p logical.Plan, f func(logical.Plan) (logical.Plan, error)) (logical.Plan, error) {
	in := p.Inputs()
	var changed []logical.Plan
	for i, q := range in {
		r, err := bottomUp(q, f)
		if err != nil {
			return nil, err
		}
		if r != q && changed == nil {
			changed = slices.Clone(in)
		}
		if changed != nil {
			changed[i] = r
		}
	}
	if changed != nil {
		p = p.With(changed...)
	}
	return f(p)
}

// simply is bottomUp for what cannot fail.
func simply(p logical.Plan, f func(logical.Plan) logical.Plan) (logical.Plan, error) {
	return bottomUp(p, func(q logical.Plan) (logical.Plan, error) { return f(q), nil })
}

// filtered is p with a filter on top, if there is a condition.
func filtered(p logical.Plan, conds []expr.Expr) logical.Plan {
	if len(conds) == 0 {
		return p
	}
	return &logical.Filter{Node: logical.Node{Cols: p.Schema(), At: p.Pos()}, Input: p, Cond: conjunction(conds)}
}

// conjunction of at least one condition.
func conjunction(conds []expr.Expr) expr.Expr {
	if len(conds) == 1 {
		return conds[0]
	}
	return &expr.And{Terms: conds}
}

func column(i int, fields []types.Field) expr.Expr {
	return &expr.Column{Index: i, Name: fields[i].Name, T: fields[i].Type}
}

// identity are the fields as expressions.
func identity(fields []types.Field) []expr.Expr {
	exprs := make([]expr.Expr, len(fields))
	for i := range fields {
		exprs[i] = column(i, fields)
	}
	return exprs
}

// fixed tells whether x gives the same wherever in the plan it is computed
// for a row.
func fixed(x expr.Expr) bool {
	ok := true
	expr.Walk(x, func(y expr.Expr) bool {
		if c, call := y.(*expr.Call); call {
			ok = ok && c.Fn.Volatility != fn.PerRow && c.Fn.Name != "CURRENT_WATERMARK"
		}
		return ok
	})
	return ok
}

// immutable tells whether x depends on nothing but the row.
func immutable(x expr.Expr) bool {
	ok := true
	expr.Walk(x, func(y expr.Expr) bool {
		if c, call := y.(*expr.Call); call {
			ok = ok && c.Fn.Volatility == fn.Immutable
		}
		return ok
	})
	return ok
}

// within tells whether x uses only columns from (inclusive) to (exclusive).
func within(x expr.Expr, from, to int) bool {
	for _, c := range expr.Columns(x) {
		if c < from || c >= to {
			return false
		}
	}
	return true
}

// among tells whether x uses columns of the set only, and at least one.
func among(x expr.Expr, set []int) bool {
	cols := expr.Columns(x)
	for _, c := range cols {
		if !slices.Contains(set, c) {
			return false
		}
	}
	return len(cols) > 0
}

package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// knownValues puts constants in place of columns that a filter below has
// fixed by equality, which decides CASEs over a record's kind.
func knownValues(c *context, p logical.Plan) (logical.Plan, error) {
	return simply(p, func(q logical.Plan) logical.Plan {
		p, ok := q.(*logical.Project)
		if !ok {
			return q
		}
		conds := conditionsBelow(p.Input)
		if len(conds) == 0 {
			return q
		}
		n := *p
		n.Exprs = mapExprs(p.Exprs, func(x expr.Expr) expr.Expr { return Decided(x, conds, c.env) })
		return &n
	})
}

// Decided is x where the conditions hold: columns that they make equal to a
// constant are that constant.
func Decided(x expr.Expr, conds []expr.Expr, env *fn.Env) expr.Expr {
	if _, plain := x.(*expr.Column); plain {
		return x
	}
	known := values(conds)
	y := expr.Rewrite(x, func(z expr.Expr) expr.Expr {
		if col, ok := z.(*expr.Column); ok && known[col.Index] != nil {
			return known[col.Index]
		}
		return z
	})
	if y == x {
		return x
	}
	return expr.Fold(y, env)
}

func conditionsBelow(p logical.Plan) []expr.Expr {
	switch p := p.(type) {
	case *logical.Filter:
		conds := append([]expr.Expr(nil), expr.Conjuncts(p.Cond)...)
		if s, ok := p.Input.(*logical.Scan); ok {
			conds = append(conds, expr.Conjuncts(s.Filter)...)
		}
		return conds
	case *logical.Scan:
		return expr.Conjuncts(p.Filter)
	}
	return nil
}

// values are the columns that conditions make equal to a constant.
func values(conds []expr.Expr) map[int]expr.Expr {
	known := map[int]expr.Expr{}
	for _, x := range conds {
		c, ok := x.(*expr.Call)
		if !ok || c.Fn.Name != "=" {
			continue
		}
		for i := range c.Args {
			col, isCol := c.Args[i].(*expr.Column)
			lit, isLit := c.Args[1-i].(*expr.Literal)
			// Doubles that are equal may still differ (−0), and strings of CHAR by
			// their padding.
			if isCol && isLit && !lit.V.Null && col.T.IsExact() && col.T.Equal(lit.T) {
				known[col.Index] = lit
			}
		}
	}
	return known
}

package rules

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// simplifyJoins makes inner joins of outer ones whose padded rows a filter
// above drops in any case: they emit inserts only, and conditions pass them.
func simplifyJoins(_ *context, p logical.Plan) (logical.Plan, error) {
	return simply(p, func(q logical.Plan) logical.Plan {
		f, ok := q.(*logical.Filter)
		if !ok {
			return q
		}
		return filtered(simplified(f.Input, expr.Conjuncts(f.Cond)), expr.Conjuncts(f.Cond))
	})
}

// simplified looks for an outer join below projects and other filters.
func simplified(p logical.Plan, conds []expr.Expr) logical.Plan {
	switch p := p.(type) {
	case *logical.Project:
		down := make([]expr.Expr, len(conds))
		for i, x := range conds {
			down[i] = expr.Substitute(x, p.Exprs)
		}
		return p.With(simplified(p.Input, down))
	case *logical.Filter:
		return p.With(simplified(p.Input, conds))
	case *logical.Join:
		n := *p
		width := len(p.Left.Schema())
		left := rejectsNulls(conds, 0, width)
		right := rejectsNulls(conds, width, width+len(p.Right.Schema()))
		n.Kind = withoutPadding(p.Kind, left, right)
		return &n
	}
	return p
}

// withoutPadding: left says that rows whose left side is padded with nulls
// are dropped, right the same of the right side.
func withoutPadding(kind op.JoinKind, left, right bool) op.JoinKind {
	switch {
	case kind == op.Left && right, kind == op.Right && left, kind == op.Full && left && right:
		return op.Inner
	case kind == op.Full && left:
		return op.Left
	case kind == op.Full && right:
		return op.Right
	}
	return kind
}

// rejectsNulls tells whether one of the conditions is not true when all
// columns from … to−1 are null.
func rejectsNulls(conds []expr.Expr, from, to int) bool {
	for _, x := range conds {
		if fixed(x) && neverTrue(withNulls(x, from, to)) {
			return true
		}
	}
	return false
}

// withNulls puts NULL in place of the columns and of what is NULL because of
// them.
func withNulls(x expr.Expr, from, to int) expr.Expr {
	return expr.Rewrite(x, func(y expr.Expr) expr.Expr {
		switch y := y.(type) {
		case *expr.Column:
			if y.Index >= from && y.Index < to {
				return expr.NullOf(y.T)
			}
		case *expr.Cast:
			if isNull(y.X) {
				return expr.NullOf(y.T)
			}
		case *expr.Field:
			if isNull(y.X) {
				return expr.NullOf(y.T)
			}
		case *expr.Call:
			return nullCall(y)
		}
		return y
	})
}

// nullCall: a function that does not look at nulls is null for one.
func nullCall(c *expr.Call) expr.Expr {
	if c.Fn.Name == "IS NOT NULL" && isNull(c.Args[0]) {
		return expr.Bool(false)
	}
	if c.Bound.NullAware || c.Bound.New == nil {
		return c
	}
	for _, a := range c.Args {
		if isNull(a) {
			return expr.NullOf(c.Bound.Result)
		}
	}
	return c
}

func isNull(x expr.Expr) bool {
	l, ok := x.(*expr.Literal)
	return ok && l.V.Null
}

// neverTrue tells whether x is NULL or FALSE in any case.
func neverTrue(x expr.Expr) bool {
	switch x := x.(type) {
	case *expr.Literal:
		return x.T.Kind == types.Boolean && (x.V.Null || x.V.I == 0)
	case *expr.And:
		return slices.ContainsFunc(x.Terms, neverTrue)
	case *expr.Or:
		return !slices.ContainsFunc(x.Terms, func(t expr.Expr) bool { return !neverTrue(t) })
	}
	return false
}

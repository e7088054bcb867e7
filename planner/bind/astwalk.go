package bind

import "github.com/sqlstream/sqlstream/parser/ast"

// walk visits x and, where visit returns true, the expressions in it; not the
// queries.
func walk(x ast.Expr, visit func(ast.Expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	for _, c := range parts(x) {
		walk(c, visit)
	}
}

// parts are the expressions directly inside x; some may be nil.
func parts(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.Unary:
		return []ast.Expr{x.X}
	case *ast.Binary:
		return []ast.Expr{x.L, x.R}
	case *ast.Is:
		return []ast.Expr{x.X}
	case *ast.Between:
		return []ast.Expr{x.X, x.Low, x.High}
	case *ast.LikeExpr:
		return []ast.Expr{x.X, x.Pattern, x.Escape}
	case *ast.In:
		return append([]ast.Expr{x.X}, x.List...)
	case *ast.Case:
		ps := []ast.Expr{x.Operand}
		for _, w := range x.Whens {
			ps = append(ps, w.Cond, w.Result)
		}
		return append(ps, x.Else)
	case *ast.Cast:
		return []ast.Expr{x.X}
	case *ast.Row:
		return x.Items
	case *ast.Array:
		return x.Items
	case *ast.Map:
		return x.Items
	case *ast.Index:
		return []ast.Expr{x.X, x.I}
	case *ast.Field:
		return []ast.Expr{x.X}
	case *ast.Call:
		return callParts(x)
	case *ast.NamedArg:
		return []ast.Expr{x.Value}
	case *ast.Quantified:
		return []ast.Expr{x.X}
	}
	return nil
}

func callParts(c *ast.Call) []ast.Expr {
	ps := append([]ast.Expr{}, c.Args...)
	ps = append(ps, c.Filter)
	if c.Over != nil {
		ps = append(ps, c.Over.PartitionBy...)
		for _, o := range c.Over.OrderBy {
			ps = append(ps, o.X)
		}
	}
	return ps
}

// hasAggregate tells whether an aggregate (no OVER call) is in x.
func hasAggregate(xs ...ast.Expr) bool {
	found := false
	for _, x := range xs {
		walk(x, func(x ast.Expr) bool {
			if c, ok := x.(*ast.Call); ok && c.Over == nil && isAggregate(c.FuncName()) {
				found = true
			}
			return !found
		})
	}
	return found
}

// hasQuery tells whether a subquery is in x.
func hasQuery(x ast.Expr) bool {
	found := false
	walk(x, func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.Subquery, *ast.Exists, *ast.Quantified, *ast.CollectionQuery:
			found = true
		case *ast.In:
			found = found || x.Query != nil
		}
		return !found
	})
	return found
}

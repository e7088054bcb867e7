package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// isJSON tells whether a call has the clauses of SQL/JSON, or could have.
func isJSON(c *ast.Call, name string) bool {
	switch name {
	case "JSON_OBJECT", "JSON_ARRAY":
		return true
	case "JSON_VALUE", "JSON_QUERY", "JSON_EXISTS":
		return c.JSON != nil
	}
	return false
}

// jsonCall puts the clauses into arguments, as exec/expr/CALLS.md lists them.
func (e *env) jsonCall(c *ast.Call, name string) expr.Expr {
	args := e.exprs(c.Args)
	j := c.JSON
	if j == nil {
		j = &ast.JSONClauses{}
	}
	switch name {
	case "JSON_OBJECT":
		args = append([]expr.Expr{onNull(j, "NULL")}, args...)
	case "JSON_ARRAY":
		args = append([]expr.Expr{onNull(j, "ABSENT")}, args...)
	case "JSON_EXISTS":
		if j.OnError != "" {
			args = append(args, expr.String(j.OnError))
		}
	case "JSON_QUERY":
		args = append(args, returning(j), expr.String(j.Wrapper), expr.String(j.OnEmpty), expr.String(j.OnError))
	case "JSON_VALUE":
		args = append(args, returning(j), expr.String(j.OnEmpty), e.fallback(j.DefaultOnEmpty), expr.String(j.OnError), e.fallback(j.DefaultOnError))
	}
	return e.call(c.Pos, name, args...)
}

func onNull(j *ast.JSONClauses, def string) expr.Expr {
	if j.OnNull != "" {
		def = j.OnNull
	}
	return expr.String(def)
}

// returning stands for the type of RETURNING.
func returning(j *ast.JSONClauses) expr.Expr {
	if j.Returning == nil {
		return expr.Null()
	}
	return expr.NullOf(typeOf(j.Returning))
}

func (e *env) fallback(x ast.Expr) expr.Expr {
	if x == nil {
		return expr.Null()
	}
	return e.expr(x)
}

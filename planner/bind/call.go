package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// funcCall binds f(…): an OVER call, an aggregate, a property of a group
// window, a special form, or an ordinary function.
func (e *env) funcCall(c *ast.Call) expr.Expr {
	name := c.FuncName()
	switch {
	case c.Over != nil:
		return e.overCall(c)
	case onlyOver[name]:
		fail(perr.New(c.Pos, "%s needs OVER", name).WithHint("as %s() OVER (PARTITION BY … ORDER BY …)", name))
	case isAggregate(name):
		return e.aggregate(c)
	case isWindowProperty(c):
		return e.windowProperty(c)
	case name == "GROUPING" || name == "GROUPING_ID" || name == "GROUP_ID":
		return e.groupingCall(c)
	case groupWindows[name] && len(c.Args) > 1:
		fail(perr.New(c.Pos, "%s(time, interval) can only stand in GROUP BY", name).WithHint("use %s_START or %s_END in the SELECT list", name, name))
	}
	if c.Star || c.Distinct || c.Filter != nil || c.OrderBy != nil || c.WithinGroup != nil || c.Nulls != ast.NullsUnset {
		e.refuseClauses(c, name)
	}
	if x := e.special(c, name); x != nil {
		return x
	}
	if isJSON(c, name) {
		return e.jsonCall(c, name)
	}
	return e.named(c, name)
}

// named calls an ordinary function. That it exists is checked before its
// arguments are: a misspelt aggregate would make them look wrong.
func (e *env) named(c *ast.Call, name string) expr.Expr {
	if f := e.b.userFunction(c); f != nil {
		return e.inline(f, c)
	}
	if len(c.Name.Parts) > 1 {
		fail(perr.New(c.Pos, "function %s not found", c.Name).WithHint("built-in functions have no catalog or database"))
	}
	if _, ok := fn.Lookup(name); !ok {
		fail(unknownFunction(c.Pos, name))
	}
	return e.call(c.Pos, name, e.exprs(c.Args)...)
}

// unknownFunction names the function of Flink or the one that was meant.
func unknownFunction(pos ast.Pos, name string) error {
	_, err := expr.NewCall(name, nil)
	if err == nil || !strings.Contains(err.Error(), "; use ") {
		if near := nearAggregate(name); near != "" {
			return perr.New(pos, "function %s not found", name).WithHint("did you mean %s?", near)
		}
	}
	if err == nil {
		return perr.New(pos, "function %s not found", name)
	}
	return perr.At(pos, err)
}

func nearAggregate(name string) string {
	var names []string
	for _, a := range fn.AllAggregates() {
		names = append(names, a.Name)
	}
	return connectors.Nearest(name, names)
}

func isAggregate(name string) bool {
	_, ok := fn.LookupAggregate(name)
	return ok
}

// refuseClauses is about words inside a call that only aggregates take.
func (e *env) refuseClauses(c *ast.Call, name string) {
	what := "FILTER"
	switch {
	case c.Star:
		what = "*"
	case c.Distinct:
		what = "DISTINCT"
	case c.OrderBy != nil, c.WithinGroup != nil:
		what = "ORDER BY"
	case c.Nulls != ast.NullsUnset:
		what = "IGNORE NULLS"
	}
	if _, ok := fn.Lookup(name); !ok {
		fail(unknownFunction(c.Pos, name))
	}
	failf(c.Pos, "%s is no aggregate function and takes no %s", name, what)
}

// special binds the functions whose value the binder knows, or whose result is
// a time attribute; nil: c is an ordinary one.
func (e *env) special(c *ast.Call, name string) expr.Expr {
	switch name {
	case "PROCTIME":
		return e.proctime(c)
	case "CURRENT_DATABASE":
		return stringOf(e.b.cat.Current.Database)
	case "CURRENT_CATALOG":
		return stringOf(e.b.cat.Current.Catalog)
	case "TRIM":
		return e.trim(c)
	case "CURRENT_WATERMARK":
		return e.currentWatermark(c)
	}
	return nil
}

func (e *env) currentWatermark(c *ast.Call) expr.Expr {
	x := e.named(c, "CURRENT_WATERMARK")
	if t := e.expr(c.Args[0]).Type(); t.Attr != types.Rowtime {
		fail(perr.New(c.Args[0].Position(), "CURRENT_WATERMARK needs a row time, not %s", t).WithHint("declare WATERMARK FOR the column"))
	}
	return x
}

// stringOf is a constant of type STRING.
func stringOf(s string) expr.Expr {
	l := expr.String(s)
	l.T = types.String().Nullable(false)
	return l
}

// proctime is the processing-time attribute.
func (e *env) proctime(c *ast.Call) expr.Expr {
	x := e.named(c, "PROCTIME")
	return withResult(x.(*expr.Call), types.LTZOf(3).Nullable(false).WithAttr(types.Proctime))
}

// trim fills in the blank of TRIM(BOTH FROM s).
func (e *env) trim(c *ast.Call) expr.Expr {
	if len(c.Args) != 2 {
		return nil
	}
	if _, ok := c.Args[0].(*ast.Symbol); !ok {
		return nil
	}
	return e.call(c.Pos, "TRIM", e.expr(c.Args[0]), expr.String(" "), e.expr(c.Args[1]))
}

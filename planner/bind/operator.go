package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/perr"
)

func (e *env) unary(u *ast.Unary) expr.Expr {
	if n, ok := u.X.(*ast.NumberLit); ok && u.Op == ast.OpSub {
		return number(n, "-")
	}
	x := e.expr(u.X)
	switch u.Op {
	case ast.OpNot:
		return e.call(u.Pos, "NOT", x)
	case ast.OpAdd:
		if !x.Type().IsNumeric() {
			failf(u.Pos, "+ needs a number, not %s", x.Type().Text())
		}
		return x
	}
	return e.call(u.Pos, string(u.Op), x)
}

func (e *env) binary(x *ast.Binary) expr.Expr {
	switch x.Op {
	case ast.OpAnd, ast.OpOr:
		return e.junction(x, false)
	case ast.OpOverlaps:
		return e.overlaps(x)
	}
	if y := rowsEqual(x); y != nil {
		return e.expr(y)
	}
	l, r := e.expr(x.L), e.expr(x.R)
	if isComparison(x.Op) {
		checkComparable(x, l, r)
	}
	return e.call(x.Pos, string(x.Op), l, r)
}

func isComparison(op ast.Op) bool {
	switch op {
	case ast.OpEq, ast.OpNe, ast.OpLt, ast.OpLe, ast.OpGt, ast.OpGe, ast.OpIsDistinct, ast.OpIsNotDistinct:
		return true
	}
	return false
}

// checkComparable gives the commonest type error, a number against a string,
// its own remedy.
func checkComparable(x *ast.Binary, l, r expr.Expr) {
	lt, rt := l.Type(), r.Type()
	if lt.IsString() && rt.IsNumeric() {
		x, l, r, lt, rt = &ast.Binary{Pos: x.Pos, Op: x.Op, L: x.R, R: x.L}, r, l, rt, lt
	}
	if !lt.IsNumeric() || !rt.IsString() {
		return
	}
	err := perr.New(x.Pos, "cannot compare %s of type %s with %s of type %s", l, lt.Text(), r, rt.Text())
	if s, ok := x.R.(*ast.StringLit); ok {
		fail(err.WithHint("write the number without quotes: %s", s.Value))
	}
	fail(err.WithHint("CAST one of them"))
}

// junction flattens a chain of AND or OR, however long it is.
func (e *env) junction(x *ast.Binary, filters bool) expr.Expr {
	var terms []expr.Expr
	for _, t := range chain(x, x.Op) {
		terms = append(terms, e.operand(t, x.Op, filters))
	}
	var r expr.Expr
	var err error
	if x.Op == ast.OpAnd {
		r, err = expr.NewAnd(terms...)
	} else {
		r, err = expr.NewOr(terms...)
	}
	check(x.Pos, err)
	return r
}

func (e *env) operand(x ast.Expr, op ast.Op, filters bool) expr.Expr {
	inner := *e
	inner.clause = "an operand of " + string(op)
	return inner.boolean(x, filters)
}

// chain lists the operands of a left- or right-nested chain of op.
func chain(x ast.Expr, op ast.Op) []ast.Expr {
	var out, stack []ast.Expr
	for stack = append(stack, x); len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b, ok := top.(*ast.Binary); ok && b.Op == op {
			stack = append(stack, b.R, b.L)
			continue
		}
		out = append(out, top)
	}
	return out
}

// overlaps takes two pairs.
func (e *env) overlaps(x *ast.Binary) expr.Expr {
	l, okL := x.L.(*ast.Row)
	r, okR := x.R.(*ast.Row)
	if !okL || !okR || len(l.Items) != 2 || len(r.Items) != 2 {
		fail(perr.New(x.Pos, "OVERLAPS needs a pair on each side").WithHint("as (start1, end1) OVERLAPS (start2, end2)"))
	}
	return e.call(x.Pos, "OVERLAPS", e.exprs(append(append([]ast.Expr{}, l.Items...), r.Items...))...)
}

func (e *env) is(x *ast.Is) expr.Expr {
	name := "IS "
	if x.Not {
		name += "NOT "
	}
	return e.call(x.Pos, name+x.What, e.expr(x.X))
}

func (e *env) between(x *ast.Between) expr.Expr {
	v, low, high := e.expr(x.X), e.expr(x.Low), e.expr(x.High)
	checkComparable(&ast.Binary{Pos: x.Pos, Op: ast.OpGe, L: x.X, R: x.Low}, v, low)
	checkComparable(&ast.Binary{Pos: x.Pos, Op: ast.OpLe, L: x.X, R: x.High}, v, high)
	r, err := expr.NewBetween(v, low, high, x.Symmetric)
	check(x.Pos, err)
	return e.negated(x.Pos, r, x.Not)
}

func (e *env) negated(pos ast.Pos, x expr.Expr, not bool) expr.Expr {
	if !not {
		return x
	}
	return e.call(pos, "NOT", x)
}

func (e *env) like(x *ast.LikeExpr) expr.Expr {
	name := "LIKE"
	if x.Similar {
		name = "SIMILAR TO"
	}
	args := []expr.Expr{e.expr(x.X), e.expr(x.Pattern)}
	if x.Escape != nil {
		args = append(args, e.expr(x.Escape))
	}
	return e.negated(x.Pos, e.call(x.Pos, name, args...), x.Not)
}

// in is IN with a list; one with a query is a join, made by where.
func (e *env) in(x *ast.In) expr.Expr {
	if x.Query != nil {
		return e.inValue(x, false)
	}
	if y := rowsIn(x); y != nil {
		return e.negated(x.Pos, e.expr(y), x.Not)
	}
	v, list := e.expr(x.X), e.exprs(x.List)
	for i, y := range list {
		checkComparable(&ast.Binary{Pos: x.List[i].Position(), Op: ast.OpEq, L: x.X, R: x.List[i]}, v, y)
	}
	r, err := expr.NewIn(v, list)
	check(x.Pos, err)
	return e.negated(x.Pos, r, x.Not)
}

func (e *env) caseExpr(x *ast.Case) expr.Expr {
	var whens []expr.When
	for _, w := range x.Whens {
		when := expr.When{Then: e.expr(w.Result)}
		if x.Operand == nil {
			when.Cond = e.operand(w.Cond, "WHEN", true)
		} else {
			when.Cond = e.expr(w.Cond)
		}
		whens = append(whens, when)
	}
	var otherwise expr.Expr
	if x.Else != nil {
		otherwise = e.expr(x.Else)
	}
	var r expr.Expr
	var err error
	if x.Operand == nil {
		r, err = expr.NewCase(whens, otherwise)
	} else {
		r, err = expr.NewSimpleCase(e.expr(x.Operand), whens, otherwise)
	}
	check(x.Pos, err)
	return r
}

func (e *env) cast(x *ast.Cast) expr.Expr {
	v, t := e.expr(x.X), typeOf(x.Type)
	r, err := expr.NewCast(v, t, x.Try)
	check(x.Pos, err)
	if r.Type().Attr != types.NoTime {
		panic("bind: a CAST kept its time attribute")
	}
	return r
}

package ast

import "fmt"

// The binding of expressions, from loose to tight. An operand that binds looser than its place
// demands is put into parentheses. Comparisons and predicates inside each other always are:
// nobody should have to know their order to read what is printed.
const (
	bindOr = iota
	bindAnd
	bindNot
	bindComparison
	bindSum
	bindProduct
	bindSign
	bindPostfix
)

func binding(x Expr) int {
	switch x := x.(type) {
	case *Binary:
		return opBinding(x.Op)
	case *Unary:
		if x.Op == OpNot {
			return bindNot
		}
		return bindSign
	case *Is, *Between, *LikeExpr, *In, *Quantified:
		return bindComparison
	case *IntervalLit:
		return bindSign
	}
	return bindPostfix
}

func opBinding(op Op) int {
	switch op {
	case OpOr:
		return bindOr
	case OpAnd:
		return bindAnd
	case OpAdd, OpSub:
		return bindSum
	case OpMul, OpDiv, OpMod, OpConcat:
		return bindProduct
	}
	return bindComparison
}

func (p *printer) expr(x Expr) { p.operand(x, bindOr) }

// operand writes x where something that binds at least like least must stand.
func (p *printer) operand(x Expr, least int) {
	if binding(x) < least {
		p.say("(")
		p.bare(x)
		p.say(")")
		return
	}
	p.bare(x)
}

func (p *printer) bare(x Expr) {
	switch x := x.(type) {
	case *Column:
		p.parts(x.Parts)
	case *Star:
		p.parts(x.Qualifier)
		p.when(len(x.Qualifier) > 0, ".")
		p.say("*")
	case *Unary:
		p.unary(x)
	case *Binary:
		p.binary(x)
	case *Is, *Between, *LikeExpr, *In, *Quantified:
		p.predicate(x)
	case *Case:
		p.caseExpr(x)
	case *Cast:
		p.cast(x)
	case *Call:
		p.call(x)
	case *Index:
		p.indexed(x.X)
		p.say("[")
		p.expr(x.I)
		p.say("]")
	case *Field:
		p.fieldOf(x)
	case *Exists, *Subquery, *CollectionQuery:
		p.subquery(x)
	case *Row, *Array, *Map, *Grouping:
		p.constructor(x)
	case *TableArg, *Descriptor, *NamedArg:
		p.tableArgument(x)
	default:
		p.literal(x)
	}
}

// indexed writes what a dot or bracket follows; literals need parentheses there.
func (p *printer) indexed(x Expr) {
	switch x.(type) {
	case *NumberLit, *StringLit, *BinaryLit:
		p.say("(")
		p.literal(x)
		p.say(")")
	default:
		p.operand(x, bindPostfix)
	}
}

// fieldOf writes X.Name; parentheses keep a column from growing into a longer path.
func (p *printer) fieldOf(x *Field) {
	if _, ok := x.X.(*Column); ok {
		p.say("(")
		p.expr(x.X)
		p.say(")")
	} else {
		p.indexed(x.X)
	}
	p.say(".")
	p.ident(x.Name)
}

func (p *printer) unary(x *Unary) {
	if x.Op == OpNot {
		p.say("NOT ")
		p.operand(x.X, bindNot)
		return
	}
	p.say(string(x.Op))
	p.operand(x.X, bindPostfix)
}

func (p *printer) binary(x *Binary) {
	b := opBinding(x.Op)
	left, right := b, b+1
	if b == bindComparison {
		left, right = bindSum, bindSum
	}
	p.operand(x.L, left)
	p.say(" ", string(x.Op), " ")
	p.operand(x.R, right)
}

func (p *printer) predicate(x Expr) {
	switch x := x.(type) {
	case *Is:
		p.operand(x.X, bindSum)
		p.say(" IS ")
		p.when(x.Not, "NOT ")
		p.say(x.What)
	case *Between:
		p.between(x)
	case *LikeExpr:
		p.like(x)
	case *In:
		p.in(x)
	case *Quantified:
		p.operand(x.X, bindSum)
		p.say(" ", string(x.Op), " ")
		if x.All {
			p.say("ALL (")
		} else {
			p.say("ANY (")
		}
		p.query(x.Query)
		p.say(")")
	default:
		panic(fmt.Sprintf("ast: %T is no predicate", x))
	}
}

func (p *printer) between(x *Between) {
	p.operand(x.X, bindSum)
	p.when(x.Not, " NOT")
	p.say(" BETWEEN ")
	p.when(x.Symmetric, "SYMMETRIC ")
	p.operand(x.Low, bindSum)
	p.say(" AND ")
	p.operand(x.High, bindSum)
}

func (p *printer) like(x *LikeExpr) {
	p.operand(x.X, bindSum)
	p.when(x.Not, " NOT")
	if x.Similar {
		p.say(" SIMILAR TO ")
	} else {
		p.say(" LIKE ")
	}
	p.operand(x.Pattern, bindSum)
	if x.Escape != nil {
		p.say(" ESCAPE ")
		p.operand(x.Escape, bindSum)
	}
}

func (p *printer) in(x *In) {
	p.operand(x.X, bindSum)
	p.when(x.Not, " NOT")
	p.say(" IN (")
	if x.Query != nil {
		p.query(x.Query)
	} else {
		p.exprs(x.List)
	}
	p.say(")")
}

func (p *printer) exprs(xs []Expr) {
	p.each(len(xs), func(i int) { p.expr(xs[i]) })
}

func (p *printer) caseExpr(x *Case) {
	p.say("CASE")
	if x.Operand != nil {
		p.say(" ")
		p.expr(x.Operand)
	}
	for _, w := range x.Whens {
		p.say(" WHEN ")
		p.expr(w.Cond)
		p.say(" THEN ")
		p.expr(w.Result)
	}
	if x.Else != nil {
		p.say(" ELSE ")
		p.expr(x.Else)
	}
	p.say(" END")
}

func (p *printer) cast(x *Cast) {
	p.when(x.Try, "TRY_")
	p.say("CAST(")
	p.expr(x.X)
	p.say(" AS ")
	p.typeName(x.Type)
	p.say(")")
}

func (p *printer) subquery(x Expr) {
	var q Query
	switch x := x.(type) {
	case *Exists:
		p.say("EXISTS ")
		q = x.Query
	case *Subquery:
		q = x.Query
	case *CollectionQuery:
		p.say(x.Kind)
		q = x.Query
	}
	p.say("(")
	p.query(q)
	p.say(")")
}

func (p *printer) constructor(x Expr) {
	switch x := x.(type) {
	case *Row:
		p.when(x.Explicit || len(x.Items) == 1, "ROW")
		p.say("(")
		p.exprs(x.Items)
		p.say(")")
	case *Array:
		p.say("ARRAY[")
		p.exprs(x.Items)
		p.say("]")
	case *Map:
		p.say("MAP[")
		p.exprs(x.Items)
		p.say("]")
	case *Grouping:
		p.say(x.Kind, " (")
		p.exprs(x.Items)
		p.say(")")
	}
}

func (p *printer) tableArgument(x Expr) {
	switch x := x.(type) {
	case *NamedArg:
		p.ident(x.Name)
		p.say(" => ")
		p.expr(x.Value)
	case *Descriptor:
		p.say("DESCRIPTOR")
		p.idents(x.Columns)
	case *TableArg:
		p.tableArg(x)
	}
}

package parser

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// TestRandomTreesSurvivePrinting makes random trees, prints and parses them, and demands the
// same tree: this is where a wrong precedence or a lost clause would show.
func TestRandomTreesSurvivePrinting(t *testing.T) {
	for seed := range uint64(1000) {
		g := &treeMaker{rand.New(rand.NewPCG(seed, 1))}
		x := g.expr(4)
		text := ast.Print(x)
		again, err := ParseExpr(text)
		if err != nil {
			t.Fatalf("seed %d: %s\n%v", seed, text, err)
		}
		if got, want := shape(again), shape(x); got != want {
			t.Fatalf("seed %d: %s\nmade   %s\nparsed %s", seed, text, want, got)
		}
		q := g.query(3)
		text = ast.Print(q)
		query, err := ParseQuery(text)
		if err != nil {
			t.Fatalf("seed %d: %s\n%v", seed, text, err)
		}
		if got, want := shape(query), shape(q); got != want {
			t.Fatalf("seed %d: %s\nmade   %s\nparsed %s", seed, text, want, got)
		}
	}
}

var positions = regexp.MustCompile(`@\d+:\d+`)

// shape is the tree of n without positions.
func shape(n any) string { return positions.ReplaceAllString(tree(reflect.ValueOf(n)), "") }

// treeMaker makes trees that the parser could have made.
type treeMaker struct{ *rand.Rand }

func (g *treeMaker) coin() bool { return g.IntN(2) == 0 }

func (g *treeMaker) ident() ast.Ident {
	names := []string{"a", "b", "Tbl", "value", "select", "odd name", "it`s", "order", "x1"}
	id := ast.Ident{Name: names[g.IntN(len(names))]}
	id.Quoted = ast.Print(id)[0] == '`'
	return id
}

func (g *treeMaker) some(depth int) []ast.Expr {
	xs := make([]ast.Expr, 1+g.IntN(3))
	for i := range xs {
		xs[i] = g.expr(depth)
	}
	return xs
}

func (g *treeMaker) expr(depth int) ast.Expr {
	if depth == 0 {
		return g.leaf()
	}
	d := depth - 1
	switch g.IntN(16) {
	case 0, 1, 2, 3, 4:
		ops := []ast.Op{ast.OpAdd, ast.OpSub, ast.OpMul, ast.OpDiv, ast.OpMod, ast.OpConcat, ast.OpEq, ast.OpNe, ast.OpLt, ast.OpLe,
			ast.OpGt, ast.OpGe, ast.OpAnd, ast.OpOr, ast.OpIsDistinct, ast.OpIsNotDistinct}
		return &ast.Binary{Op: ops[g.IntN(len(ops))], L: g.expr(d), R: g.expr(d)}
	case 5:
		return &ast.Unary{Op: []ast.Op{ast.OpSub, ast.OpAdd, ast.OpNot}[g.IntN(3)], X: g.expr(d)}
	case 6:
		return &ast.Is{X: g.expr(d), Not: g.coin(), What: []string{"NULL", "TRUE", "UNKNOWN", "JSON", "JSON ARRAY"}[g.IntN(5)]}
	case 7:
		return &ast.Between{X: g.expr(d), Low: g.expr(d), High: g.expr(d), Not: g.coin(), Symmetric: g.coin()}
	case 8:
		l := &ast.LikeExpr{X: g.expr(d), Pattern: g.expr(d), Not: g.coin(), Similar: g.coin()}
		if g.coin() {
			l.Escape = g.expr(d)
		}
		return l
	case 9:
		if g.coin() {
			return &ast.In{X: g.expr(d), Not: g.coin(), Query: g.query(d)}
		}
		return &ast.In{X: g.expr(d), Not: g.coin(), List: g.some(d)}
	case 10:
		c := &ast.Case{Whens: []ast.When{{Cond: g.expr(d), Result: g.expr(d)}}}
		if g.coin() {
			c.Operand = g.expr(d)
		}
		if g.coin() {
			c.Else = g.expr(d)
		}
		return c
	case 11:
		return &ast.Index{X: g.postfixable(d), I: g.expr(d)}
	case 12:
		return &ast.Field{X: g.postfixable(d), Name: g.ident()}
	case 13:
		return g.constructor(d)
	case 14:
		return []ast.Expr{&ast.Exists{Query: g.query(d)}, &ast.Subquery{Query: g.query(d)}}[g.IntN(2)]
	default:
		return g.call(d)
	}
}

// postfixable is an operand that a dot or bracket may follow.
func (g *treeMaker) postfixable(depth int) ast.Expr {
	if g.coin() {
		return g.call(depth)
	}
	return &ast.Row{Items: []ast.Expr{g.expr(depth), g.expr(depth)}, Explicit: true}
}

func (g *treeMaker) constructor(depth int) ast.Expr {
	switch g.IntN(4) {
	case 0:
		return &ast.Array{Items: g.some(depth)}
	case 1:
		return &ast.Map{Items: []ast.Expr{g.expr(depth), g.expr(depth)}}
	case 2:
		return &ast.Cast{X: g.expr(depth), Try: g.coin(), Type: &ast.TypeName{Name: "DECIMAL", Precision: 10, Scale: 2, NotNull: g.coin()}}
	default:
		return &ast.Row{Items: []ast.Expr{g.expr(depth), g.expr(depth)}}
	}
}

func (g *treeMaker) call(depth int) ast.Expr {
	c := &ast.Call{Name: ast.Path{Parts: []ast.Ident{{Name: "f"}}}, Args: g.some(depth), Distinct: g.coin()}
	if g.coin() {
		c.OrderBy = g.order(depth)
	}
	if g.coin() {
		c.Filter = g.expr(depth)
	}
	if g.IntN(3) == 0 {
		c.Over = g.spec(depth)
	}
	return c
}

func (g *treeMaker) order(depth int) []ast.OrderItem {
	return []ast.OrderItem{{X: g.expr(depth), Desc: g.coin(), Nulls: ast.NullOrder(g.IntN(3))}}
}

func (g *treeMaker) spec(depth int) *ast.WindowSpec {
	id := g.ident()
	if g.coin() {
		return &ast.WindowSpec{Bare: true, Ref: &id}
	}
	w := &ast.WindowSpec{PartitionBy: g.some(depth), OrderBy: g.order(depth)}
	if g.coin() {
		five := &ast.NumberLit{Text: "5"}
		w.Frame = &ast.Frame{Rows: g.coin(), Start: ast.Bound{Kind: ast.Preceding, X: five}, End: ast.Bound{Kind: ast.CurrentRow}}
	}
	return w
}

func (g *treeMaker) leaf() ast.Expr {
	switch g.IntN(6) {
	case 0:
		return &ast.NumberLit{Text: "1.5", Kind: ast.DecimalNumber}
	case 1:
		return &ast.StringLit{Value: "it's"}
	case 2:
		return &ast.IntervalLit{Text: "1", From: "DAY", To: "SECOND", Precision: 3, Fraction: 6, Negative: g.coin()}
	case 3:
		return &ast.BoolLit{Value: g.coin()}
	case 4:
		return &ast.NullLit{}
	default:
		return &ast.Column{Parts: []ast.Ident{g.ident(), g.ident()}}
	}
}

func (g *treeMaker) query(depth int) ast.Query {
	if depth <= 0 {
		return &ast.Select{Items: []ast.SelectItem{{X: &ast.Star{}}}, From: g.table()}
	}
	d := depth - 1
	switch g.IntN(8) {
	case 0, 1:
		kinds := []ast.SetOpKind{ast.Union, ast.Intersect, ast.Except}
		return &ast.SetOp{Op: kinds[g.IntN(3)], All: g.coin(), L: g.query(d), R: g.query(d), Tail: g.tail(d)}
	case 2:
		return &ast.Values{Rows: []*ast.Row{{Items: g.some(d)}, {Items: g.some(d)}}, Tail: g.tail(d)}
	case 3:
		return &ast.With{CTEs: []ast.CTE{{Name: g.ident(), Query: g.query(d)}}, Body: g.query(d)}
	default:
		return g.selectBlock(d)
	}
}

func (g *treeMaker) selectBlock(d int) ast.Query {
	alias := g.ident()
	s := &ast.Select{Distinct: g.coin(), Items: []ast.SelectItem{{X: g.expr(d), Alias: &alias}}, From: g.from(d), Tail: g.tail(d)}
	if g.coin() {
		s.Where = g.expr(d)
	}
	if g.coin() {
		s.GroupBy = []ast.Expr{g.expr(d), &ast.Grouping{Kind: "CUBE", Items: g.some(d)}}
	}
	if g.coin() {
		s.Having = g.expr(d)
	}
	if g.coin() {
		s.Qualify = g.expr(d)
	}
	if g.IntN(4) == 0 {
		s.Windows = []ast.NamedWindow{{Name: g.ident(), Spec: &ast.WindowSpec{OrderBy: g.order(d)}}}
	}
	return s
}

func (g *treeMaker) tail(depth int) (t ast.Tail) {
	if g.IntN(3) == 0 {
		t.OrderBy = g.order(depth)
	}
	if g.IntN(3) == 0 {
		t.Limit = &ast.NumberLit{Text: "7"}
	}
	if g.IntN(3) == 0 {
		t.Offset = &ast.NumberLit{Text: "8"}
	}
	return t
}

func (g *treeMaker) table() ast.TableExpr {
	alias := g.ident()
	return &ast.TableRef{Name: ast.Path{Parts: []ast.Ident{g.ident()}}, Alias: ast.Alias{Name: &alias}}
}

func (g *treeMaker) from(depth int) ast.TableExpr {
	if depth <= 0 {
		return g.table()
	}
	d := depth - 1
	switch g.IntN(6) {
	case 0:
		return &ast.Join{Kind: ast.CrossJoin, Comma: true, L: g.from(d), R: g.from(d)}
	case 1:
		return &ast.Join{Kind: ast.CrossJoin, L: g.from(d), R: g.from(d)}
	case 2:
		kinds := []ast.JoinKind{ast.InnerJoin, ast.LeftJoin, ast.RightJoin, ast.FullJoin}
		return &ast.Join{Kind: kinds[g.IntN(4)], L: g.from(d), R: g.from(d), On: g.expr(d)}
	case 3:
		return &ast.Derived{Query: g.query(d), Lateral: g.coin()}
	case 4:
		return &ast.Unnest{X: g.expr(d), Ordinality: g.coin()}
	default:
		return g.table()
	}
}

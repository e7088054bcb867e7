package bind

import "github.com/sqlstream/sqlstream/parser/ast"

// rowsEqual spells (a, b) = (c, d) as a = c AND b = d, so that a NULL in them
// makes it unknown; nil for anything else. (Rows are different by <> also if
// one has a NULL where the other has none, as in Flink.)
func rowsEqual(x *ast.Binary) ast.Expr {
	l, isRow := x.L.(*ast.Row)
	r, both := x.R.(*ast.Row)
	if x.Op != ast.OpEq || !isRow || !both || len(l.Items) != len(r.Items) {
		return nil
	}
	var all ast.Expr
	for i, item := range l.Items {
		all = joined(all, ast.OpAnd, &ast.Binary{Pos: item.Position(), Op: ast.OpEq, L: item, R: r.Items[i]})
	}
	return all
}

// rowsIn spells (a, b) IN ((c, d), …) as an OR of equalities; nil for anything
// else.
func rowsIn(x *ast.In) ast.Expr {
	var all ast.Expr
	for _, y := range x.List {
		one := rowsEqual(&ast.Binary{Pos: x.Pos, Op: ast.OpEq, L: x.X, R: y})
		if one == nil {
			return nil
		}
		all = joined(all, ast.OpOr, one)
	}
	return all
}

// joined is a, where there is one, and b with a word between them.
func joined(a ast.Expr, word ast.Op, b ast.Expr) ast.Expr {
	if a == nil {
		return b
	}
	return &ast.Binary{Pos: b.Position(), Op: word, L: a, R: b}
}

package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// jsonObject takes JSON_OBJECT([KEY] k VALUE v, … [NULL|ABSENT ON NULL]) and JSON_OBJECTAGG.
func (n *norm) jsonObject() {
	_, c := n.begin()
	n.finish(c, func() {
		first := true
		for !n.atOp(")") && !n.atOnNull() {
			if !first {
				n.comma(")")
				n.emit(",")
			}
			first = false
			n.jsonPair()
		}
		n.onNull(c)
	}, asTheyAre)
}

// jsonPair takes [KEY] k VALUE v, or k : v.
func (n *norm) jsonPair() {
	if n.at("KEY") && !n.peek(1).is("VALUE") && !n.peek(1).op(".") && !n.peek(1).op(":") {
		n.take()
	}
	n.expr()
	if !n.acceptOp(":") && !n.accept("VALUE") {
		n.fail("VALUE")
	}
	n.emit(",")
	n.expr()
}

// jsonArray takes JSON_ARRAY(a, b [NULL|ABSENT ON NULL]) and JSON_ARRAYAGG.
func (n *norm) jsonArray() {
	_, c := n.begin()
	n.finish(c, func() {
		first := true
		for !n.atOp(")") && !n.atOnNull() {
			if !first {
				n.comma(")")
				n.emit(",")
			}
			first = false
			n.expr()
		}
		n.onNull(c)
	}, asTheyAre)
}

func (n *norm) atOnNull() bool { return n.at("NULL", "ON", "NULL") || n.at("ABSENT", "ON", "NULL") }

func (n *norm) onNull(c *ast.Call) {
	if n.atOnNull() {
		jsonClauses(c).OnNull = n.take().val
		n.expect("ON", "NULL")
	}
}

func jsonClauses(c *ast.Call) *ast.JSONClauses {
	if c.JSON == nil {
		c.JSON = &ast.JSONClauses{}
	}
	return c.JSON
}

// jsonPath takes JSON_VALUE, JSON_QUERY and JSON_EXISTS with their clauses. The values of
// DEFAULT travel as further arguments.
func (n *norm) jsonPath() {
	_, c := n.begin()
	nargs := 1
	var defaults []func(ast.Expr)
	n.finish(c, func() {
		n.expr()
		for n.atOp(",") {
			n.comma(")")
			n.emit(",")
			n.expr()
			nargs++
		}
		for !n.atOp(")") {
			if set := n.jsonClause(c); set != nil {
				defaults = append(defaults, set)
			}
		}
	}, func(args []ast.Expr) []ast.Expr {
		for i, set := range defaults {
			set(args[nargs+i])
		}
		return args[:nargs:nargs]
	})
}

// jsonClause takes one clause; of DEFAULT it returns where the value goes.
func (n *norm) jsonClause(c *ast.Call) func(ast.Expr) {
	t, j := n.tok(), jsonClauses(c)
	switch {
	case n.accept("RETURNING"):
		j.Returning = n.typeName()
	case t.is("WITH"), t.is("WITHOUT"):
		j.Wrapper = n.wrapper()
	case n.accept("DEFAULT"):
		n.emit(",")
		n.expr()
		if n.jsonOn(j, "DEFAULT") {
			return func(x ast.Expr) { j.DefaultOnEmpty = x }
		}
		return func(x ast.Expr) { j.DefaultOnError = x }
	case n.accept("EMPTY"):
		kind := n.tok()
		if !n.accept("ARRAY") && !n.accept("OBJECT") {
			n.fail("ARRAY", "OBJECT")
		}
		n.jsonOn(j, "EMPTY "+kind.val)
	case t.is("NULL"), t.is("ERROR"), t.is("TRUE"), t.is("FALSE"), t.is("UNKNOWN"):
		n.take()
		n.jsonOn(j, t.val)
	default:
		n.fail(",", ")", "RETURNING", "a clause ON EMPTY or ON ERROR")
	}
	return nil
}

// jsonOn takes ON EMPTY or ON ERROR for action; true for EMPTY.
func (n *norm) jsonOn(j *ast.JSONClauses, action string) bool {
	n.expect("ON")
	if n.accept("EMPTY") {
		j.OnEmpty = action
		return true
	}
	if !n.accept("ERROR") {
		n.fail("EMPTY", "ERROR")
	}
	j.OnError = action
	return false
}

// wrapper takes WITHOUT|WITH [CONDITIONAL|UNCONDITIONAL] [ARRAY] WRAPPER.
func (n *norm) wrapper() string {
	w := n.take().val
	if w == "WITH" {
		w = "WITH UNCONDITIONAL"
		if n.accept("CONDITIONAL") {
			w = "WITH CONDITIONAL"
		} else {
			n.accept("UNCONDITIONAL")
		}
	}
	n.accept("ARRAY")
	n.expect("WRAPPER")
	return w
}

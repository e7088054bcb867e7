package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// maxInline is how deep functions with a SQL body may call each other.
const maxInline = 32

// createFunction adds a function with a SQL body, which must bind.
func (b *Binder) createFunction(s *ast.CreateFunction) {
	name := s.Name.Last()
	if s.Body == nil {
		fail(perr.NotYet(s.Pos, "CREATE FUNCTION of a class").WithHint("give it a SQL body: CREATE FUNCTION %s(x INT) RETURNS INT AS x + 1", name))
	}
	p := b.cat.Resolve(s.Name.Names())
	if s.IfNotExists && b.cat.Function(p) != nil {
		return
	}
	if _, ok := fn.Lookup(name); ok || isAggregate(name) || onlyOver[name] {
		failf(s.Name.Pos, "function %s is built in", name)
	}
	f := &catalog.Function{Path: p, Body: s.Body, Text: s.BodyText, At: s.Pos}
	for _, param := range s.Params {
		for _, other := range f.Params {
			if other.Name == param.Name.Name {
				failf(param.Name.Pos, "parameter %q is there twice", param.Name.Name)
			}
		}
		f.Params = append(f.Params, types.Field{Name: param.Name.Name, Type: typeOf(param.Type)})
	}
	if s.Returns != nil {
		f.Returns = typeOf(s.Returns)
	}
	b.body(f)
	check(s.Name.Pos, b.cat.AddFunction(f))
}

// body binds the body of a function; its columns are the parameters.
func (b *Binder) body(f *catalog.Function) expr.Expr {
	if b.inlining >= maxInline {
		failf(f.At, "function %s calls itself", f.Path.Name)
	}
	b.inlining++
	defer func() { b.inlining-- }()
	params := &logical.Values{Node: logical.Node{Cols: f.Params, At: f.At}}
	e := &env{b: b, s: &scope{rel: relate(f.Path.Name, params)}, clause: "the body of a function"}
	x := e.expr(f.Body)
	if f.Returns.Kind == types.Invalid {
		return x
	}
	if !expr.ImplicitlyCastable(x.Type(), f.Returns) {
		fail(perr.New(f.Body.Position(), "function %s returns %s, but its body is %s", f.Path.Name, f.Returns.Text(), x.Type().Text()).WithHint("CAST the body"))
	}
	x, err := expr.Coerce(x, f.Returns)
	check(f.Body.Position(), err)
	return x
}

// userFunction finds a function with a SQL body; built-in ones come first.
func (b *Binder) userFunction(c *ast.Call) *catalog.Function {
	if len(c.Name.Parts) == 1 {
		if _, ok := fn.Lookup(c.FuncName()); ok {
			return nil
		}
	}
	return b.cat.Function(b.cat.Resolve(c.Name.Names()))
}

// inline puts the arguments into the body.
func (e *env) inline(f *catalog.Function, c *ast.Call) expr.Expr {
	if len(c.Args) != len(f.Params) {
		failf(c.Pos, "%s takes %s, not %d", f.Path.Name, count(len(f.Params), "argument"), len(c.Args))
	}
	args := e.exprs(c.Args)
	for i, x := range args {
		p := f.Params[i]
		if !expr.ImplicitlyCastable(x.Type(), p.Type) {
			fail(perr.New(c.Args[i].Position(), "parameter %q of %s is %s, not %s", p.Name, f.Path.Name, p.Type.Text(), x.Type().Text()).WithHint("CAST the argument"))
		}
		var err error
		args[i], err = expr.Coerce(x, p.Type)
		check(c.Args[i].Position(), err)
	}
	var body expr.Expr
	inside("function "+f.Path.Name, c.Pos, func() { body = e.b.body(f) })
	return expr.Substitute(body, args)
}

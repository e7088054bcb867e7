package expr

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func (e *Column) String() string {
	if e.Name == "" {
		return fmt.Sprintf("$%d", e.Index)
	}
	return e.Name
}

func (e *Literal) String() string {
	if e.V.Null {
		return "null:" + e.T.Text()
	}
	v := vec.New(e.T)
	v.AppendValue(e.V)
	text := string(vec.AppendText(nil, v, 0, e.T))
	switch {
	case e.T.IsString():
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case e.T.Kind == types.Boolean:
		return strings.ToLower(text)
	case e.T.IsInterval():
		return fmt.Sprintf("%d:%s", e.V.I, e.T.Text())
	case e.T.IsBinary():
		return fmt.Sprintf("X'%X'", e.V.S)
	}
	return text
}

// infix operators are printed between their arguments, postfix ones behind.
var infix = map[string]bool{"+": true, "-": true, "*": true, "/": true, "%": true, "||": true, "=": true, "<>": true,
	"<": true, "<=": true, ">": true, ">=": true, "LIKE": true, "SIMILAR TO": true,
	"IS DISTINCT FROM": true, "IS NOT DISTINCT FROM": true}

func (e *Call) String() string {
	name := e.Fn.Name
	args := make([]string, len(e.Args))
	for i, x := range e.Args {
		args[i] = x.String()
	}
	switch {
	case infix[name] && len(args) == 2:
		return "(" + args[0] + " " + name + " " + args[1] + ")"
	case strings.HasPrefix(name, "IS ") && len(args) == 1:
		return args[0] + " " + name
	case name == "ITEM":
		return args[0] + "[" + args[1] + "]"
	case name == "IN_SET":
		return args[0] + " IN (" + strings.Join(args[1:], ", ") + ")"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

func (e *Cast) String() string {
	if e.Implicit {
		return e.X.String()
	}
	name := "CAST"
	if e.Try {
		name = "TRY_CAST"
	}
	return fmt.Sprintf("%s(%s AS %s)", name, e.X, e.T.Text())
}

func (e *Case) String() string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range e.Whens {
		fmt.Fprintf(&b, " WHEN %s THEN %s", w.Cond, w.Then)
	}
	fmt.Fprintf(&b, " ELSE %s END", e.Else)
	return b.String()
}

func (e *And) String() string   { return joinTerms(e.Terms, " AND ") }
func (e *Or) String() string    { return joinTerms(e.Terms, " OR ") }
func (e *Field) String() string { return e.X.String() + "." + e.Name }

func joinTerms(xs []Expr, op string) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = x.String()
	}
	return "(" + strings.Join(parts, op) + ")"
}

package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// windowParams are the parameters of each window function, in order, with the number of those that must be given.
var windowParams = map[string]struct {
	names    []string
	required int
}{
	"TUMBLE":   {[]string{"DATA", "TIMECOL", "SIZE", "OFFSET"}, 3},
	"HOP":      {[]string{"DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"}, 4},
	"CUMULATE": {[]string{"DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"}, 4},
	"SESSION":  {[]string{"DATA", "TIMECOL", "GAP"}, 3},
}

func isWindowKind(name string) bool { return windowParams[name].names != nil }

// windowTVF sorts the arguments of a window function into its fields.
func (n *norm) windowTVF(call *ast.Call, kind string, alias ast.Alias) *ast.WindowTVF {
	w := &ast.WindowTVF{Pos: call.Pos, Kind: kind, Alias: alias}
	args := n.windowArgs(call, kind)
	w.Input = n.windowInput(args["DATA"], kind)
	d, ok := args["TIMECOL"].(*ast.Descriptor)
	if !ok || len(d.Columns) != 1 {
		n.failPos(args["TIMECOL"].Position(), "the second argument of "+kind+" is the time column", "write DESCRIPTOR(column)")
	}
	w.TimeCol = d.Columns[0]
	w.Size, w.Gap, w.Offset = args["SIZE"], args["GAP"], args["OFFSET"]
	w.Slide = args["SLIDE"]
	if kind == "CUMULATE" {
		w.Slide = args["STEP"]
	}
	return w
}

// windowArgs gives the arguments by their parameters' names.
func (n *norm) windowArgs(call *ast.Call, kind string) map[string]ast.Expr {
	params := windowParams[kind]
	args := make(map[string]ast.Expr, len(call.Args))
	usage := kind + "(TABLE t, DESCRIPTOR(time), " + strings.ToLower(strings.Join(params.names[2:params.required], ", ")) + ")"
	for i, a := range call.Args {
		if named, ok := a.(*ast.NamedArg); ok {
			name := strings.ToUpper(named.Name.Name)
			if !contains(params.names, name) || args[name] != nil {
				n.failPos(named.Pos, kind+" takes no argument "+named.Name.Name+" here", "its arguments are "+strings.Join(params.names, ", "))
			}
			args[name] = named.Value
			continue
		}
		if i >= len(params.names) || args[params.names[i]] != nil {
			n.failPos(a.Position(), kind+" takes at most "+params.names[len(params.names)-1]+" as its last argument", "write "+usage)
		}
		args[params.names[i]] = a
	}
	for _, name := range params.names[:params.required] {
		if args[name] == nil {
			n.failPos(call.Pos, kind+" lacks its argument "+name, "write "+usage)
		}
	}
	return args
}

// windowInput makes the table of the first argument.
func (n *norm) windowInput(x ast.Expr, kind string) ast.TableArg {
	switch x := x.(type) {
	case *ast.TableArg:
		return *x
	case *ast.Subquery:
		return ast.TableArg{Pos: x.Pos, Query: x.Query}
	case *ast.Column:
		n.failPos(x.Pos, "the first argument of "+kind+" is a table", "write TABLE "+x.Parts[0].Name)
	default:
		n.failPos(x.Position(), "the first argument of "+kind+" is a table", "write TABLE name")
	}
	panic("unreachable")
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// failPos refuses what stands at pos.
func (c *cursor) failPos(pos ast.Pos, msg, hint string) {
	for i := range c.toks {
		if c.toks[i].pos == pos {
			c.failAt(&c.toks[i], msg, hint)
		}
	}
	panic(&Error{Pos: pos, Msg: msg, Hint: hint})
}

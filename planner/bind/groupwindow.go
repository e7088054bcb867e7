package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// groupWindows are the functions that group by a window.
var groupWindows = map[string]bool{"TUMBLE": true, "HOP": true, "SESSION": true}

// windowProperties are the suffixes of TUMBLE_START and its like.
var windowProperties = map[string]op.WindowProperty{
	"START": op.WindowStart, "END": op.WindowEnd, "ROWTIME": op.WindowTime, "PROCTIME": op.WindowProcess,
}

// groupWindow is TUMBLE(ts, i) in GROUP BY.
type groupWindow struct {
	spec       op.Window // Time is set by finish
	name       string
	time       expr.Expr
	pre        int // column of time below the aggregation
	properties []op.WindowProperty
	at         ast.Pos
}

func (g *grouping) setWindow(c *ast.Call) {
	if g.window != nil {
		fail(perr.New(c.Pos, "GROUP BY has two windows").WithHint("use the table function %s(TABLE …) and group by window_start and window_end", c.FuncName()))
	}
	g.window = bindGroupWindow(g.in, c)
}

func bindGroupWindow(in *env, c *ast.Call) *groupWindow {
	w := &groupWindow{name: c.FuncName(), time: in.expr(c.Args[0]), at: c.Pos}
	in.b.checkTimeAttribute(in, w.time, c.Args[0].Position(), w.name)
	w.spec.Proctime = w.time.Type().Attr == types.Proctime
	w.spec.LTZ = w.time.Type().Kind == types.TimestampLTZ
	rest := c.Args[1:]
	next := func(what string) int64 {
		if len(rest) == 0 {
			failf(c.Pos, "%s needs %s", w.name, what)
		}
		d := in.duration(rest[0], what)
		rest = rest[1:]
		return d
	}
	switch w.name {
	case "TUMBLE":
		w.spec.Kind, w.spec.Size = op.Tumble, next("the size of the window")
	case "HOP":
		w.spec.Kind, w.spec.Slide = op.Hop, next("the slide of the window")
		w.spec.Size = next("the size of the window")
	case "SESSION":
		w.spec.Kind, w.spec.Size = op.Session, next("the gap of the session")
	}
	if len(rest) > 0 {
		w.spec.Offset = next("the offset of the window")
	}
	if len(rest) > 0 {
		failf(rest[0].Position(), "%s has an argument too many", w.name)
	}
	checkWindow(w.spec, c.Pos)
	return w
}

// checkWindow refuses sizes that make no windows.
func checkWindow(w op.Window, pos ast.Pos) {
	switch {
	case w.Size <= 0:
		failf(pos, "the size of a window must be greater than zero")
	case (w.Kind == op.Hop || w.Kind == op.Cumulate) && w.Slide <= 0:
		failf(pos, "the slide or step of a window must be greater than zero")
	}
}

// isWindowProperty tells TUMBLE_START(ts, i) and its like.
func isWindowProperty(c *ast.Call) bool {
	kind, prop, ok := strings.Cut(c.FuncName(), "_")
	_, known := windowProperties[prop]
	return ok && known && groupWindows[kind] && len(c.Args) > 1
}

// windowProperty binds TUMBLE_START(ts, i): the window must be that of GROUP
// BY.
func (e *env) windowProperty(c *ast.Call) expr.Expr {
	kind, prop, _ := strings.Cut(c.FuncName(), "_")
	if e.group == nil || e.group.window == nil {
		fail(perr.New(c.Pos, "%s needs the window in GROUP BY", c.FuncName()).WithHint("add GROUP BY %s(time, interval)", kind))
	}
	g := e.group.window
	w := bindGroupWindow(e.group.in, &ast.Call{Pos: c.Pos, Name: ast.Path{Pos: c.Pos, Parts: []ast.Ident{{Name: kind}}}, Args: c.Args})
	if !expr.Equal(w.time, g.time) || !sameWindow(w.spec, g.spec) {
		failf(c.Pos, "%s is of another window than GROUP BY, at %s", c.FuncName(), g.at)
	}
	p := windowProperties[prop]
	if t := g.time.Type().Attr; p == op.WindowTime && t != types.Rowtime || p == op.WindowProcess && t != types.Proctime {
		failf(c.Pos, "%s does not fit the time attribute, which is of type %s", c.FuncName(), g.time.Type())
	}
	i := len(g.properties)
	for j, other := range g.properties {
		if other == p {
			i = j
		}
	}
	if i == len(g.properties) {
		g.properties = append(g.properties, p)
	}
	return &expr.Column{Index: propertyBase + i, Name: c.FuncName(), T: g.propertyType(p)}
}

func sameWindow(a, b op.Window) bool {
	return a.Kind == b.Kind && a.Size == b.Size && a.Slide == b.Slide && a.Offset == b.Offset
}

func (w *groupWindow) propertyType(p op.WindowProperty) types.Type {
	switch p {
	case op.WindowTime:
		return w.time.Type().Nullable(true)
	case op.WindowProcess:
		return types.LTZOf(3).Nullable(false).WithAttr(types.Proctime)
	}
	return types.TimestampOf(3).Nullable(false)
}

// finishWindow adds the window to the aggregation.
func (g *grouping) finishWindow(a *logical.Aggregate) {
	w := g.window
	if w == nil {
		return
	}
	spec := w.spec
	spec.Time = w.pre
	if spec.Kind == op.Session {
		spec.Partition = a.Keys
	}
	a.GroupWindow, a.Properties = &spec, w.properties
	for _, p := range w.properties {
		a.Cols = append(a.Cols, types.Field{Name: strings.ToLower(w.name) + "$" + propertyNames[p], Type: w.propertyType(p)})
	}
}

var propertyNames = map[op.WindowProperty]string{
	op.WindowStart: "start", op.WindowEnd: "end", op.WindowTime: "rowtime", op.WindowProcess: "proctime",
}

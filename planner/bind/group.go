package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// grouping is the aggregation of one SELECT while its expressions are bound.
// The plan becomes Project (pre) → [Expand] → Aggregate.
type grouping struct {
	in    *env // binds what stands below: keys and arguments
	at    ast.Pos
	keys  []expr.Expr // of GROUP BY, over the input
	pre   []expr.Expr // columns of the Project: the keys, then arguments and filters
	aggs  []logical.AggCall
	types []types.Type // results of aggs
	// sets are the grouping sets, as indexes of keys; nil: all keys.
	sets   [][]int
	window *groupWindow
	// byWindow: the keys hold the start and end of one window, so that
	// window_time stays a time attribute.
	byWindow bool
	items    []ast.Expr // GROUP BY as written
}

// newGrouping binds GROUP BY.
func newGrouping(in *env, q *ast.Select) *grouping {
	below := *in
	below.clause, below.subs, below.overs = "GROUP BY", nil, nil
	g := &grouping{in: &below, at: q.Pos, items: q.GroupBy}
	sets := [][]int{{}}
	for _, item := range q.GroupBy {
		sets = cross(sets, g.item(item))
	}
	if g.window != nil && len(sets) > 1 {
		fail(perr.NotYet(g.window.at, "%s together with grouping sets", g.window.name).WithHint("use the table function %s(TABLE …)", g.window.name))
	}
	if len(sets) > 1 || len(q.GroupBy) > 0 && len(sets[0]) != len(g.keys) {
		g.sets = sets
	}
	g.pre = append(g.pre, g.keys...)
	if g.window != nil {
		g.window.pre = g.addPre(g.window.time)
	}
	below.clause = "the argument of an aggregate"
	g.byWindow = groupsByWindow(in.s.rel.plan, g.keys)
	return g
}

// item binds one item of GROUP BY to its grouping sets.
func (g *grouping) item(x ast.Expr) [][]int {
	switch x := x.(type) {
	case *ast.Grouping:
		return g.groupingSets(x)
	case *ast.Row:
		if !x.Explicit {
			return [][]int{g.addKeys(x.Items)}
		}
	case *ast.Call:
		if groupWindows[x.FuncName()] && len(x.Args) > 1 {
			g.setWindow(x)
			return [][]int{{}}
		}
	}
	return [][]int{{g.addKey(x)}}
}

func (g *grouping) addKeys(xs []ast.Expr) []int {
	set := []int{}
	for _, x := range xs {
		set = append(set, g.addKey(x))
	}
	return set
}

// addKey binds a key; equal keys are one.
func (g *grouping) addKey(x ast.Expr) int {
	k := g.in.expr(x)
	if k.Type().Kind == types.Map || k.Type().Kind == types.Multiset {
		failf(x.Position(), "GROUP BY cannot take a %s", k.Type().Text())
	}
	for i, other := range g.keys {
		if expr.Equal(k, other) {
			return i
		}
	}
	g.keys = append(g.keys, k)
	return len(g.keys) - 1
}

// key finds x among the keys.
func (g *grouping) key(e *env, x ast.Expr) (expr.Expr, bool) {
	if len(g.keys) == 0 || hasAggregate(x) || hasQuery(x) {
		return nil, false
	}
	below, ok := g.try(x)
	if !ok {
		return nil, false
	}
	return g.keyOf(below)
}

// try binds x below the aggregation; whether that is an error shows later.
func (g *grouping) try(x ast.Expr) (r expr.Expr, ok bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case bindError:
			ok = false
		default:
			panic(p)
		}
	}()
	return g.in.expr(x), true
}

func (g *grouping) keyOf(below expr.Expr) (expr.Expr, bool) {
	if _, isConstant := below.(*expr.Literal); isConstant {
		return nil, false
	}
	for i, k := range g.keys {
		if expr.Equal(k, below) {
			return &expr.Column{Index: i, Name: columnName(k, i), T: g.keyType(i)}, true
		}
	}
	return nil, false
}

// keyType is the type of key i above the aggregation: a grouping set may
// leave it out, and only windows keep time attributes.
func (g *grouping) keyType(i int) types.Type {
	t := g.keys[i].Type()
	if !g.byWindow || !g.isWindowTime(i) {
		t.Attr = types.NoTime
	}
	for _, s := range g.sets {
		if !contains(s, i) {
			return t.Nullable(true)
		}
	}
	return t
}

func (g *grouping) isWindowTime(i int) bool {
	c, ok := g.keys[i].(*expr.Column)
	if !ok {
		return false
	}
	w, prop := windowColumn(g.in.s.rel.plan, c.Index)
	return w != nil && prop == op.WindowTime
}

func contains(s []int, i int) bool {
	for _, x := range s {
		if x == i {
			return true
		}
	}
	return false
}

func nameOf(x expr.Expr) string {
	switch x := x.(type) {
	case *expr.Column:
		return x.Name
	case *expr.Field:
		return x.Name
	}
	return ""
}

// columnName is the name of an unnamed output column.
func columnName(x expr.Expr, i int) string {
	if name := nameOf(x); name != "" {
		return name
	}
	return exprName(i)
}

// notGrouped refuses a column that is neither key nor argument.
func (g *grouping) notGrouped(c *ast.Column) error {
	name := c.Parts[len(c.Parts)-1].Name
	err := perr.New(c.Pos, "column %q is neither in GROUP BY nor in an aggregate", name)
	for _, item := range g.items {
		switch item := item.(type) {
		case *ast.NumberLit:
			return err.WithHint("GROUP BY takes no positions: GROUP BY %s groups by the number", item.Text)
		case *ast.Column:
			if groupsAlias(g, item) {
				return err.WithHint("GROUP BY sees no aliases of the SELECT list; repeat the expression")
			}
		}
	}
	if len(g.items) == 0 {
		return err.WithHint("add GROUP BY %s, or aggregate it, as MAX(%s)", name, name)
	}
	return err.WithHint("add it to GROUP BY, or aggregate it, as MAX(%s)", name)
}

func groupsAlias(g *grouping, c *ast.Column) bool {
	for _, a := range g.in.aliases {
		if a.Alias != nil && len(c.Parts) == 1 && a.Alias.Name == c.Parts[0].Name {
			return true
		}
	}
	return false
}

// finish makes the plan of the aggregation on top of p.
func (g *grouping) finish(p logical.Plan) logical.Plan {
	if len(g.pre) > 0 {
		p = project(p, g.pre, nil, g.at)
	}
	a := &logical.Aggregate{Aggs: g.aggs, Node: logical.Node{At: g.at}}
	if g.sets != nil {
		p = g.expand(p)
		a.Keys = append(a.Keys, len(g.pre))
	}
	a.Input = p
	keys := make([]int, len(g.keys), len(g.keys)+1)
	for i := range g.keys {
		keys[i] = i
		a.Cols = append(a.Cols, types.Field{Name: p.Schema()[i].Name, Type: g.keyType(i)})
	}
	if g.sets != nil {
		a.Cols = append(a.Cols, p.Schema()[len(g.pre)])
	}
	a.Keys = append(keys, a.Keys...)
	for i, agg := range g.aggs {
		a.Cols = append(a.Cols, types.Field{Name: agg.Name, Type: g.types[i]})
	}
	g.finishWindow(a)
	return a
}

// project is a Project; names nil: those of the columns, else EXPR$i.
func project(p logical.Plan, xs []expr.Expr, names []string, at ast.Pos) *logical.Project {
	n := &logical.Project{Input: p, Exprs: xs, Node: logical.Node{At: at}}
	for i, x := range xs {
		name := columnName(x, i)
		if names != nil {
			name = names[i]
		}
		n.Cols = append(n.Cols, types.Field{Name: name, Type: x.Type()})
	}
	return n
}

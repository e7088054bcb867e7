package bind

import (
	"strconv"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// maxSets is the greatest number of grouping sets of a query.
const maxSets = 64

func exprName(i int) string { return "EXPR$" + strconv.Itoa(i) }

// groupingSets expands GROUPING SETS, ROLLUP and CUBE.
func (g *grouping) groupingSets(x *ast.Grouping) [][]int {
	var sets [][]int
	switch x.Kind {
	case "GROUPING SETS":
		for _, item := range x.Items {
			sets = append(sets, g.item(item)...)
		}
	case "ROLLUP":
		parts := g.parts(x)
		for n := len(parts); n >= 0; n-- {
			sets = append(sets, join(parts[:n]))
		}
	case "CUBE":
		parts := g.parts(x)
		if 1<<len(parts) > maxSets {
			failf(x.Pos, "CUBE of %d items makes over %d grouping sets", len(parts), maxSets)
		}
		for mask := 1<<len(parts) - 1; mask >= 0; mask-- {
			sets = append(sets, join(pick(parts, mask)))
		}
	default:
		panic("bind: unknown grouping " + x.Kind)
	}
	if len(sets) > maxSets {
		failf(x.Pos, "more than %d grouping sets", maxSets)
	}
	return sets
}

// parts are the items of ROLLUP and CUBE: a column or several in parentheses.
func (g *grouping) parts(x *ast.Grouping) [][]int {
	var parts [][]int
	for _, item := range x.Items {
		sets := g.item(item)
		if len(sets) != 1 {
			failf(item.Position(), "%s cannot hold grouping sets", x.Kind)
		}
		parts = append(parts, sets[0])
	}
	return parts
}

// pick takes the parts whose bit is set; the first part has the highest bit.
func pick(parts [][]int, mask int) [][]int {
	var out [][]int
	for i, p := range parts {
		if mask>>(len(parts)-1-i)&1 == 1 {
			out = append(out, p)
		}
	}
	return out
}

// join is the union of several sets, in order.
func join(parts [][]int) []int {
	set := []int{}
	for _, p := range parts {
		for _, k := range p {
			if !contains(set, k) {
				set = append(set, k)
			}
		}
	}
	return set
}

// cross combines the sets of two items of GROUP BY.
func cross(a, b [][]int) [][]int {
	var out [][]int
	for _, x := range a {
		for _, y := range b {
			out = append(out, join([][]int{x, y}))
		}
	}
	return out
}

// expand emits each row once a set: keys outside the set are null, and the
// set's number is the last column.
func (g *grouping) expand(p logical.Plan) logical.Plan {
	n := &logical.Expand{Input: p, Node: logical.Node{At: g.at}}
	for set, keys := range g.sets {
		var xs []expr.Expr
		for i := range g.pre {
			c := columnOf(p, i)
			if i < len(g.keys) && !contains(keys, i) {
				xs = append(xs, expr.NullOf(c.T.WithAttr(types.NoTime)))
				continue
			}
			xs = append(xs, c)
		}
		n.Projects = append(n.Projects, append(xs, expr.BigInt(int64(set))))
	}
	for i, f := range p.Schema() {
		if i < len(g.keys) {
			f.Type.NotNull = f.Type.NotNull && g.keyType(i).NotNull
		}
		n.Cols = append(n.Cols, f)
	}
	n.Cols = append(n.Cols, types.Field{Name: "$e", Type: types.Of(types.BigInt).Nullable(false)})
	return n
}

// groupingCall is GROUPING(k, …): a bit for each key, 1 where the row's set
// has left it out.
func (e *env) groupingCall(c *ast.Call) expr.Expr {
	name := c.FuncName()
	if e.group == nil || len(e.group.keys) == 0 {
		fail(perr.New(c.Pos, "%s needs GROUP BY", name))
	}
	if name == "GROUP_ID" {
		fail(perr.NotYet(c.Pos, "GROUP_ID").WithHint("use GROUPING"))
	}
	var keys []int
	for _, a := range c.Args {
		k, ok := e.group.key(e, a)
		if !ok {
			failf(a.Position(), "the argument of %s must be a key of GROUP BY", name)
		}
		keys = append(keys, k.(*expr.Column).Index)
	}
	if len(keys) == 0 {
		failf(c.Pos, "%s takes keys of GROUP BY", name)
	}
	return e.group.bits(keys, c.Pos)
}

func (g *grouping) bits(keys []int, pos ast.Pos) expr.Expr {
	if g.sets == nil {
		return expr.BigInt(0)
	}
	set := &expr.Column{Index: len(g.keys), Name: "$e", T: types.Of(types.BigInt).Nullable(false)}
	var whens []expr.When
	for i, s := range g.sets {
		bits := int64(0)
		for _, k := range keys {
			bits <<= 1
			if !contains(s, k) {
				bits |= 1
			}
		}
		whens = append(whens, expr.When{Cond: expr.BigInt(int64(i)), Then: expr.BigInt(bits)})
	}
	last := len(whens) - 1
	if last == 0 {
		return whens[0].Then
	}
	x, err := expr.NewSimpleCase(set, whens[:last], whens[last].Then)
	check(pos, err)
	return x
}

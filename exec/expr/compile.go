package expr

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// compiler makes nodes, one for each distinct expression.
type compiler struct {
	options Options
	seen    map[string][]compiled
}

type compiled struct {
	x Expr
	n *node
}

func (c *compiler) node(x Expr) (*node, error) {
	if x, ok := x.(*Cast); ok && sameStorage(x) {
		return c.node(x.X)
	}
	key := x.String()
	for _, old := range c.seen[key] {
		if Equal(old.x, x) {
			return old.n, nil
		}
	}
	op, err := c.evaluator(x)
	if err != nil {
		return nil, err
	}
	n := &node{op: op, t: x.Type()}
	if c.seen == nil {
		c.seen = map[string][]compiled{}
	}
	c.seen[key] = append(c.seen[key], compiled{x, n})
	return n, nil
}

func (c *compiler) nodes(xs []Expr) ([]*node, error) {
	ns := make([]*node, len(xs))
	for i, x := range xs {
		n, err := c.node(x)
		if err != nil {
			return nil, err
		}
		ns[i] = n
	}
	return ns, nil
}

func (c *compiler) evaluator(x Expr) (evaluator, error) {
	switch x := x.(type) {
	case *Column:
		return column(x.Index), nil
	case *Literal:
		return newConstant(x), nil
	case *Call:
		return c.call(x)
	case *Cast:
		return c.cast(x)
	case *Case:
		return c.conditional(x)
	case *And:
		return c.junction(x.Terms, false)
	case *Or:
		return c.junction(x.Terms, true)
	case *Field:
		n, err := c.node(x.X)
		return &fieldOf{row: n, index: x.Index}, err
	}
	panic("expr: unknown node")
}

func (c *compiler) call(x *Call) (evaluator, error) {
	args, err := c.nodes(x.Args)
	if err != nil {
		return nil, err
	}
	if x.Bound.New == nil {
		return lazy(x, args)
	}
	k := newCallOf(x.Type(), args)
	k.nullAware, k.total = x.Bound.NullAware, x.Bound.Total
	if consts := constantArgs(x.Args); consts != nil && x.Bound.NewConst != nil && !c.options.Plain {
		k.kernel = x.Bound.NewConst(consts)
	}
	if k.kernel == nil {
		k.kernel = x.Bound.New()
	}
	return k, nil
}

// lazy are the calls that evaluate arguments only where they are needed.
func lazy(x *Call, args []*node) (evaluator, error) {
	switch x.Fn.Name {
	case "COALESCE", "IFNULL":
		return &coalesce{args: args, out: vec.New(x.Type()), scopes: make([]scope, len(args))}, nil
	case "IF":
		return newBranches(x.Type(), args[:1], args[1:2], args[2]), nil
	}
	return nil, fmt.Errorf("function %s is not supported yet", x.Fn.Name)
}

// constantArgs are the values of literal arguments; nil if there are none, or
// if one is NULL.
func constantArgs(args []Expr) []*vec.Value {
	var consts []*vec.Value
	for i, a := range args {
		l, ok := a.(*Literal)
		if !ok {
			continue
		}
		if l.V.Null {
			return nil
		}
		if consts == nil {
			consts = make([]*vec.Value, len(args))
		}
		consts[i] = &l.V
	}
	return consts
}

func (c *compiler) cast(x *Cast) (evaluator, error) {
	n, err := c.node(x.X)
	if err != nil {
		return nil, err
	}
	k := newCallOf(x.T, []*node{n})
	k.kernel, k.total = castKernel(x.X.Type(), x.T, x.Try)
	if k.kernel == nil {
		return nil, fmt.Errorf("a cast from %s to %s is not supported yet", x.X.Type().Text(), x.T.Text())
	}
	return k, nil
}

func (c *compiler) conditional(x *Case) (evaluator, error) {
	var conds, thens []*node
	for _, w := range x.Whens {
		pair, err := c.nodes([]Expr{w.Cond, w.Then})
		if err != nil {
			return nil, err
		}
		conds, thens = append(conds, pair[0]), append(thens, pair[1])
	}
	otherwise, err := c.node(x.Else)
	if err != nil {
		return nil, err
	}
	return newBranches(x.T, conds, thens, otherwise), nil
}

func (c *compiler) junction(terms []Expr, or bool) (evaluator, error) {
	ns, err := c.nodes(terms)
	return &junction{terms: ns, or: or, out: vec.New(types.Of(types.Boolean)), scopes: make([]scope, len(ns))}, err
}

// call is a function applied to columns.
type call struct {
	args      []*node
	in        []*vec.Vector
	out       *vec.Vector
	kernel    fn.Kernel
	nullAware bool
	total     bool
	live      []int32
}

func newCallOf(result types.Type, args []*node) *call {
	return &call{args: args, in: make([]*vec.Vector, len(args)), out: vec.New(result)}
}

func (k *call) eval(s *scope) (*vec.Vector, error) {
	nulls := false
	for i, a := range k.args {
		v, err := a.get(s)
		if err != nil {
			return nil, err
		}
		k.in[i] = v
		nulls = nulls || v.Nulls != nil
	}
	k.out.Resize(s.batch.N)
	rows := s.rows
	if nulls && !k.nullAware {
		rows = k.skipNulls(rows)
	}
	return k.out, k.kernel(s.env, k.in, rows, k.out)
}

// skipNulls marks the rows with a null argument and, for kernels that must
// not see them, returns the others.
func (k *call) skipNulls(rows []int32) []int32 {
	for _, v := range k.in {
		k.out.OrNulls(v)
	}
	if k.total {
		return rows
	}
	k.live = selectNotNull(k.out.Nulls, rows, k.live[:0])
	return k.live
}

func selectNotNull(nulls []uint64, rows, dst []int32) []int32 {
	for _, r := range rows {
		if nulls[r>>6]&(1<<(r&63)) == 0 {
			dst = append(dst, r)
		}
	}
	return dst
}

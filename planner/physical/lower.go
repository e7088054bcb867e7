package physical

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Lower makes the plan of one job from logical plans that the rules have
// rewritten: sinks, or one query.
func Lower(roots []logical.Plan, cfg Config) (*Plan, error) {
	l := &lowerer{cfg: cfg, seen: map[string]*Node{}, times: map[string]int{}}
	p := &Plan{Config: cfg}
	for _, r := range roots {
		n, err := l.root(r)
		if err != nil {
			return nil, err
		}
		p.Roots = append(p.Roots, n)
	}
	if err := l.finish(p); err != nil {
		return nil, err
	}
	return p, nil
}

// lowerer makes nodes bottom-up. Equal nodes are made once, so that what two
// statements share is computed once.
type lowerer struct {
	cfg   Config
	seen  map[string]*Node
	times map[string]int // how often a node that is never shared was made
}

func (l *lowerer) root(p logical.Plan) (*Node, error) {
	if s, ok := p.(*logical.Sink); ok {
		return l.sink(s)
	}
	in, err := l.plan(unrenamed(p))
	if err != nil {
		return nil, err
	}
	n := &Node{Op: &Collect{}, At: p.Pos(), Inputs: []Input{{Node: in, Exchange: exec.Gather}}, Output: slices.Clone(in.Output),
		Changes: in.Changes, Keys: in.Keys, Single: true}
	for i, f := range p.Schema() {
		n.Output[i].Name = f.Name
	}
	return l.add(n), nil
}

// unrenamed is p without a project that only gives other names: the root
// gives its own.
func unrenamed(p logical.Plan) logical.Plan {
	if q, ok := p.(*logical.Project); ok && isIdentity(q.Exprs, len(q.Input.Schema())) {
		return q.Input
	}
	return p
}

// plan lowers a node; its output has the columns of p's schema, in order.
func (l *lowerer) plan(p logical.Plan) (*Node, error) {
	switch p := p.(type) {
	case *logical.Scan:
		return l.scan(p)
	case *logical.Watermark:
		return l.watermark(p)
	case *logical.Values:
		return l.values(p)
	case *logical.Project:
		return l.project(p)
	case *logical.Filter:
		return l.filter(p)
	case *logical.Window:
		return l.window(p)
	case *logical.Aggregate:
		return l.aggregate(p)
	case *logical.Expand:
		return l.expand(p)
	case *logical.Join:
		return l.join(p)
	case *logical.TemporalJoin:
		return l.temporalJoin(p)
	case *logical.Over:
		return l.over(p)
	case *logical.Rank:
		return l.rank(p)
	case *logical.Sort:
		return l.sort(p)
	case *logical.SetOp:
		return l.setOp(p)
	case *logical.Unnest:
		return l.unnest(p)
	}
	panic(fmt.Sprintf("physical: unknown logical node %T", p))
}

// inputs lowers all inputs of p.
func (l *lowerer) inputs(p logical.Plan) ([]*Node, error) {
	var in []*Node
	for _, q := range p.Inputs() {
		n, err := l.plan(q)
		if err != nil {
			return nil, err
		}
		in = append(in, n)
	}
	return in, nil
}

// add completes a node and returns it, or the equal one that exists.
func (l *lowerer) add(n *Node) *Node {
	n.Parallelism = l.parallelism(n)
	text := n.fingerprint()
	if !shareable(n) {
		l.times[text]++
		text = fmt.Sprintf("%s#%d", text, l.times[text])
	} else if old := l.seen[text]; old != nil {
		return old
	}
	n.UID = digest(text)
	l.seen[text] = n
	return n
}

// parallelism is that of a node that is not yet complete. Without an exchange
// a node runs as wide as its input.
func (l *lowerer) parallelism(n *Node) int {
	switch {
	case n.Single:
		return 1
	case n.Parallelism > 0:
		return n.Parallelism
	case len(n.Inputs) == 1 && n.Inputs[0].Exchange == exec.Forward:
		return n.in(0).Parallelism
	}
	for _, in := range n.Inputs {
		if in.Exchange == exec.Gather {
			return 1
		}
	}
	return l.cfg.parallelism()
}

// schema is the logical schema; time attributes are cleared, for those that
// survive are known here only.
func schema(p logical.Plan) []types.Field {
	out := slices.Clone(p.Schema())
	for i := range out {
		out[i].Type.Attr = types.NoTime
	}
	return out
}

// inheritTime copies the time attributes of the first columns of out from in.
func inheritTime(out []types.Field, in []types.Field, at int) {
	for i := range in {
		if at+i < len(out) {
			out[at+i].Type.Attr = in[i].Type.Attr
		}
	}
}

// seq is from, from+1 … from+n−1.
func seq(from, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = from + i
	}
	return s
}

func names(fields []types.Field, cols []int) []string {
	s := make([]string, len(cols))
	for i, c := range cols {
		s[i] = fields[c].Name
	}
	return s
}

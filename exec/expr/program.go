package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Options of Compile; the zero value is what operators use.
type Options struct {
	// Plain folds nothing and uses no kernel for constants: tests compare it
	// with what is used otherwise.
	Plain bool
}

// Program computes a list of expressions, each distinct sub-expression once
// a batch. It owns the memory of its results: they are valid until the next
// Eval. For one goroutine.
type Program struct {
	roots []*node
	out   []*vec.Vector
	top   scope
}

// Compile turns expressions over the columns of a batch into a program.
func Compile(exprs []Expr, o Options) (*Program, error) {
	c := compiler{options: o}
	p := &Program{out: make([]*vec.Vector, len(exprs))}
	for _, x := range exprs {
		if !o.Plain {
			x = Fold(x, nil)
		}
		n, err := c.node(x)
		if err != nil {
			return nil, err
		}
		p.roots = append(p.roots, n)
	}
	return p, nil
}

// Eval computes the expressions for the selected rows of b. Results are
// indexed by physical row and valid for the selected ones only; they are not
// to be written. The result of a bare column is the column of b itself.
func (p *Program) Eval(env *fn.Env, b *vec.Batch) ([]*vec.Vector, error) {
	p.top.open(nil, env, b, b.Rows())
	for i, n := range p.roots {
		v, err := n.get(&p.top)
		if err != nil {
			return nil, &ValueError{err}
		}
		p.out[i] = v
	}
	return p.out, nil
}

// scope is a set of rows for which nodes are evaluated: those of the batch,
// or, inside of a conditional, a part of its parent's. Scopes belong to
// programs and conditional nodes and are opened anew for every batch.
type scope struct {
	parent *scope
	env    *fn.Env
	batch  *vec.Batch
	rows   []int32
	epoch  uint64
}

func (s *scope) open(parent *scope, env *fn.Env, b *vec.Batch, rows []int32) {
	s.parent, s.env, s.batch, s.rows = parent, env, b, rows
	s.epoch++
}

// part opens s for some rows of parent and returns it.
func (s *scope) part(parent *scope, rows []int32) *scope {
	if len(rows) == len(parent.rows) {
		return parent
	}
	s.open(parent, parent.env, parent.batch, rows)
	return s
}

// node is one distinct sub-expression with its last result, which is valid
// in the scope it was computed for and in those below.
type node struct {
	op    evaluator
	t     types.Type
	value *vec.Vector
	scope *scope
	epoch uint64
}

// evaluator computes a node for the rows of a scope, once a batch (and once
// for each of the sibling scopes that ask). The result may be shared with a
// child's or the batch's and is never written by who asked for it.
type evaluator interface {
	eval(s *scope) (*vec.Vector, error)
}

func (n *node) get(s *scope) (*vec.Vector, error) {
	for at := s; at != nil; at = at.parent {
		if n.scope == at && n.epoch == at.epoch {
			return n.value, nil
		}
	}
	v, err := n.op.eval(s)
	if err != nil {
		return nil, err
	}
	n.value, n.scope, n.epoch = v, s, s.epoch
	return v, nil
}

package expr

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// branches is CASE and IF: each row is computed by the branch it takes.
type branches struct {
	conds, thens []*node
	otherwise    *node
	out          *vec.Vector
	scopes       []scope // one for each condition, branch and the rest
	yes, no      [][]int32
}

func newBranches(t types.Type, conds, thens []*node, otherwise *node) *branches {
	n := len(conds)
	return &branches{conds: conds, thens: thens, otherwise: otherwise, out: vec.New(t),
		scopes: make([]scope, 2*n+1), yes: make([][]int32, n), no: make([][]int32, n)}
}

func (c *branches) eval(s *scope) (*vec.Vector, error) {
	c.out.Resize(s.batch.N)
	rest := s
	for i, cond := range c.conds {
		v, err := cond.get(rest)
		if err != nil {
			return nil, err
		}
		yes, no := c.yes[i][:0], c.no[i][:0]
		for _, r := range rest.rows {
			if v.Bool[r] && !v.IsNull(int(r)) {
				yes = append(yes, r)
			} else {
				no = append(no, r)
			}
		}
		c.yes[i], c.no[i] = yes, no
		if err := c.take(c.thens[i], c.scopes[2*i].part(rest, yes)); err != nil {
			return nil, err
		}
		rest = c.scopes[2*i+1].part(rest, no)
	}
	return c.out, c.take(c.otherwise, rest)
}

// take copies the rows of a branch to the result at once: the branch's
// vector may be computed anew for another scope.
func (c *branches) take(branch *node, s *scope) error {
	if len(s.rows) == 0 {
		return nil
	}
	v, err := branch.get(s)
	if err != nil {
		return err
	}
	c.out.CopyRows(v, s.rows)
	return nil
}

// coalesce is the first argument that is not null; the next one is computed
// for the rows that are still null.
type coalesce struct {
	args   []*node
	out    *vec.Vector
	scopes []scope
	rest   [2][]int32
}

func (c *coalesce) eval(s *scope) (*vec.Vector, error) {
	c.out.Resize(s.batch.N)
	at := s
	for i, a := range c.args {
		v, err := a.get(at)
		if err != nil {
			return nil, err
		}
		if i == 0 && v.Nulls == nil {
			return v, nil
		}
		last := i == len(c.args)-1
		if v.Nulls == nil || last {
			c.out.CopyRows(v, at.rows)
			break
		}
		found, null := c.rest[i&1][:0], []int32(nil)
		found, null = splitNulls(v, at.rows, found)
		c.rest[i&1] = found
		c.out.CopyRows(v, found)
		if len(null) == 0 {
			break
		}
		at = c.scopes[i].part(at, null)
	}
	return c.out, nil
}

// splitNulls puts the rows that are not null into found, and returns the null
// ones in the memory behind them.
func splitNulls(v *vec.Vector, rows, buf []int32) (found, null []int32) {
	for _, r := range rows {
		if !v.IsNull(int(r)) {
			buf = append(buf, r)
		}
	}
	n := len(buf)
	for _, r := range rows {
		if v.IsNull(int(r)) {
			buf = append(buf, r)
		}
	}
	return buf[:n:n], buf[n:]
}

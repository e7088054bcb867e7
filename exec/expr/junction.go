package expr

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// junction is AND, or OR, in three-valued logic. A term that is false (OR:
// true) decides a row, and later terms are not computed for it.
type junction struct {
	terms  []*node
	or     bool
	out    *vec.Vector
	scopes []scope
	rest   [2][]int32
}

func (j *junction) eval(s *scope) (*vec.Vector, error) {
	j.out.Resize(s.batch.N)
	for _, r := range s.rows {
		j.out.Bool[r] = !j.or
	}
	at := s
	for i, t := range j.terms {
		if len(at.rows) == 0 {
			break
		}
		v, err := t.get(at)
		if err != nil {
			return nil, err
		}
		open := j.decide(v, at.rows, j.rest[i&1][:0])
		j.rest[i&1] = open
		at = j.scopes[i].part(at, open)
	}
	return j.out, nil
}

// decide settles the rows that v decides and returns the others.
func (j *junction) decide(v *vec.Vector, rows, open []int32) []int32 {
	if v.Nulls == nil && j.out.Nulls == nil {
		return j.decideAll(v.Bool, rows, open)
	}
	for _, r := range rows {
		switch {
		case v.IsNull(int(r)):
			j.out.SetNull(int(r))
			open = append(open, r)
		case v.Bool[r] == j.or:
			j.out.Bool[r] = j.or
			j.out.ClearNull(int(r))
		default:
			open = append(open, r)
		}
	}
	return open
}

// decideAll is decide without nulls.
func (j *junction) decideAll(v []bool, rows, open []int32) []int32 {
	out, or := j.out.Bool, j.or
	open = slices.Grow(open, len(rows))[:len(rows)]
	n := 0
	for _, r := range rows {
		open[n] = r
		out[r] = v[r]
		if v[r] != or {
			n++
		}
	}
	return open[:n]
}

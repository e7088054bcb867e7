package op

import (
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/store"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// side is where rows of one input of a join are: in a batch (vs) or in state
// columns (kept). Rows are named by number; a negative one is all nulls.
type side struct {
	vs   []*vec.Vector
	kept []*store.Column
}

// append adds column col of the given rows to dst.
func (s side) append(dst *vec.Vector, col int, rows []int32) {
	if s.vs == nil {
		s.kept[col].AppendAll(dst, rows)
		return
	}
	v := s.vs[col]
	for _, r := range rows {
		if r < 0 {
			appendRows(dst, v, rows)
			return
		}
	}
	dst.AppendRows(v, rows, len(rows))
}

// appendRows is AppendRows with nulls for negative rows.
func appendRows(dst, v *vec.Vector, rows []int32) {
	for _, r := range rows {
		if r < 0 {
			dst.AppendNull()
		} else {
			dst.AppendFrom(v, int(r))
		}
	}
}

// pairs are candidates of a join: a row of the side that is looked at, one of
// the other side, and the number of the former among the rows looked at.
// They are in the order of item.
type pairs struct{ item, own, other []int32 }

func (p *pairs) reset() { p.item, p.own, p.other = p.item[:0], p.own[:0], p.other[:0] }

func (p *pairs) add(item int, own, other int32) {
	p.item, p.own, p.other = append(p.item, int32(item)), append(p.own, own), append(p.other, other)
}

func (p *pairs) move(to, from int) {
	p.item[to], p.own[to], p.other[to] = p.item[from], p.own[from], p.other[from]
}

func (p *pairs) cut(n int) { p.item, p.own, p.other = p.item[:n], p.own[:n], p.other[:n] }

// matcher leaves those pairs for which the rest of the join's condition is
// true. Only the columns that the condition reads are put together.
type matcher struct {
	filter *expr.Filter
	used   []int
	split  int // columns of the left side
	batch  *vec.Batch
	env    fn.Env
}

// newMatcher is nil without a condition: all pairs match.
func newMatcher(residual expr.Expr, inputs [][]types.Field, zone *time.Location) (*matcher, error) {
	if residual == nil {
		return nil, nil
	}
	f, err := expr.CompileFilter(residual)
	if err != nil {
		return nil, err
	}
	all := append(append([]types.Field(nil), inputs[0]...), inputs[1]...)
	return &matcher{filter: f, used: expr.Columns(residual), split: len(inputs[0]), batch: batchOf(all), env: fn.Env{Zone: zone}}, nil
}

// keep drops the pairs that do not match. swapped says that own is the right
// side.
func (m *matcher) keep(ctx *exec.Context, p *pairs, own, other side, swapped bool) error {
	if m == nil || len(p.own) == 0 {
		return nil
	}
	m.env.Now, m.env.Watermark = ctx.Now, ctx.Watermark
	n := 0
	for lo := 0; lo < len(p.own); lo += vec.MaxRows {
		hi := min(lo+vec.MaxRows, len(p.own))
		if swapped {
			m.load(other, p.other[lo:hi], own, p.own[lo:hi])
		} else {
			m.load(own, p.own[lo:hi], other, p.other[lo:hi])
		}
		sel, err := m.filter.Select(&m.env, m.batch)
		if err != nil {
			return err
		}
		for _, i := range sel {
			p.move(n, lo+int(i))
			n++
		}
	}
	p.cut(n)
	return nil
}

func (m *matcher) load(left side, leftRows []int32, right side, rightRows []int32) {
	m.batch.Reset()
	for _, c := range m.used {
		if c < m.split {
			left.append(m.batch.Cols[c], c, leftRows)
		} else {
			right.append(m.batch.Cols[c], c-m.split, rightRows)
		}
	}
	m.batch.N = len(leftRows)
}

// joined collects the output rows of a join by the numbers of their halves,
// and puts batches together column by column.
type joined struct {
	batch       *vec.Batch
	split       int // columns of the left side
	ops         []vec.Op
	left, right []int32
	inserts     bool // no other op yet
}

func newJoined(c Common) *joined {
	return &joined{batch: batchOf(c.Output), split: len(c.Inputs[0]), inserts: true}
}

func (j *joined) add(op vec.Op, left, right int32) {
	j.ops, j.left, j.right = append(j.ops, op), append(j.left, left), append(j.right, right)
	j.inserts = j.inserts && op == vec.Insert
}

func (j *joined) full() bool { return len(j.ops) >= vec.MaxRows }

// emit sends what was collected.
func (j *joined) emit(left, right side, out exec.Output) error {
	if len(j.ops) == 0 {
		return nil
	}
	b := j.batch
	b.Reset()
	for c, dst := range b.Cols {
		if c < j.split {
			left.append(dst, c, j.left)
		} else {
			right.append(dst, c-j.split, j.right)
		}
	}
	b.N, b.Ops, b.Sel = len(j.ops), j.ops, nil
	if j.inserts {
		b.Ops = nil
	}
	err := out.Emit(b)
	j.ops, j.left, j.right, j.inserts = j.ops[:0], j.left[:0], j.right[:0], true
	b.Ops = nil
	return err
}

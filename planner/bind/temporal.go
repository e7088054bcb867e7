package bind

import (
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// temporalJoin is a JOIN r FOR SYSTEM_TIME AS OF a.time ON …
func (b *Binder) temporalJoin(left *relation, t *ast.TableRef, j *ast.Join, s *scope) *relation {
	kind := joinKinds[j.Kind]
	if kind != op.Inner && kind != op.Left {
		fail(perr.New(j.Pos, "%s JOIN cannot take FOR SYSTEM_TIME AS OF", j.Kind).WithHint("use JOIN or LEFT JOIN: each row of the left side finds its version on the right"))
	}
	e := &env{b: b, s: &scope{rel: left, outer: s, ctes: s.ctes}, clause: "FOR SYSTEM_TIME AS OF"}
	time := e.expr(t.AsOf)
	if time.Type().Attr == types.NoTime {
		fail(perr.New(t.AsOf.Position(), "FOR SYSTEM_TIME AS OF needs a time attribute of the left side, and %s is none", time).WithHint("declare WATERMARK FOR it, or use a column that is PROCTIME()"))
	}
	plain := *t
	plain.AsOf = nil
	right := b.tableRef(&plain, s)
	n := &logical.TemporalJoin{Kind: kind, Left: left.plan, Right: right.plan, Time: time, Node: logical.Node{At: j.Pos}}
	r := beside(left, right)
	r.plan = sides(&logical.Join{Kind: kind, Left: left.plan, Right: right.plan})
	if j.On == nil {
		fail(perr.New(j.Pos, "a join with FOR SYSTEM_TIME AS OF needs ON").WithHint("compare the key of %s with =", t.Name))
	}
	n.Cond = b.on(r, j.On, s)
	n.Cols = temporalCols(n)
	r.plan = n
	r.retype()
	return r
}

// temporalCols are the columns of a temporal join: the times of the versions
// are no time attributes any more.
func temporalCols(n *logical.TemporalJoin) []types.Field {
	cols := joinCols(n.Kind, n.Left, n.Right)
	width := len(n.Left.Schema())
	return append(cols[:width:width], withoutTime(cols[width:])...)
}

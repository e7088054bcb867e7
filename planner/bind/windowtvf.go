package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

var windowKinds = map[string]op.WindowKind{"TUMBLE": op.Tumble, "HOP": op.Hop, "CUMULATE": op.Cumulate, "SESSION": op.Session}

// windowTVF binds TUMBLE(TABLE t, DESCRIPTOR(ts), …) and its like.
func (b *Binder) windowTVF(t *ast.WindowTVF, s *scope) *relation {
	in := b.tableArg(t.Input, s)
	e := &env{b: b, s: &scope{rel: in, ctes: s.ctes}, clause: t.Kind}
	time, ok := e.column(&ast.Column{Pos: t.TimeCol.Pos, Parts: []ast.Ident{t.TimeCol}}).(*expr.Column)
	if !ok {
		failf(t.TimeCol.Pos, "DESCRIPTOR must name a column of the table")
	}
	b.checkTimeAttribute(e, time, t.TimeCol.Pos, t.Kind)
	w := op.Window{Kind: windowKinds[t.Kind], Time: time.Index, Proctime: time.T.Attr == types.Proctime, LTZ: time.T.Kind == types.TimestampLTZ}
	b.windowSizes(e, t, &w)
	w.Partition = e.sessionPartition(t, w.Kind)
	n := &logical.Window{Input: in.plan, Window: w, Node: logical.Node{At: t.Pos}}
	n.Cols = append(append([]types.Field{}, in.plan.Schema()...), windowCols(time.T)...)
	r := relate(in.tables[0].name, n)
	for i, c := range in.tables[0].cols {
		r.tables[0].cols[i].name = c.name
	}
	return aliased(r, t.Alias)
}

func (b *Binder) tableArg(t ast.TableArg, s *scope) *relation {
	if t.Query != nil {
		return relate("", b.query(t.Query, s))
	}
	return b.tableRef(&ast.TableRef{Pos: t.Pos, Name: t.Name}, s)
}

// windowCols are the columns that a window adds.
func windowCols(time types.Type) []types.Field {
	bound := types.TimestampOf(3).Nullable(false)
	return []types.Field{
		{Name: "window_start", Type: bound}, {Name: "window_end", Type: bound}, {Name: "window_time", Type: time.Nullable(false)},
	}
}

func (b *Binder) windowSizes(e *env, t *ast.WindowTVF, w *op.Window) {
	constants := &env{b: b, s: &scope{}, clause: t.Kind}
	read := func(x ast.Expr, what string) int64 {
		if x == nil {
			failf(t.Pos, "%s needs %s", t.Kind, what)
		}
		return constants.duration(x, what)
	}
	switch w.Kind {
	case op.Tumble:
		w.Size = read(t.Size, "the size of the window")
	case op.Hop:
		w.Slide, w.Size = read(t.Slide, "the slide of the window"), read(t.Size, "the size of the window")
	case op.Cumulate:
		w.Slide, w.Size = read(t.Slide, "the step of the window"), read(t.Size, "the greatest size of the window")
	case op.Session:
		w.Size = read(t.Gap, "the gap of the session")
	}
	if t.Offset != nil {
		w.Offset = read(t.Offset, "the offset of the window")
	}
	checkWindow(*w, t.Pos)
}

// sessionPartition are the columns of PARTITION BY, which only SESSION has.
func (e *env) sessionPartition(t *ast.WindowTVF, kind op.WindowKind) []int {
	var cols []int
	for _, x := range t.Input.PartitionBy {
		if kind != op.Session {
			fail(perr.New(x.Position(), "%s takes no PARTITION BY", t.Kind).WithHint("put the columns into GROUP BY"))
		}
		c, ok := e.expr(x).(*expr.Column)
		if !ok {
			failf(x.Position(), "PARTITION BY of SESSION must name columns of the table")
		}
		cols = append(cols, c.Index)
	}
	return cols
}

// checkTimeAttribute refuses windows over a column that is no time attribute,
// and says why it is none.
func (b *Binder) checkTimeAttribute(e *env, x expr.Expr, pos ast.Pos, window string) {
	t := x.Type()
	if usesOuter(x) {
		failf(pos, "%s needs a time attribute of its own FROM, and %s is of the query around", window, x)
	}
	if t.Attr != types.NoTime {
		return
	}
	c, ok := x.(*expr.Column)
	if !ok {
		fail(perr.New(pos, "%s needs a time attribute, and %s is an expression", window, x).WithHint("declare WATERMARK FOR a column, and give that column to %s", window))
	}
	if !t.IsTimestamp() {
		fail(perr.New(pos, "%s needs a time attribute, but %q is of type %s", window, c.Name, t.Text()).WithHint("%s", timeHint(c.Name, t)))
	}
	if err := timeLost(e.s.rel.plan, c.Index, c.Name, pos); err != nil {
		fail(err)
	}
	fail(perr.New(pos, "%s needs a time attribute, but %q has no watermark", window, c.Name).WithHint("add WATERMARK FOR %s AS %s - INTERVAL '5' SECOND to its CREATE TABLE", c.Name, c.Name))
}

// timeHint says how to make a time attribute of a column.
func timeHint(name string, t types.Type) string {
	switch {
	case t.IsString():
		return "add to CREATE TABLE: row_time AS TO_TIMESTAMP(" + name + "), WATERMARK FOR row_time AS row_time - INTERVAL '5' SECOND"
	case t.Kind == types.BigInt:
		return "add to CREATE TABLE: row_time AS TO_TIMESTAMP_LTZ(" + name + ", 3), WATERMARK FOR row_time AS row_time - INTERVAL '5' SECOND"
	}
	return "declare WATERMARK FOR a column of type TIMESTAMP(3)"
}

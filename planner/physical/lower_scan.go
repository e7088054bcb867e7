package physical

import (
	"slices"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// scan lowers a scan with what its source takes of it; a Calc above does the
// rest.
func (l *lowerer) scan(p *logical.Scan) (*Node, error) {
	src, ct, err := openSource(p.Pos(), p.Table, l.cfg)
	if err != nil {
		return nil, err
	}
	s := &Scan{Table: p.Table, Source: src, Columns: p.Columns, Filter: p.Filter, Watermark: p.Watermark,
		Rowtime: p.Rowtime, RowtimeName: p.RowtimeName, IdleTimeout: l.cfg.IdleTimeout}
	s.scanOptions(ct.Options)
	if s.Columns == nil {
		s.Columns = allColumns(len(ct.Columns))
	}
	n := &Node{Op: s, At: p.Pos(), Output: schema(p), Parallelism: l.cfg.parallelism()}
	var filter expr.Expr
	var exprs []expr.Expr
	take := src.PushDown()
	switch {
	case !take.Projection:
		exprs = wholeColumns(n, s, ct)
	case src.Changelog() == connectors.Upsert:
		exprs = withKey(n, s, ct)
	}
	if s.Filter != nil && !take.Filter {
		filter, s.Filter = s.Filter, nil
	}
	if ct.Options.Given("scan.parallelism") && ct.Options.Int("scan.parallelism") > 0 {
		n.Parallelism = int(ct.Options.Int("scan.parallelism"))
	}
	l.sourceChanges(n, ct)
	n.rowtime = s.Rowtime
	if c, ok := s.Rowtime.(*expr.Column); ok {
		n.Output[c.Index].Type.Attr = types.Rowtime
	}
	n = l.add(n)
	if src.Changelog() == connectors.Upsert {
		if n, err = l.normalize(n, s, p); err != nil {
			return nil, err
		}
	}
	if filter != nil || exprs != nil {
		n = l.calc(n, p.Pos(), filter, exprs, p.Schema())
	}
	return n, nil
}

// scanOptions reads what the planner understands on every source.
func (s *Scan) scanOptions(o *connectors.Options) {
	if o.Given("scan.watermark.idle-timeout") {
		s.IdleTimeout = o.Duration("scan.watermark.idle-timeout")
	}
	s.OnEvent = o.Enum("scan.watermark.emit.strategy") == "on-event"
}

func allColumns(n int) [][]int {
	all := make([][]int, n)
	for i := range all {
		all[i] = []int{i}
	}
	return all
}

// wholeColumns makes n output every column of the table, and returns the
// expressions that the scan's paths are over them; nil if nothing changes.
func wholeColumns(n *Node, s *Scan, ct *connectors.Table) []expr.Expr {
	if isWhole(s.Columns, len(ct.Columns)) {
		return nil
	}
	exprs := make([]expr.Expr, len(s.Columns))
	for i, path := range s.Columns {
		exprs[i] = pathExpr(path, ct)
	}
	n.Output = nil
	for _, c := range ct.Columns {
		n.Output = append(n.Output, types.Field{Name: c.Name, Type: c.Type.WithAttr(types.NoTime)})
	}
	for _, x := range []*expr.Expr{&s.Filter, &s.Watermark, &s.Rowtime} {
		if *x != nil {
			*x = expr.Substitute(*x, exprs)
		}
	}
	s.Columns = allColumns(len(ct.Columns))
	return exprs
}

// withKey adds the primary key's columns that were left out, and returns the
// scan's own columns; nil if none was.
func withKey(n *Node, s *Scan, ct *connectors.Table) []expr.Expr {
	own := identity(n.Output)
	s.Columns = slices.Clone(s.Columns)
	for _, k := range ct.PrimaryKey {
		if positions(s.Columns, []int{k}) == nil {
			s.Columns = append(s.Columns, []int{k})
			n.Output = append(n.Output, types.Field{Name: ct.Columns[k].Name, Type: ct.Columns[k].Type})
		}
	}
	if len(n.Output) == len(own) {
		return nil
	}
	return own
}

func isWhole(paths [][]int, columns int) bool {
	return slices.EqualFunc(paths, allColumns(columns), func(a, b []int) bool { return slices.Equal(a, b) })
}

func pathExpr(path []int, ct *connectors.Table) expr.Expr {
	c := ct.Columns[path[0]]
	var x expr.Expr = &expr.Column{Index: path[0], Name: c.Name, T: c.Type}
	for _, f := range path[1:] {
		x = expr.FieldAt(x, f)
	}
	return x
}

// sourceChanges sets the changelog and the primary key, where the scan still
// holds all its columns.
func (l *lowerer) sourceChanges(n *Node, ct *connectors.Table) {
	s := n.Op.(*Scan)
	switch s.Source.Changelog() {
	case connectors.Append:
		n.Changes = Insert
	default:
		n.Changes = Every
	}
	if key := positions(s.Columns, ct.PrimaryKey); key != nil {
		n.Keys = [][]int{key}
	}
}

// positions finds whole columns among paths; nil if one is missing.
func positions(paths [][]int, columns []int) []int {
	var at []int
	for _, c := range columns {
		i := slices.IndexFunc(paths, func(p []int) bool { return len(p) == 1 && p[0] == c })
		if i < 0 {
			return nil
		}
		at = append(at, i)
	}
	return at
}

// normalize completes an upsert source. The rules keep its primary key among
// the columns.
func (l *lowerer) normalize(n *Node, s *Scan, p *logical.Scan) (*Node, error) {
	if len(n.Keys) == 0 {
		return nil, perr.New(p.Pos(), "table %s is an upsert stream and needs a PRIMARY KEY", s.Table.Path.Name)
	}
	// A filter below would lose the deletion of a row that no longer passes.
	filter := s.Filter
	if filter != nil {
		c := *s
		c.Filter = nil
		n = l.add(&Node{Op: &c, At: n.At, Output: n.Output, Changes: n.Changes, Keys: n.Keys, Parallelism: n.Parallelism, rowtime: n.rowtime})
	}
	key := n.Keys[0]
	norm := l.add(&Node{Op: &ChangelogNormalize{op.NormalizeSpec{Keys: key, TTL: l.cfg.StateTTL}}, At: n.At,
		Inputs: []Input{{Node: n, Exchange: exec.Hash, Key: key}}, Output: n.Output, Changes: Every, Keys: n.Keys, rowtime: n.rowtime})
	if filter != nil {
		norm = l.calc(norm, n.At, filter, nil, norm.Output)
	}
	return norm, nil
}

// watermark lowers a watermark that the rules could not push into a scan.
func (l *lowerer) watermark(p *logical.Watermark) (*Node, error) {
	return nil, perr.NotYet(p.Pos(), "WATERMARK on a table that is no plain scan")
}

// values lowers a constant table: one row a time, in order.
func (l *lowerer) values(p *logical.Values) (*Node, error) {
	n := &Node{Op: &Values{Rows: p.Rows}, At: p.Pos(), Output: schema(p), Changes: Insert, Single: true}
	if len(p.Rows) <= 1 {
		n.Keys = [][]int{{}}
	}
	return l.add(n), nil
}

package build

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// source opens a scan.
func (b *builder) source(n *physical.Node, s *physical.Scan) (*exec.SourceNode, error) {
	scan := connectors.Scan{Output: n.Output, Filter: s.Filter, Always: always(s), Parallelism: n.Parallelism}
	for _, path := range s.Columns {
		scan.Columns = append(scan.Columns, connectors.Path(path))
	}
	src, err := s.Source.Scan(scan)
	if err != nil {
		return nil, err
	}
	b.sum.Sources = append(b.sum.Sources, summary(n, s))
	b.sum.Bounded = b.sum.Bounded && s.Source.Bounded()
	node := &exec.SourceNode{Source: src, IdleTimeout: s.IdleTimeout, OnEvent: s.OnEvent, Bounded: s.Source.Bounded()}
	if s.Watermark != nil || checksNulls(s) {
		node.Watermark = func() (exec.WatermarkGenerator, error) { return newGenerator(s, b.plan.Config.Zone) }
	}
	return node, nil
}

func summary(n *physical.Node, s *physical.Scan) Source {
	sum := Source{UID: n.UID, Table: s.Table.Path.Name, Describe: s.Source.Describe(), Bounded: s.Source.Bounded()}
	if s.Watermark != nil {
		sum.Watermark, sum.IdleTimeout = s.Watermark.String(), s.IdleTimeout
	}
	return sum
}

// always are the columns that the watermark needs of every row.
func always(s *physical.Scan) []int {
	var xs []expr.Expr
	if s.Watermark != nil {
		xs = append(xs, s.Watermark, s.Rowtime)
	}
	return expr.Columns(xs...)
}

// checksNulls: without a watermark the event time is still checked where it
// is read anyway.
func checksNulls(s *physical.Scan) bool {
	_, plain := s.Rowtime.(*expr.Column)
	return plain
}

// generator computes watermarks, and refuses rows without an event time.
type generator struct {
	program *expr.Program
	env     fn.Env
	table   string
	column  string
	emits   bool // a watermark, not only the check
	row     int64
	none    vec.Vector
	all     vec.Batch
}

func newGenerator(s *physical.Scan, zone *time.Location) (*generator, error) {
	g := &generator{table: s.Table.Path.Name, column: s.RowtimeName, emits: s.Watermark != nil, env: fn.Env{Zone: zone}}
	xs := []expr.Expr{s.Rowtime}
	if g.emits {
		xs = append(xs, s.Watermark)
	}
	p, err := expr.Compile(xs, expr.Options{})
	g.program = p
	return g, err
}

// Eval looks at every row, selected or not: a row that a filter drops still
// moves the watermark. Only a selected one must have a time.
func (g *generator) Eval(b *vec.Batch) (*vec.Vector, error) {
	g.all = vec.Batch{Cols: b.Cols, N: b.N}
	if !g.emits {
		g.all.Sel = b.Sel
	}
	out, err := g.program.Eval(&g.env, &g.all)
	if err != nil {
		return nil, err
	}
	if out[0].Nulls != nil {
		for _, r := range b.Rows() {
			if out[0].IsNull(int(r)) {
				return nil, exec.Fatal(fmt.Errorf("event time column %q of table %s is null in row %d; filter such rows out, or give the column a value with COALESCE in a computed column", g.column, g.table, g.row+int64(r)+1))
			}
		}
	}
	g.row += int64(b.N)
	if g.emits {
		return out[1], nil
	}
	return g.noWatermark(b.N), nil
}

// noWatermark is n nulls.
func (g *generator) noWatermark(n int) *vec.Vector {
	for g.none.Len() < n {
		g.none.AppendNull()
	}
	return &g.none
}

// Package logical is the relational algebra that a query is bound to, and
// that the rules rewrite.
package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// Plan is a node of the algebra. The set is closed. Nodes are immutable; a
// rule makes new ones with With.
type Plan interface {
	// Schema are the output columns; types carry time attributes.
	Schema() []types.Field
	Inputs() []Plan
	// With returns a copy on other inputs of the same schema.
	With(inputs ...Plan) Plan
	// Pos is where the text that made the node begins, for messages.
	Pos() ast.Pos
	plan()
}

// Node holds what all nodes share; embed it.
type Node struct {
	Cols []types.Field
	At   ast.Pos
}

func (n *Node) Schema() []types.Field { return n.Cols }
func (n *Node) Pos() ast.Pos          { return n.At }
func (n *Node) plan()                 {}

// Scan reads the physical and metadata columns of a catalog table, in
// declared order; the binder puts a Project for computed columns and a
// Watermark above it. Rules fill Columns and Filter.
type Scan struct {
	Node
	Table   *catalog.Table
	Columns [][]int   // pushed-down paths; nil: all columns
	Filter  expr.Expr // pushed-down, over Cols
	// Watermark and Rowtime (its event time) are pushed-down, over Cols; nil:
	// none. RowtimeName is the column's name, for messages.
	Watermark   expr.Expr
	Rowtime     expr.Expr
	RowtimeName string
}

// Watermark declares column Time as the row time, with the watermark
// expression Expr over the input's columns.
type Watermark struct {
	Node
	Input Plan
	Time  int
	Expr  expr.Expr
}

// Values is a constant table. Rows hold constant expressions.
type Values struct {
	Node
	Rows [][]expr.Expr
}

// Project computes a column each.
type Project struct {
	Node
	Input Plan
	Exprs []expr.Expr
}

// Filter keeps the rows for which Cond is true.
type Filter struct {
	Node
	Input Plan
	Cond  expr.Expr
}

// Window is a window table function: it adds window_start, window_end and
// window_time.
type Window struct {
	Node
	Input  Plan
	Window op.Window
}

// AggCall is an aggregate over columns of the input.
type AggCall struct {
	Fn       *fn.Aggregate
	Bound    *fn.BoundAgg
	Args     []int
	Distinct bool
	Filter   int // BOOLEAN column; −1: none
	Name     string
	At       ast.Pos
}

// Aggregate groups by the columns Keys. With GroupWindow it is a legacy
// group window (TUMBLE(ts, i) in GROUP BY). Output: keys, aggregates,
// properties of the group window. GROUPING SETS are an Expand below.
type Aggregate struct {
	Node
	Input       Plan
	Keys        []int
	Aggs        []AggCall
	GroupWindow *op.Window
	Properties  []op.WindowProperty
}

// Expand emits a row once per list of expressions (GROUPING SETS).
type Expand struct {
	Node
	Input    Plan
	Projects [][]expr.Expr
}

// Join is any join; Cond is over left and right columns together, nil for a
// cross join. Semi and Anti output the left columns only; NotIn marks an Anti
// join made from NOT IN.
type Join struct {
	Node
	Kind        op.JoinKind
	Left, Right Plan
	Cond        expr.Expr
	NotIn       bool
}

// TemporalJoin is FOR SYSTEM_TIME AS OF a time attribute of the left side.
type TemporalJoin struct {
	Node
	Kind        op.JoinKind
	Left, Right Plan
	Time        expr.Expr // over the left columns
	Cond        expr.Expr
}

// OverCall is one function with OVER.
type OverCall struct {
	Name     string // upper case
	Bound    *fn.BoundAgg
	Args     []expr.Expr // over the input's columns
	Distinct bool
	T        types.Type
	At       ast.Pos
}

// Over adds a column for each call; all calls share one specification.
type Over struct {
	Node
	Input     Plan
	Partition []int
	Order     []op.SortKey
	Rows      bool
	Preceding expr.Expr // nil: unbounded; a row count, or an interval in ms
	Bounded   bool      // the end of the frame is the current row in any case
	Calls     []OverCall
}

// Rank is a Top-N: rules make it from a filter over ROW_NUMBER.
type Rank struct {
	Node
	Input      Plan
	Partition  []int
	Order      []op.SortKey
	From, To   int64
	OutputRank bool
}

// Sort orders; with Limit ≥ 0 or Offset > 0 it is ORDER BY … LIMIT.
type Sort struct {
	Node
	Input  Plan
	Keys   []op.SortKey
	Offset int64
	Limit  int64 // −1: none
}

// SetKind is the kind of a set operation.
type SetKind uint8

const (
	Union SetKind = iota
	Intersect
	Except
)

// SetOp combines inputs of equal types; columns are named by the first.
type SetOp struct {
	Node
	Kind SetKind
	All  bool
	In   []Plan
}

// Unnest is CROSS/LEFT JOIN UNNEST(collection).
type Unnest struct {
	Node
	Input      Plan
	Collection expr.Expr
	Outer      bool
	Ordinality bool
}

// Sink is INSERT INTO.
type Sink struct {
	Node
	Input Plan
	Table *catalog.Table
	// OnConflict is "", "ERROR", "NOTHING" or "DEDUPLICATE": what ON CONFLICT
	// says of rows of one key.
	OnConflict string
}

func (n *Scan) Inputs() []Plan         { return nil }
func (n *Values) Inputs() []Plan       { return nil }
func (n *Watermark) Inputs() []Plan    { return []Plan{n.Input} }
func (n *Project) Inputs() []Plan      { return []Plan{n.Input} }
func (n *Filter) Inputs() []Plan       { return []Plan{n.Input} }
func (n *Window) Inputs() []Plan       { return []Plan{n.Input} }
func (n *Aggregate) Inputs() []Plan    { return []Plan{n.Input} }
func (n *Expand) Inputs() []Plan       { return []Plan{n.Input} }
func (n *Join) Inputs() []Plan         { return []Plan{n.Left, n.Right} }
func (n *TemporalJoin) Inputs() []Plan { return []Plan{n.Left, n.Right} }
func (n *Over) Inputs() []Plan         { return []Plan{n.Input} }
func (n *Rank) Inputs() []Plan         { return []Plan{n.Input} }
func (n *Sort) Inputs() []Plan         { return []Plan{n.Input} }
func (n *SetOp) Inputs() []Plan        { return n.In }
func (n *Unnest) Inputs() []Plan       { return []Plan{n.Input} }
func (n *Sink) Inputs() []Plan         { return []Plan{n.Input} }

func (n *Scan) With(...Plan) Plan            { return n }
func (n *Values) With(...Plan) Plan          { return n }
func (n *Watermark) With(in ...Plan) Plan    { c := *n; c.Input = in[0]; return &c }
func (n *Project) With(in ...Plan) Plan      { c := *n; c.Input = in[0]; return &c }
func (n *Filter) With(in ...Plan) Plan       { c := *n; c.Input = in[0]; return &c }
func (n *Window) With(in ...Plan) Plan       { c := *n; c.Input = in[0]; return &c }
func (n *Aggregate) With(in ...Plan) Plan    { c := *n; c.Input = in[0]; return &c }
func (n *Expand) With(in ...Plan) Plan       { c := *n; c.Input = in[0]; return &c }
func (n *Join) With(in ...Plan) Plan         { c := *n; c.Left, c.Right = in[0], in[1]; return &c }
func (n *TemporalJoin) With(in ...Plan) Plan { c := *n; c.Left, c.Right = in[0], in[1]; return &c }
func (n *Over) With(in ...Plan) Plan         { c := *n; c.Input = in[0]; return &c }
func (n *Rank) With(in ...Plan) Plan         { c := *n; c.Input = in[0]; return &c }
func (n *Sort) With(in ...Plan) Plan         { c := *n; c.Input = in[0]; return &c }
func (n *SetOp) With(in ...Plan) Plan        { c := *n; c.In = in; return &c }
func (n *Unnest) With(in ...Plan) Plan       { c := *n; c.Input = in[0]; return &c }
func (n *Sink) With(in ...Plan) Plan         { c := *n; c.Input = in[0]; return &c }

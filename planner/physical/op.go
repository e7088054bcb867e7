package physical

import (
	"time"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// Op is what a node does: one struct a kind, most of them around exec/op's
// specification. The set is closed. The Common part of the specifications is
// filled in by package build.
type Op interface {
	// kind is the name that EXPLAIN prints.
	kind() string
}

// Scan reads a table.
type Scan struct {
	Table  *catalog.Table
	Source connectors.SourceTable
	// Columns are paths over the table's physical and metadata columns.
	Columns [][]int
	Filter  expr.Expr // pushed down; over the output
	// Watermark makes the watermark of a row from the output columns, nil:
	// none. Rowtime is the event time itself, checked for nulls; RowtimeName
	// is its column's.
	Watermark   expr.Expr
	Rowtime     expr.Expr
	RowtimeName string
	IdleTimeout time.Duration
	OnEvent     bool
}

// Values is a constant table.
type Values struct{ Rows [][]expr.Expr }

// Calc filters and projects.
type Calc struct{ op.CalcSpec }

// GroupAggregate is an updating aggregation, also DISTINCT.
type GroupAggregate struct{ op.GroupAggSpec }

// WindowAggregate aggregates per key and window. Legacy is set for a group
// window (TUMBLE in GROUP BY).
type WindowAggregate struct {
	op.WindowAggSpec
	Legacy bool
}

// WindowTableFunction assigns windows to rows.
type WindowTableFunction struct{ op.WindowTableSpec }

// Join is a regular join: both sides are kept.
type Join struct {
	op.JoinSpec
	NotIn bool
}

// IntervalJoin joins rows whose times are close.
type IntervalJoin struct{ op.IntervalJoinSpec }

// WindowJoin joins rows of equal windows.
type WindowJoin struct{ op.WindowJoinSpec }

// TemporalJoin joins with the version of a row's time.
type TemporalJoin struct{ op.TemporalJoinSpec }

// Rank is a Top-N, also ORDER BY … LIMIT and LIMIT (SortLimit, Limit).
type Rank struct {
	op.TopNSpec
	Name string
}

// WindowRank is a Top-N per window.
type WindowRank struct{ op.WindowTopNSpec }

// Deduplicate keeps the first or last row of a key.
type Deduplicate struct{ op.DeduplicateSpec }

// ChangelogNormalize completes an upsert stream.
type ChangelogNormalize struct{ op.NormalizeSpec }

// TemporalSort orders by row time.
type TemporalSort struct{ op.TemporalSortSpec }

// OverAggregate computes OVER windows.
type OverAggregate struct{ op.OverSpec }

// Expand emits each row once per grouping set.
type Expand struct{ op.ExpandSpec }

// Unnest expands a collection.
type Unnest struct{ op.UnnestSpec }

// Union passes all inputs on.
type Union struct{ op.UnionSpec }

// DropUpdateBefore removes -U.
type DropUpdateBefore struct{ op.DropUpdateBeforeSpec }

// NotNull checks NOT NULL columns before a sink.
type NotNull struct{ op.NotNullSpec }

// UpsertChanges makes upserts of a stream with -U, before an upsert sink.
type UpsertChanges struct{ op.UpsertChangesSpec }

// Replicate repeats rows (INTERSECT ALL, EXCEPT ALL).
type Replicate struct{ op.ReplicateSpec }

// Sink writes to a table.
type Sink struct {
	Table *catalog.Table
	Sink  connectors.SinkTable
	// Key is the primary key, of the input's columns; nil: none.
	Key []int
}

// Collect hands the rows of a SELECT to the session.
type Collect struct{}

func (*Scan) kind() string   { return "TableSourceScan" }
func (*Values) kind() string { return "Values" }
func (*Calc) kind() string   { return "Calc" }
func (*GroupAggregate) kind() string {
	return "GroupAggregate"
}
func (o *WindowAggregate) kind() string {
	if o.Legacy {
		return "GroupWindowAggregate"
	}
	return "WindowAggregate"
}
func (*WindowTableFunction) kind() string { return "WindowTableFunction" }
func (*Join) kind() string                { return "Join" }
func (*IntervalJoin) kind() string        { return "IntervalJoin" }
func (*WindowJoin) kind() string          { return "WindowJoin" }
func (*TemporalJoin) kind() string        { return "TemporalJoin" }
func (o *Rank) kind() string              { return o.Name }
func (*WindowRank) kind() string          { return "WindowRank" }
func (*Deduplicate) kind() string         { return "Deduplicate" }
func (*ChangelogNormalize) kind() string  { return "ChangelogNormalize" }
func (*TemporalSort) kind() string        { return "TemporalSort" }
func (*OverAggregate) kind() string       { return "OverAggregate" }
func (*Expand) kind() string              { return "Expand" }
func (*Unnest) kind() string              { return "Correlate" }
func (*Union) kind() string               { return "Union" }
func (*DropUpdateBefore) kind() string    { return "DropUpdateBefore" }
func (*NotNull) kind() string             { return "ConstraintEnforcer" }
func (*UpsertChanges) kind() string       { return "UpsertChanges" }
func (*Replicate) kind() string           { return "ReplicateRows" }
func (*Sink) kind() string                { return "Sink" }
func (*Collect) kind() string             { return "Collect" }

// Package op holds the operators: one file each, named after it. A
// specification below is all that an operator is made from; package
// planner/build fills it from the physical plan, and EXPLAIN prints the plan's
// node that it came from.
package op

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Common is what every operator knows.
type Common struct {
	Inputs [][]types.Field // the columns of each input
	Output []types.Field
	Zone   *time.Location
}

// CalcSpec filters (Filter, nil: all rows pass), then projects (Exprs over the
// input columns; nil: all columns as they are).
type CalcSpec struct {
	Common
	Filter expr.Expr
	Exprs  []expr.Expr
}

// AggCall is one aggregate of an aggregation.
type AggCall struct {
	Name     string // for printing
	Bound    *fn.BoundAgg
	Args     []int // input columns, of Bound.Params' types
	Distinct bool
	Filter   int // BOOLEAN input column; −1: none
}

// GroupAggSpec is an updating aggregation (also DISTINCT, with no Aggs).
// Output: keys, then aggregates.
type GroupAggSpec struct {
	Common
	Keys         []int
	Aggs         []AggCall
	InputRetract bool // the input may carry -U and -D
	EmitBefore   bool // consumers need -U
	TTL          time.Duration
}

// WindowKind is the kind of a window.
type WindowKind uint8

const (
	Tumble WindowKind = iota
	Hop
	Cumulate
	Session
)

func (k WindowKind) String() string { return [...]string{"TUMBLE", "HOP", "CUMULATE", "SESSION"}[k] }

// Window is a window specification, all durations in milliseconds. Offset may
// be negative.
type Window struct {
	Kind      WindowKind
	Size      int64 // Tumble, Hop; Cumulate's greatest size; Session's gap
	Slide     int64 // Hop's slide, Cumulate's step
	Offset    int64
	Partition []int // Session's partition columns
	// Proctime windows use processing time instead of Time.
	Proctime bool
	Time     int // the time attribute's input column
	// LTZ time attributes are shifted into the session zone before windows are
	// assigned (day windows begin at local midnight).
	LTZ bool
}

// WindowTableSpec assigns windows (the table function on its own): each row
// once per window, with window_start, window_end (TIMESTAMP(3)) and window_time
// appended. Rows are never dropped as late; Session is refused here by build.
type WindowTableSpec struct {
	Common
	Window Window
}

// WindowProperty is a column that a window aggregation adds.
type WindowProperty uint8

const (
	WindowStart WindowProperty = iota
	WindowEnd
	WindowTime    // end − 1 ms, a time attribute
	WindowProcess // legacy *_PROCTIME
)

// WindowAggSpec aggregates per key and window and emits when the watermark
// (or processing time) passes the window's end. Output: keys, aggregates,
// properties.
type WindowAggSpec struct {
	Common
	Keys []int
	Aggs []AggCall
	// Window assigns the windows; nil: the rows have been assigned already,
	// and StartCol and EndCol are their input columns (windows over windows,
	// aggregation above a join of windows). StartCol may be −1.
	Window           *Window
	StartCol, EndCol int
	// LTZ: the windows that were assigned already are those of a TIMESTAMP_LTZ
	// time attribute (Window nil).
	LTZ          bool
	Properties   []WindowProperty
	InputRetract bool
}

// JoinKind is the kind of a join.
type JoinKind uint8

const (
	Inner JoinKind = iota
	Left
	Right
	Full
	Semi
	Anti
)

func (k JoinKind) String() string {
	return [...]string{"InnerJoin", "LeftOuterJoin", "RightOuterJoin", "FullOuterJoin", "LeftSemiJoin", "LeftAntiJoin"}[k]
}

// JoinSpec is a regular join: both sides are kept. Keys are pairwise of equal
// type. Residual over the columns of left and right together, or nil.
// Output: left columns, then right ones (left only for Semi and Anti).
type JoinSpec struct {
	Common
	Kind                JoinKind
	LeftKeys, RightKeys []int
	// NullAware: the pair i of keys matches nulls too (IS NOT DISTINCT FROM).
	NullAware []bool
	Residual  expr.Expr
	// AntiNotIn: NOT IN semantics of an Anti join (a null on either side keeps
	// nothing that could match it).
	LeftRetract, RightRetract bool
	// LeftUnique / RightUnique: the join key contains a unique key of the side.
	LeftUnique, RightUnique bool
	EmitBefore              bool
	LeftTTL, RightTTL       time.Duration
}

// IntervalJoinSpec joins rows whose times satisfy
// left.time BETWEEN right.time + Lower AND right.time + Upper (ms).
type IntervalJoinSpec struct {
	Common
	Kind                JoinKind // Inner, Left, Right, Full
	LeftKeys, RightKeys []int
	LeftTime, RightTime int
	Lower, Upper        int64
	Residual            expr.Expr
	Proctime            bool
}

// WindowJoinSpec joins rows of equal windows when the window closes.
type WindowJoinSpec struct {
	Common
	Kind                JoinKind
	LeftKeys, RightKeys []int // without the window columns
	LeftEnd, RightEnd   int   // window_end columns
	LTZ                 bool  // the windows are those of a TIMESTAMP_LTZ time attribute
	Residual            expr.Expr
}

// TemporalJoinSpec joins each left row with the version of the right side
// valid at the left row's time (event time).
type TemporalJoinSpec struct {
	Common
	Kind                JoinKind // Inner, Left
	LeftKeys, RightKeys []int
	LeftTime, RightTime int
	Residual            expr.Expr
	Proctime            bool
}

// SortKey is one column of an order.
type SortKey struct {
	Col       int
	Desc      bool
	NullsLast bool // resolved: Flink's default is nulls first ascending, last descending
}

// TopNSpec keeps ranks From…To (1-based, inclusive) of each partition.
// Output: input columns, then the rank (BIGINT) if OutputRank. Strategy is the
// planner's: an input with retractions needs all rows.
type TopNSpec struct {
	Common
	Partition    []int
	Order        []SortKey
	From, To     int64
	OutputRank   bool
	InputRetract bool
	UpsertKey    []int // unique key of an updating input without -U; nil: none
	EmitBefore   bool
	TTL          time.Duration
	// Limit: the operator is ORDER BY … LIMIT or LIMIT (no partition).
}

// WindowTopNSpec is Top-N per window, emitted when the window closes.
type WindowTopNSpec struct {
	Common
	Partition        []int // without the window columns
	StartCol, EndCol int
	LTZ              bool // windows of a TIMESTAMP_LTZ time attribute
	Order            []SortKey
	From, To         int64
	OutputRank       bool
}

// DeduplicateSpec keeps the first or last row of each key by time.
type DeduplicateSpec struct {
	Common
	Keys       []int
	Time       int // time attribute column
	Proctime   bool
	KeepLast   bool
	EmitBefore bool
	TTL        time.Duration
	// OutputRank appends the constant rank 1 (BIGINT).
	OutputRank bool
}

// NormalizeSpec turns an upsert stream into a complete changelog
// (ChangelogNormalize).
type NormalizeSpec struct {
	Common
	Keys       []int
	EmitBefore bool
	TTL        time.Duration
}

// TemporalSortSpec is ORDER BY on a rowtime column ascending, then other
// columns: rows leave in order when the watermark passes.
type TemporalSortSpec struct {
	Common
	Time  int
	Order []SortKey // the further columns
}

// OverCall is one function of an OVER window.
type OverCall struct {
	Name  string
	Bound *fn.BoundAgg // nil for ROW_NUMBER, RANK, DENSE_RANK, LAG, LEAD … (by Name)
	Args  []int
	// Offset and Default of LAG and LEAD.
	Offset  int64
	Default expr.Expr
	// Distinct aggregates.
	Distinct bool
}

// OverSpec computes OVER windows. Output: input columns, then calls.
type OverSpec struct {
	Common
	Partition []int
	Order     []SortKey
	Time      int  // the rowtime column ordered by; −1: ordered by Order (updating)
	Proctime  bool // arrival order
	Rows      bool // ROWS, else RANGE
	// Preceding: rows, or ms for RANGE; −1: unbounded.
	Preceding    int64
	Calls        []OverCall
	EmitBefore   bool
	InputRetract bool
}

// ExpandSpec emits each row once per grouping set: Projects are lists of
// expressions over the input columns.
type ExpandSpec struct {
	Common
	Projects [][]expr.Expr
}

// UnnestSpec expands an array, map or multiset column. Output: input
// columns, then element columns, then ordinality (INT) if asked. Outer keeps
// rows with nothing to expand.
type UnnestSpec struct {
	Common
	Collection expr.Expr
	Outer      bool
	Ordinality bool
}

// UnionSpec passes the rows of all inputs on.
type UnionSpec struct{ Common }

// DropUpdateBeforeSpec removes -U rows.
type DropUpdateBeforeSpec struct{ Common }

// WatermarkSpec makes watermarks in the middle of a graph, where the source
// cannot: rows are passed on, watermarks of the input dropped.
type WatermarkSpec struct {
	Common
	Watermark expr.Expr
	Time      int
}

// NotNullSpec checks columns that must not be null before a sink: a null
// fails the job, naming table, column and row, or with Drop the row is left
// out.
type NotNullSpec struct {
	Common
	Columns []int
	Table   string
	Drop    bool
}

// ReplicateSpec emits each row as often as the BIGINT column Count says.
type ReplicateSpec struct {
	Common
	Count int
}

// UpsertChangesSpec makes upserts of a stream with -U: a -U that its +U of the
// same Key follows is dropped, any other is a -D.
type UpsertChangesSpec struct {
	Common
	Key []int
}

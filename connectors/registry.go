// Package connectors is the contract between the planner and the sources and
// sinks of the engine: descriptors, options, and the registry that each
// connector package fills in init. Formats have a registry of their own in
// connectors/format.
package connectors

import (
	"fmt"
	"sort"
	"time"

	"github.com/sqlstream/sqlstream/exec"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Connector describes one value of the option 'connector'.
type Connector struct {
	Name     string
	Doc      string
	Options  []Option // also prints the help and refuses unknown keys
	Metadata []Metadata
	// Formats says that 'format', 'value.format' and 'key.format' choose
	// formats, whose options (with prefix) are accepted too.
	Formats bool
	// Source opens the table for reading, Sink for writing; nil: it cannot.
	// Options have been checked against the table above; what depends on
	// several options or on the schema is theirs to check. No network or disk
	// is touched before exec calls Splits or Writer.
	Source func(*Table) (SourceTable, error)
	Sink   func(*Table) (SinkTable, error)
	// Settler looks after the transactions of an exactly-once sink of a
	// stopped or running job, for `txn`; nil: the connector lacks that.
	Settler func(SinkRef) (Settler, error)
	// Position makes a split's position readable, for `checkpoint show` and
	// export; nil: it is shown in hexadecimal digits.
	Position func([]byte) (string, bool)
}

// Metadata is a column that a connector offers by METADATA FROM 'Key'.
type Metadata struct {
	Key      string
	Type     types.Type
	Readable bool
	Writable bool
	Doc      string
}

// Table is a table as its connector sees it: physical and metadata columns
// in declared order; computed columns are the planner's.
type Table struct {
	Name          string // as the user wrote it, for messages
	Columns       []Column
	PrimaryKey    []int // of Columns; nil: none
	PartitionedBy []int
	Options       *Options
	Env           Env
}

// Column is a physical column, or a metadata one.
type Column struct {
	Name     string
	Type     types.Type
	Metadata string // key; "": physical
	Virtual  bool   // metadata column that is read but never written
	// Rowtime marks the column that the query's row time comes from, for sinks.
	Rowtime bool
}

// Env is what the session says to every connector.
type Env struct {
	JobName            string
	Zone               *time.Location // table.local-time-zone
	CheckpointInterval time.Duration  // 0: none
	MaxConcurrent      int            // checkpoints in flight
}

// Changelog is the kind of changes a stream carries.
type Changelog uint8

const (
	// Append: inserts only.
	Append Changelog = iota
	// Upsert: +I/+U by primary key and -D; no -U.
	Upsert
	// Retract: any of +I -U +U -D.
	Retract
)

func (c Changelog) String() string { return [...]string{"append-only", "upsert", "retract"}[c] }

// SourceTable is a table opened for reading.
type SourceTable interface {
	// Changelog is what the source produces; Upsert is followed by a
	// ChangelogNormalize on the primary key.
	Changelog() Changelog
	Bounded() bool
	// PushDown says which parts of a Scan the source takes.
	PushDown() PushDown
	// Scan makes the source of one scan.
	Scan(Scan) (exec.Source, error)
	// Describe is the source in words for the start line ("topic flights, from
	// the earliest offset, read_committed").
	Describe() string
}

// PushDown lists what a source does itself.
type PushDown struct {
	Projection bool // Scan.Columns may be any paths; else all columns, in order
	Filter     bool // Scan.Filter is evaluated by the source
}

// Scan is what the planner asks of a source.
type Scan struct {
	// Columns are the output columns, in order. A path leads into ROW columns:
	// {2} is column 2 of the table, {2, 0} its first field.
	Columns []Path
	// Output are their names and types (nullable where a row on the path is).
	Output []types.Field
	// Filter over the output columns, or nil: rows that do not pass are left
	// out of Sel.
	Filter expr.Expr
	// Always are the output columns that must be decoded for every row, also
	// those that Filter drops: the watermark needs them.
	Always []int
	// Parallelism of the scan.
	Parallelism int
}

// Path is a column of a table and fields inside it.
type Path []int

// SinkTable is a table opened for writing. Batches given to its writers hold
// the table's columns but for virtual metadata, in declared order.
type SinkTable interface {
	// Accepts: a query that produces more is refused when planned.
	Accepts() Changelog
	Guarantee() exec.Guarantee
	// Promise is the guarantee in words ("exactly-once by Kafka transactions;
	// read_committed consumers see rows every 10 s").
	Promise() string
	// Sink makes the sink of a job (with ExactlyOnce an
	// exec.TwoPhaseCommitSink).
	Sink() (exec.Sink, error)
	// Parallelism is sink.parallelism, 0 if it was not set.
	Parallelism() int
}

var registry = map[string]*Connector{}

// Register adds a connector; from init only. It panics on a name that is
// taken.
func Register(c *Connector) {
	if registry[c.Name] != nil {
		panic(fmt.Sprintf("connectors: %s registered twice", c.Name))
	}
	registry[c.Name] = c
}

// Lookup finds a connector by the value of 'connector'.
func Lookup(name string) (*Connector, bool) {
	c, ok := registry[name]
	return c, ok
}

// All returns the connectors by name.
func All() []*Connector {
	all := make([]*Connector, 0, len(registry))
	for _, c := range registry {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

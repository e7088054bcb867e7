package ast

// Statement is one statement of a job file.
type Statement interface {
	Node
	// SourceText is the statement as written, without the semicolon, from Position on.
	SourceText() string
	statement()
}

// Source is embedded in every statement: where it stands and how it was written.
type Source struct {
	Pos
	Text string
}

// SourceText returns the statement as written.
func (s Source) SourceText() string { return s.Text }

func (Source) statement() {}

// QueryStmt is a query that stands alone.
type QueryStmt struct {
	Source
	Query Query
}

// Insert is [EXECUTE] INSERT INTO|OVERWRITE.
type Insert struct {
	Source
	Overwrite bool
	Target    TableRef // name and hints; no alias
	Partition []PartitionValue
	Columns   []Ident // nil: all, in order
	Query     Query   // *Values too
	// OnConflict is "", "ERROR", "NOTHING" or "DEDUPLICATE".
	OnConflict string
}

// PartitionValue is k = v, or only k, of INSERT … PARTITION (…).
type PartitionValue struct {
	Name  Ident
	Value Expr // nil: dynamic
}

// StatementSet is several INSERTs that run as one job, in either syntax.
type StatementSet struct {
	Source
	Inserts []*Insert
}

// Explain is EXPLAIN [details] statement. Stmt is a *QueryStmt, *Insert, *StatementSet or *CreateTable with a query.
type Explain struct {
	Source
	// Details in upper case, as written: CHANGELOG_MODE, PLAN_ADVICE, JSON_EXECUTION_PLAN, ESTIMATED_COST.
	Details []string
	Stmt    Statement
}

// ExplainJob is EXPLAIN [ANALYZE] JOB 'id'.
type ExplainJob struct {
	Source
	Analyze bool
	ID      string
}

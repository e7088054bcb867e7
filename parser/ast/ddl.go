package ast

// CreateTable is CREATE TABLE in all its forms.
type CreateTable struct {
	Source
	Temporary, IfNotExists, OrReplace bool
	Name                              Path
	Columns                           []ColumnDef
	Watermarks                        []Watermark // at most one is legal; the planner says so
	PrimaryKey                        *PrimaryKey
	Comment                           *string
	PartitionedBy                     []Ident
	Options                           []Option
	Like                              *Like
	AsQuery                           Query  // nil without AS
	QueryText                         string // AsQuery as written
}

// ColumnKind says where a column's value comes from.
type ColumnKind int

// The kinds of columns.
const (
	Physical ColumnKind = iota
	Computed
	Metadata
)

// ColumnDef is one column of a table.
type ColumnDef struct {
	Pos
	Name     Ident
	Kind     ColumnKind
	Type     *TypeName // nil for computed columns
	Expr     Expr      // computed columns
	ExprText string    // Expr as written
	// MetadataKey is the FROM 'key' of a metadata column; "" means the column's own name.
	MetadataKey string
	Virtual     bool
	Comment     *string
}

// Watermark is WATERMARK FOR column AS expr. The column may be a nested field.
type Watermark struct {
	Pos
	Column   Path
	Expr     Expr
	ExprText string
}

// PrimaryKey is [CONSTRAINT name] PRIMARY KEY (…) NOT ENFORCED.
type PrimaryKey struct {
	Pos
	Constraint *Ident
	Columns    []Ident
	Enforced   bool // NOT ENFORCED was missing; the planner refuses it
}

// Like is LIKE source (options).
type Like struct {
	Pos
	Source  Path
	Options []LikeOption
}

// LikeOption is, for example, EXCLUDING WATERMARKS, in upper case.
type LikeOption struct {
	Pos
	Action  string // INCLUDING, EXCLUDING, OVERWRITING
	Feature string // ALL, CONSTRAINTS, DISTRIBUTION, GENERATED, METADATA, OPTIONS, PARTITIONS, WATERMARKS
}

// CreateView is CREATE VIEW.
type CreateView struct {
	Source
	Temporary, IfNotExists, OrReplace bool
	Name                              Path
	Columns                           []Ident
	Comment                           *string
	Query                             Query
	QueryText                         string
}

// CreateFunction is a function with a SQL body, or one of a class (which no engine in Go can run).
type CreateFunction struct {
	Source
	Temporary, System, IfNotExists bool
	Name                           Path
	Params                         []Param
	Returns                        *TypeName
	Body                           Expr // nil if Class is set
	BodyText                       string
	Class, Language                string
}

// Param is one parameter of a function with a SQL body.
type Param struct {
	Name Ident
	Type *TypeName
}

// CreateDatabase is CREATE DATABASE.
type CreateDatabase struct {
	Source
	IfNotExists bool
	Name        Path
	Comment     *string
	Options     []Option
}

// CreateCatalog is CREATE CATALOG.
type CreateCatalog struct {
	Source
	IfNotExists bool
	Name        Ident
	Comment     *string
	Options     []Option
}

// Drop is DROP of any kind of object.
type Drop struct {
	Source
	Kind                string // TABLE, VIEW, DATABASE, FUNCTION, CATALOG
	Temporary, IfExists bool
	System              bool // DROP TEMPORARY SYSTEM FUNCTION
	Name                Path
	Cascade             bool
}

// AlterTable is ALTER TABLE name action.
type AlterTable struct {
	Source
	IfExists bool
	Name     Path
	Action   AlterAction
}

// AlterView is ALTER VIEW name RENAME TO new, or AS query.
type AlterView struct {
	Source
	Name      Path
	RenameTo  *Path
	Query     Query // nil if RenameTo is set
	QueryText string
}

// AlterDatabase is ALTER DATABASE name SET (…).
type AlterDatabase struct {
	Source
	Name    Path
	Options []Option
}

// AlterAction is what ALTER TABLE does.
type AlterAction interface {
	Node
	alterAction()
}

// AlterRename is RENAME TO name.
type AlterRename struct {
	Pos
	To Path
}

// AlterRenameColumn is RENAME column TO name.
type AlterRenameColumn struct {
	Pos
	From Path
	To   Ident
}

// AlterSet is SET ('k' = 'v', …).
type AlterSet struct {
	Pos
	Options []Option
}

// AlterReset is RESET ('k', …). Of an Option only Key is set.
type AlterReset struct {
	Pos
	Keys []Option
}

// AlterSchema is ADD or MODIFY with columns, a watermark and a primary key.
type AlterSchema struct {
	Pos
	Modify     bool // else ADD
	Columns    []ColumnChange
	Watermarks []Watermark
	PrimaryKey *PrimaryKey
}

// ColumnChange is a column with the place it goes to.
type ColumnChange struct {
	ColumnDef
	First bool
	After *Ident
}

// AlterDrop is DROP of columns, a constraint, the primary key or the watermark.
type AlterDrop struct {
	Pos
	Columns    []Path
	PrimaryKey bool
	Constraint *Ident
	Watermark  bool
}

func (*AlterRename) alterAction()       {}
func (*AlterRenameColumn) alterAction() {}
func (*AlterSet) alterAction()          {}
func (*AlterReset) alterAction()        {}
func (*AlterSchema) alterAction()       {}
func (*AlterDrop) alterAction()         {}

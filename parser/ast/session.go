package ast

// Set is SET key = value in either spelling; Key is "" for the bare SET that lists all.
type Set struct {
	Source
	Key, Value string
	// Keyed: a value was given. SET 'key' alone shows one value.
	Keyed bool
}

// Reset is RESET 'key', or RESET of everything when Key is "".
type Reset struct {
	Source
	Key string
}

// Use is USE database or USE CATALOG catalog.
type Use struct {
	Source
	Catalog bool
	Name    Path
}

// ShowKind is what SHOW shows.
type ShowKind string

// The kinds of SHOW.
const (
	ShowTables          ShowKind = "TABLES"
	ShowViews           ShowKind = "VIEWS"
	ShowFunctions       ShowKind = "FUNCTIONS"
	ShowUserFunctions   ShowKind = "USER FUNCTIONS"
	ShowJobs            ShowKind = "JOBS"
	ShowDatabases       ShowKind = "DATABASES"
	ShowCatalogs        ShowKind = "CATALOGS"
	ShowColumns         ShowKind = "COLUMNS"
	ShowCreateTable     ShowKind = "CREATE TABLE"
	ShowCreateView      ShowKind = "CREATE VIEW"
	ShowModules         ShowKind = "MODULES"
	ShowWatermarks      ShowKind = "WATERMARKS"
	ShowCurrentCatalog  ShowKind = "CURRENT CATALOG"
	ShowCurrentDatabase ShowKind = "CURRENT DATABASE"
)

// Show is SHOW kind [FROM name] [[NOT] LIKE|ILIKE pattern].
type Show struct {
	Source
	Kind ShowKind
	// Name is the object of CREATE TABLE|VIEW and COLUMNS FROM, or the database of TABLES FROM; nil without one.
	Name  *Path
	Like  *string
	Not   bool // NOT LIKE
	ILike bool // ignores case
}

// Describe is DESCRIBE [EXTENDED] name.
type Describe struct {
	Source
	Extended bool
	Name     Path
}

// DescribeJob is DESCRIBE JOB 'id'.
type DescribeJob struct {
	Source
	ID string
}

// StopJob is STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN].
type StopJob struct {
	Source
	ID               string
	Savepoint, Drain bool
}

// PrintTopic is PRINT 'topic' [FROM BEGINNING] [LIMIT n]: a look at raw records.
type PrintTopic struct {
	Source
	Topic         string
	FromBeginning bool
	Limit         *int64
}

// Help is HELP [words].
type Help struct {
	Source
	Topic string
}

// Clear is CLEAR.
type Clear struct{ Source }

// Quit is QUIT or EXIT.
type Quit struct{ Source }

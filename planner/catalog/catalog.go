// Package catalog holds the tables, views and databases of a session.
package catalog

import (
	"fmt"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// Names of the catalog and database that a session begins with, as Flink's.
const (
	DefaultCatalog  = "default_catalog"
	DefaultDatabase = "default_database"
)

// Table is a CREATE TABLE, resolved but for its expressions: those of
// computed columns and of the watermark are bound where the table is used.
type Table struct {
	Path       Path
	Temporary  bool
	Columns    []Column // all, in declared order
	Watermark  *ast.Watermark
	PrimaryKey []string
	Comment    string
	Partitions []string
	Options    map[string]string
	At         ast.Pos
}

// Column of a table: physical, metadata or computed.
type Column struct {
	Name     string
	Type     types.Type // of a computed column: set when bound
	Computed ast.Expr   // nil: physical or metadata
	Metadata string     // key; "": physical or computed
	Virtual  bool
	Comment  string
	At       ast.Pos
}

// View is a CREATE VIEW.
type View struct {
	Path      Path
	Temporary bool
	Columns   []string // nil: the query's own names
	Query     ast.Query
	Text      string // of the query, as written
	Comment   string
	At        ast.Pos
}

// Path is a full name.
type Path struct{ Catalog, Database, Name string }

func (p Path) String() string { return p.Catalog + "." + p.Database + "." + p.Name }

// Catalog is the set of objects that a session sees. Not safe for concurrent
// use.
type Catalog struct {
	Current   Path // Name empty
	databases map[string]bool
	tables    map[Path]*Table
	views     map[Path]*View
}

// New returns an empty catalog.
func New() *Catalog {
	c := &Catalog{
		Current:   Path{Catalog: DefaultCatalog, Database: DefaultDatabase},
		databases: map[string]bool{DefaultDatabase: true},
		tables:    map[Path]*Table{},
		views:     map[Path]*View{},
	}
	return c
}

// Resolve completes a name of one to three parts.
func (c *Catalog) Resolve(parts []string) Path {
	p := c.Current
	p.Name = parts[len(parts)-1]
	if len(parts) > 1 {
		p.Database = parts[len(parts)-2]
	}
	if len(parts) > 2 {
		p.Catalog = parts[len(parts)-3]
	}
	return p
}

// Table finds a table; nil if there is none.
func (c *Catalog) Table(p Path) *Table { return c.tables[p] }

// View finds a view; nil if there is none.
func (c *Catalog) View(p Path) *View { return c.views[p] }

// AddTable adds a table. It fails if the database is missing or the name is
// taken by a table or view.
func (c *Catalog) AddTable(t *Table) error {
	if err := c.free(t.Path); err != nil {
		return err
	}
	c.tables[t.Path] = t
	return nil
}

// AddView adds a view, as AddTable.
func (c *Catalog) AddView(v *View) error {
	if err := c.free(v.Path); err != nil {
		return err
	}
	c.views[v.Path] = v
	return nil
}

func (c *Catalog) free(p Path) error {
	if p.Catalog != DefaultCatalog || !c.databases[p.Database] {
		return fmt.Errorf("database %s.%s does not exist", p.Catalog, p.Database)
	}
	if c.tables[p] != nil {
		return fmt.Errorf("table %s already exists", p.Name)
	}
	if c.views[p] != nil {
		return fmt.Errorf("view %s already exists", p.Name)
	}
	return nil
}

// DropTable removes a table and tells whether it was there.
func (c *Catalog) DropTable(p Path) bool {
	_, ok := c.tables[p]
	delete(c.tables, p)
	return ok
}

// DropView removes a view and tells whether it was there.
func (c *Catalog) DropView(p Path) bool {
	_, ok := c.views[p]
	delete(c.views, p)
	return ok
}

// Tables returns the names of the current database's tables and views,
// sorted.
func (c *Catalog) Tables() (tables, views []string) { return c.TablesIn(c.Current.Database) }

// AddDatabase adds a database and tells whether it is new.
func (c *Catalog) AddDatabase(name string) bool {
	if c.databases[name] {
		return false
	}
	c.databases[name] = true
	return true
}

// HasDatabase tells whether a database exists.
func (c *Catalog) HasDatabase(name string) bool { return c.databases[name] }

// Databases returns their names, sorted.
func (c *Catalog) Databases() []string {
	var all []string
	for d := range c.databases {
		all = append(all, d)
	}
	sort.Strings(all)
	return all
}

// DropDatabase removes an empty database.
func (c *Catalog) DropDatabase(name string, cascade bool) error {
	if !c.databases[name] {
		return fmt.Errorf("database %s does not exist", name)
	}
	var inside []string
	for p := range c.tables {
		if p.Database == name {
			inside = append(inside, p.Name)
		}
	}
	for p := range c.views {
		if p.Database == name {
			inside = append(inside, p.Name)
		}
	}
	if len(inside) > 0 && !cascade {
		sort.Strings(inside)
		return fmt.Errorf("database %s is not empty (%s); add CASCADE to drop these too", name, strings.Join(inside, ", "))
	}
	for _, n := range inside {
		p := Path{DefaultCatalog, name, n}
		delete(c.tables, p)
		delete(c.views, p)
	}
	delete(c.databases, name)
	return nil
}

// TablesIn returns the names of a database's tables and views, sorted.
func (c *Catalog) TablesIn(database string) (tables, views []string) {
	for p := range c.tables {
		if p.Database == database {
			tables = append(tables, p.Name)
		}
	}
	for p := range c.views {
		if p.Database == database {
			views = append(views, p.Name)
		}
	}
	sort.Strings(tables)
	sort.Strings(views)
	return tables, views
}

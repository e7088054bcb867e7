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
	Constraint string // the primary key's name; "": none was given
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

// Function is a CREATE FUNCTION with a SQL body.
type Function struct {
	Path   Path
	Params []types.Field
	// Returns is the declared type of the result; its Kind is Invalid if there
	// is none.
	Returns types.Type
	Body    ast.Expr
	Text    string // of the body, as written
	At      ast.Pos
}

// Path is a full name.
type Path struct{ Catalog, Database, Name string }

func (p Path) String() string { return p.Catalog + "." + p.Database + "." + p.Name }

// objects are tables and views of one kind: permanent or temporary. A name
// is either a table or a view.
type objects struct {
	tables map[Path]*Table
	views  map[Path]*View
}

func newObjects() objects { return objects{map[Path]*Table{}, map[Path]*View{}} }

func (o objects) has(p Path) bool { return o.tables[p] != nil || o.views[p] != nil }

func (o objects) drop(p Path) {
	delete(o.tables, p)
	delete(o.views, p)
}

// Catalog is the set of objects that a session sees. Temporary objects hide
// permanent ones of the same name. Not safe for concurrent use.
type Catalog struct {
	Current   Path // Name empty
	databases map[string]bool
	permanent objects
	temporary objects
	functions map[Path]*Function // names in upper case
}

// New returns an empty catalog.
func New() *Catalog {
	return &Catalog{
		Current:   Path{Catalog: DefaultCatalog, Database: DefaultDatabase},
		databases: map[string]bool{DefaultDatabase: true},
		permanent: newObjects(),
		temporary: newObjects(),
		functions: map[Path]*Function{},
	}
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

// seen are the objects among which p is found.
func (c *Catalog) seen(p Path) objects {
	if c.temporary.has(p) {
		return c.temporary
	}
	return c.permanent
}

func (c *Catalog) kind(temporary bool) objects {
	if temporary {
		return c.temporary
	}
	return c.permanent
}

// Table finds a table; nil if there is none.
func (c *Catalog) Table(p Path) *Table { return c.seen(p).tables[p] }

// View finds a view; nil if there is none.
func (c *Catalog) View(p Path) *View { return c.seen(p).views[p] }

// AddTable adds a table. It fails if the database is missing or the name is
// taken by a table or view; a temporary one may hide a permanent one.
func (c *Catalog) AddTable(t *Table) error {
	if err := c.free(t.Path, t.Temporary); err != nil {
		return err
	}
	c.kind(t.Temporary).tables[t.Path] = t
	return nil
}

// AddView adds a view, as AddTable.
func (c *Catalog) AddView(v *View) error {
	if err := c.free(v.Path, v.Temporary); err != nil {
		return err
	}
	c.kind(v.Temporary).views[v.Path] = v
	return nil
}

func (c *Catalog) free(p Path, temporary bool) error {
	if p.Catalog != DefaultCatalog || !c.databases[p.Database] {
		return fmt.Errorf("database %s.%s does not exist", p.Catalog, p.Database)
	}
	o := c.kind(temporary)
	if o.tables[p] != nil {
		return fmt.Errorf("table %q already exists", p.Name)
	}
	if o.views[p] != nil {
		return fmt.Errorf("view %q already exists", p.Name)
	}
	return nil
}

// Replace puts an altered table in the place of old.
func (c *Catalog) Replace(old, t *Table) {
	o := c.kind(old.Temporary)
	delete(o.tables, old.Path)
	o.tables[t.Path] = t
}

// ReplaceView puts an altered view in the place of old.
func (c *Catalog) ReplaceView(old, v *View) {
	o := c.kind(old.Temporary)
	delete(o.views, old.Path)
	o.views[v.Path] = v
}

// DropTable removes a table, a temporary one first, and tells whether it was
// there.
func (c *Catalog) DropTable(p Path) bool {
	ok := c.Table(p) != nil
	if ok {
		c.seen(p).drop(p)
	}
	return ok
}

// DropView removes a view and tells whether it was there.
func (c *Catalog) DropView(p Path) bool {
	ok := c.View(p) != nil
	if ok {
		c.seen(p).drop(p)
	}
	return ok
}

// Tables returns the names of the current database's tables and views,
// sorted.
func (c *Catalog) Tables() (tables, views []string) { return c.TablesIn(c.Current.Database) }

// TablesIn returns the names of a database's tables and views, sorted.
func (c *Catalog) TablesIn(database string) (tables, views []string) {
	for _, p := range c.in(database) {
		if c.Table(p) != nil {
			tables = append(tables, p.Name)
		} else {
			views = append(views, p.Name)
		}
	}
	return tables, views
}

// in lists the objects of a database, each name once, sorted.
func (c *Catalog) in(database string) []Path {
	found := map[Path]bool{}
	for _, o := range []objects{c.permanent, c.temporary} {
		for p := range o.tables {
			found[p] = p.Database == database
		}
		for p := range o.views {
			found[p] = p.Database == database
		}
	}
	var paths []Path
	for p, here := range found {
		if here {
			paths = append(paths, p)
		}
	}
	sort.Slice(paths, func(i, j int) bool { return paths[i].Name < paths[j].Name })
	return paths
}

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

// DropDatabase removes a database; with cascade also what is in it.
func (c *Catalog) DropDatabase(name string, cascade bool) error {
	switch {
	case !c.databases[name]:
		return fmt.Errorf("database %q does not exist", name)
	case c.Current.Database == name:
		return fmt.Errorf("database %q is in use; USE another one first", name)
	}
	inside := c.in(name)
	if len(inside) > 0 && !cascade {
		var names []string
		for _, p := range inside {
			names = append(names, p.Name)
		}
		return fmt.Errorf("database %q is not empty (%s); add CASCADE to drop these too", name, strings.Join(names, ", "))
	}
	for _, p := range inside {
		c.permanent.drop(p)
		c.temporary.drop(p)
	}
	for p := range c.functions {
		if p.Database == name {
			delete(c.functions, p)
		}
	}
	delete(c.databases, name)
	return nil
}

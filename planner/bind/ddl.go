package bind

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// DDL applies a statement that changes the catalog: CREATE, ALTER and DROP of
// tables, views and databases, and USE. CREATE TABLE … AS only makes the
// table. handled is false for any other statement.
func (b *Binder) DDL(s ast.Statement) (handled bool, err error) {
	defer recoverError(&err)
	switch s := s.(type) {
	case *ast.CreateTable:
		b.applyCreateTable(s)
	case *ast.CreateView:
		b.applyCreateView(s)
	case *ast.CreateDatabase:
		b.createDatabase(s)
	case *ast.AlterTable:
		b.alterTable(s)
	case *ast.AlterView:
		b.alterView(s)
	case *ast.Drop:
		b.drop(s)
	case *ast.Use:
		b.use(s)
	case *ast.CreateFunction:
		b.createFunction(s)
	case *ast.CreateCatalog:
		fail(perr.NotYet(s.Pos, "CREATE CATALOG").WithHint("use CREATE DATABASE"))
	case *ast.AlterDatabase:
		fail(perr.NotYet(s.Pos, "ALTER DATABASE"))
	default:
		return false, nil
	}
	return true, nil
}

func (b *Binder) applyCreateTable(s *ast.CreateTable) {
	p := b.cat.Resolve(s.Name.Names())
	if s.OrReplace {
		fail(perr.NotYet(s.Pos, "CREATE OR REPLACE TABLE").WithHint("DROP TABLE IF EXISTS first"))
	}
	if s.IfNotExists && (b.cat.Table(p) != nil || b.cat.View(p) != nil) {
		return
	}
	t, err := b.CreateTable(s)
	check(s.Pos, err)
	check(s.Name.Pos, b.cat.AddTable(t))
}

func (b *Binder) applyCreateView(s *ast.CreateView) {
	p := b.cat.Resolve(s.Name.Names())
	old := b.cat.View(p)
	if s.IfNotExists && (b.cat.Table(p) != nil || old != nil) {
		return
	}
	v, err := b.CreateView(s)
	check(s.Pos, err)
	if s.OrReplace && old != nil && old.Temporary == v.Temporary {
		b.cat.ReplaceView(old, v)
		return
	}
	check(s.Name.Pos, b.cat.AddView(v))
}

func (b *Binder) createDatabase(s *ast.CreateDatabase) {
	b.onlyCatalog(s.Name)
	if !b.cat.AddDatabase(s.Name.Last()) && !s.IfNotExists {
		failf(s.Name.Pos, "database %q already exists", s.Name.Last())
	}
}

// InsertOf is the INSERT that fills a table of CREATE TABLE … AS; the table
// exists by then.
func (b *Binder) InsertOf(c *ast.CreateTable) (ins *ast.Insert, err error) {
	defer recoverError(&err)
	ins = &ast.Insert{Source: c.Source, Target: ast.TableRef{Pos: c.Name.Pos, Name: c.Name}, Query: c.AsQuery}
	for _, f := range uniqueNames(b.query(c.AsQuery, &scope{})).Schema() {
		ins.Columns = append(ins.Columns, ast.Ident{Pos: c.AsQuery.Position(), Name: f.Name})
	}
	return ins, nil
}

// onlyCatalog refuses a database of another catalog.
func (b *Binder) onlyCatalog(name ast.Path) {
	if len(name.Parts) > 1 && name.Parts[0].Name != catalog.DefaultCatalog {
		fail(perr.New(name.Pos, "catalog %q not found", name.Parts[0].Name).WithHint("there is %q", catalog.DefaultCatalog))
	}
}

func (b *Binder) use(s *ast.Use) {
	if s.Catalog {
		if s.Name.Last() != catalog.DefaultCatalog {
			fail(perr.New(s.Name.Pos, "catalog %q not found", s.Name.Last()).WithHint("there is %q", catalog.DefaultCatalog))
		}
		return
	}
	b.onlyCatalog(s.Name)
	if !b.cat.HasDatabase(s.Name.Last()) {
		fail(perr.New(s.Name.Pos, "database %q not found", s.Name.Last()).WithHint("%s", suggest(s.Name.Last(), b.cat.Databases())))
	}
	b.cat.Current.Database = s.Name.Last()
}

func (b *Binder) drop(s *ast.Drop) {
	if s.Kind == "DATABASE" {
		b.onlyCatalog(s.Name)
		if s.IfExists && !b.cat.HasDatabase(s.Name.Last()) {
			return
		}
		check(s.Name.Pos, b.cat.DropDatabase(s.Name.Last(), s.Cascade))
		return
	}
	p := b.cat.Resolve(s.Name.Names())
	ok := false
	switch s.Kind {
	case "TABLE":
		t := b.cat.Table(p)
		if t != nil && s.Temporary && !t.Temporary {
			fail(perr.New(s.Name.Pos, "table %q is not temporary", p.Name).WithHint("write DROP TABLE"))
		}
		ok = b.cat.DropTable(p)
	case "VIEW":
		ok = b.cat.DropView(p)
	case "FUNCTION":
		ok = b.cat.DropFunction(p)
	default:
		fail(perr.NotYet(s.Pos, "DROP %s", s.Kind))
	}
	if !ok && !s.IfExists {
		fail(b.noDrop(s, p))
	}
}

func (b *Binder) noDrop(s *ast.Drop, p catalog.Path) error {
	if s.Kind == "VIEW" && b.cat.Table(p) != nil {
		return perr.New(s.Name.Pos, "%q is a table", p.Name).WithHint("write DROP TABLE")
	}
	if s.Kind == "TABLE" && b.cat.View(p) != nil {
		return perr.New(s.Name.Pos, "%q is a view", p.Name).WithHint("write DROP VIEW")
	}
	if s.Kind == "FUNCTION" {
		return perr.New(s.Name.Pos, "function %q not found", s.Name.Last()).WithHint("%s", suggest(s.Name.Last(), b.cat.Functions()))
	}
	if s.Kind == "VIEW" {
		_, views := b.cat.TablesIn(p.Database)
		return perr.New(s.Name.Pos, "view %q not found", p.Name).WithHint("%s", suggest(p.Name, views))
	}
	return b.noTable(s.Name, p, &scope{})
}

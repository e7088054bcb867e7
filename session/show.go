package session

import (
	"regexp"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// show answers SHOW.
func (s *Session) show(st *ast.Show) error {
	b, _, err := s.binder()
	if err != nil {
		return err
	}
	switch st.Kind {
	case ast.ShowTables:
		tables, views, err := s.tablesOf(st)
		if err != nil {
			return err
		}
		return s.list(st, "table name", sortedUnion(tables, views))
	case ast.ShowViews:
		_, views, err := s.tablesOf(st)
		if err != nil {
			return err
		}
		return s.list(st, "view name", views)
	case ast.ShowFunctions:
		return s.list(st, "function name", functionNames())
	case ast.ShowUserFunctions:
		return s.list(st, "function name", nil)
	case ast.ShowDatabases:
		return s.list(st, "database name", s.cat.Databases())
	case ast.ShowCatalogs:
		return s.list(st, "catalog name", []string{catalog.DefaultCatalog})
	case ast.ShowModules:
		return s.list(st, "module name", []string{"core"})
	case ast.ShowCurrentCatalog:
		return s.list(st, "current catalog name", []string{s.cat.Current.Catalog})
	case ast.ShowCurrentDatabase:
		return s.list(st, "current database name", []string{s.cat.Current.Database})
	case ast.ShowCreateTable:
		return s.created(b.ShowCreateTable(*st.Name))
	case ast.ShowCreateView:
		return s.created(b.ShowCreateView(*st.Name))
	case ast.ShowColumns:
		cols, err := b.Describe(*st.Name)
		if err != nil {
			return err
		}
		match, err := liker(st)
		if err != nil {
			return err
		}
		return s.schema(cols, match)
	case ast.ShowJobs:
		return s.showJobs()
	case ast.ShowWatermarks:
		return s.showWatermarks()
	}
	return unsupported(st)
}

// tablesOf are the tables and views of the database that SHOW names.
func (s *Session) tablesOf(st *ast.Show) (tables, views []string, err error) {
	if st.Name == nil {
		tables, views = s.cat.Tables()
		return tables, views, nil
	}
	name := st.Name.Last()
	if !s.cat.HasDatabase(name) {
		return nil, nil, perr.New(st.Name.Pos, "database %q not found", name)
	}
	before := s.cat.Current
	s.cat.Current.Database = name
	tables, views = s.cat.Tables()
	s.cat.Current = before
	return tables, views, nil
}

func sortedUnion(a, b []string) []string {
	all := append(append([]string(nil), a...), b...)
	sort.Strings(all)
	return all
}

func functionNames() []string {
	var names []string
	for _, f := range fn.All() {
		if c := f.Name[0]; c >= 'A' && c <= 'Z' {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	for _, a := range fn.AllAggregates() {
		names = append(names, strings.ToLower(a.Name))
	}
	sort.Strings(names)
	return names
}

// list answers with one column of names.
func (s *Session) list(st *ast.Show, column string, names []string) error {
	match, err := liker(st)
	if err != nil {
		return err
	}
	var rows [][]vec.Value
	for _, n := range names {
		if match(n) {
			rows = append(rows, row(n))
		}
	}
	return s.texts([]string{column}, rows)
}

// liker is the test that LIKE makes of a name.
func liker(st *ast.Show) (func(string) bool, error) {
	if st.Like == nil {
		return func(string) bool { return true }, nil
	}
	var re strings.Builder
	re.WriteString("(?s)^")
	if st.ILike {
		re.WriteString("(?i)")
	}
	for _, c := range *st.Like {
		switch c {
		case '%':
			re.WriteString(".*")
		case '_':
			re.WriteString(".")
		default:
			re.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re.WriteString("$")
	r, err := regexp.Compile(re.String())
	if err != nil {
		return nil, userError("LIKE '%s': %w", *st.Like, err)
	}
	return func(name string) bool { return r.MatchString(name) != st.Not }, nil
}

func (s *Session) created(text string, err error) error {
	if err != nil {
		return err
	}
	return s.texts([]string{"result"}, [][]vec.Value{row(text)})
}

// describe answers DESCRIBE.
func (s *Session) describe(st *ast.Describe) error {
	b, _, err := s.binder()
	if err != nil {
		return err
	}
	cols, err := b.Describe(st.Name)
	if err != nil {
		return err
	}
	return s.schema(cols, func(string) bool { return true })
}

// schema answers with Flink's columns; a column comment is shown if any
// column has one.
func (s *Session) schema(cols []bind.SchemaColumn, match func(string) bool) error {
	text := types.String()
	fields := []types.Field{{Name: "name", Type: text}, {Name: "type", Type: text}, {Name: "null", Type: types.Of(types.Boolean)},
		{Name: "key", Type: text}, {Name: "extras", Type: text}, {Name: "watermark", Type: text}}
	commented := false
	for _, c := range cols {
		commented = commented || c.Comment != ""
	}
	if commented {
		fields = append(fields, types.Field{Name: "comment", Type: text})
	}
	var rows [][]vec.Value
	for _, c := range cols {
		if !match(c.Name) {
			continue
		}
		r := append(row(c.Name, c.Type), boolean(c.Null), orNull(c.Key), orNull(c.Extras), orNull(c.Watermark))
		if commented {
			r = append(r, orNull(c.Comment))
		}
		rows = append(rows, r)
	}
	return s.answer(fields, rows)
}

// setStatement is SET in its three forms.
func (s *Session) setStatement(st *ast.Set) error {
	switch {
	case st.Keyed:
		if err := s.set(st.Key, st.Value); err != nil {
			return perr.At(st.Pos, err)
		}
		return nil
	case st.Key != "":
		v, ok := s.settings[st.Key]
		if !ok {
			v = runtimeKeys[st.Key]
		}
		return s.texts([]string{"key", "value"}, [][]vec.Value{row(st.Key, v)})
	}
	var rows [][]vec.Value
	for k, v := range s.settings {
		rows = append(rows, row(k, v))
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i][0].S < rows[j][0].S })
	return s.texts([]string{"key", "value"}, rows)
}

func (s *Session) reset(st *ast.Reset) error {
	if st.Key == "" {
		s.settings = map[string]string{}
		return nil
	}
	delete(s.settings, st.Key)
	return nil
}

// Setting is the present value of a key, "" if it is not set.
func (s *Session) Setting(key string) string { return s.settings[key] }

func (s *Session) use(st *ast.Use) error {
	name := st.Name.Last()
	if st.Catalog {
		if name != catalog.DefaultCatalog {
			return perr.New(st.Name.Pos, "catalog %q not found; there is %q", name, catalog.DefaultCatalog)
		}
		return nil
	}
	if len(st.Name.Parts) > 1 && st.Name.Parts[0].Name != catalog.DefaultCatalog {
		return perr.New(st.Name.Pos, "catalog %q not found; there is %q", st.Name.Parts[0].Name, catalog.DefaultCatalog)
	}
	if !s.cat.HasDatabase(name) {
		return perr.New(st.Name.Pos, "database %q not found; CREATE DATABASE makes one, SHOW DATABASES lists them", name)
	}
	s.cat.Current.Database = name
	return nil
}

// Names are the tables, views and columns of the session, for completion.
func (s *Session) Names() (tables []string, columns []string) {
	t, v := s.cat.Tables()
	seen := map[string]bool{}
	for _, name := range t {
		for _, c := range s.cat.Table(s.cat.Resolve([]string{name})).Columns {
			if !seen[c.Name] {
				seen[c.Name] = true
				columns = append(columns, c.Name)
			}
		}
	}
	sort.Strings(columns)
	return sortedUnion(t, v), columns
}

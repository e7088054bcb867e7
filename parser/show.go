package parser

import "github.com/sqlstream/sqlstream/parser/ast"

// show takes SHOW what [FROM|IN name] [[NOT] LIKE|ILIKE 'pattern'].
func (c *cursor) show() ast.Statement {
	start := c.i
	c.take()
	s := &ast.Show{Kind: c.showKind()}
	switch s.Kind {
	case ast.ShowCreateTable, ast.ShowCreateView:
		name := c.path("a name")
		s.Name = &name
	case ast.ShowColumns:
		c.oneOf("FROM", "IN")
		name := c.path("a table")
		s.Name = &name
		c.showLike(s)
	case ast.ShowTables, ast.ShowViews, ast.ShowFunctions, ast.ShowDatabases, ast.ShowUserFunctions:
		if c.accept("FROM") || c.accept("IN") {
			name := c.path("a database")
			s.Name = &name
		}
		c.showLike(s)
	case ast.ShowCatalogs:
		c.showLike(s)
	}
	s.Source = c.source(start)
	return s
}

// showWords are the kinds by their words.
var showWords = []struct {
	words []string
	kind  ast.ShowKind
}{
	{[]string{"TABLES"}, ast.ShowTables}, {[]string{"VIEWS"}, ast.ShowViews}, {[]string{"FUNCTIONS"}, ast.ShowFunctions},
	{[]string{"USER", "FUNCTIONS"}, ast.ShowUserFunctions}, {[]string{"JOBS"}, ast.ShowJobs},
	{[]string{"DATABASES"}, ast.ShowDatabases}, {[]string{"CATALOGS"}, ast.ShowCatalogs}, {[]string{"COLUMNS"}, ast.ShowColumns},
	{[]string{"CREATE", "TABLE"}, ast.ShowCreateTable}, {[]string{"CREATE", "VIEW"}, ast.ShowCreateView},
	{[]string{"MODULES"}, ast.ShowModules}, {[]string{"WATERMARKS"}, ast.ShowWatermarks},
	{[]string{"CURRENT", "CATALOG"}, ast.ShowCurrentCatalog}, {[]string{"CURRENT", "DATABASE"}, ast.ShowCurrentDatabase},
}

func (c *cursor) showKind() ast.ShowKind {
	var all []string
	for _, k := range showWords {
		if c.accept(k.words...) {
			return k.kind
		}
		if len(k.words) == 1 {
			all = append(all, k.words[0])
		}
	}
	if c.accept("CREATE") {
		c.fail("TABLE", "VIEW")
	}
	c.fail(append(all, "CREATE TABLE")...)
	return ""
}

func (c *cursor) showLike(s *ast.Show) {
	not := c.accept("NOT")
	ilike := c.tok().is("ILIKE")
	if !ilike && !c.tok().is("LIKE") {
		if not {
			c.fail("LIKE", "ILIKE")
		}
		return
	}
	c.take()
	pattern := c.str("a pattern")
	s.Not, s.ILike, s.Like = not, ilike, &pattern
}

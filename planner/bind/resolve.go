package bind

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/connectors"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// column resolves a path: a column, perhaps with its table before and fields
// behind. Inner queries hide outer ones.
func (e *env) column(c *ast.Column) expr.Expr {
	depth := 0
	for s := e.s; s != nil; s = s.outer {
		if s.rel == nil {
			continue
		}
		if x, rest, ok := s.rel.find(c.Parts); ok {
			return e.fields(outward(x, depth), rest)
		}
		depth++
	}
	fail(e.notFound(c))
	return nil
}

// outward makes x refer to the query depth levels around.
func outward(x expr.Expr, depth int) expr.Expr {
	if depth == 0 {
		return x
	}
	return expr.Shift(x, 0, depth*outerBase)
}

// fields goes down into rows.
func (e *env) fields(x expr.Expr, rest []ast.Ident) expr.Expr {
	for _, id := range rest {
		x = field(x, id)
	}
	return x
}

func field(x expr.Expr, id ast.Ident) expr.Expr {
	t := x.Type()
	if t.Kind != types.Row {
		failf(id.Pos, "%s has no field %q: it is of type %s", x, id.Name, t.Text())
	}
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		if f.Name == id.Name {
			return expr.FieldAt(x, i)
		}
		names[i] = f.Name
	}
	fail(perr.New(id.Pos, "%s has no field %q", x, id.Name).WithHint("%s", suggest(id.Name, names)))
	return nil
}

// find resolves as much of a path as names a column and returns the rest.
// A name that is ambiguous is an error only here, when it is used.
func (r *relation) find(parts []ast.Ident) (x expr.Expr, rest []ast.Ident, ok bool) {
	for _, t := range r.tables {
		n := t.covers(parts)
		if n == 0 || n == len(parts) {
			continue
		}
		if x, ok := only(t.cols, parts[n]); ok {
			r.checkUnique(t, parts[:n])
			return x, parts[n+1:], true
		}
	}
	if x, ok := r.plain(parts[0]); ok {
		return x, parts[1:], true
	}
	return nil, nil, false
}

// covers tells how many parts at the front of a path name the table.
func (t *table) covers(parts []ast.Ident) int {
	if parts[0].Name == t.name {
		return 1
	}
	if t.path == nil {
		return 0
	}
	full := []string{t.path.Catalog, t.path.Database, t.path.Name}
	for n := len(full); n > 1; n-- {
		if len(parts) > n && slices.EqualFunc(parts[:n], full[len(full)-n:], sameName) {
			return n
		}
	}
	return 0
}

func sameName(id ast.Ident, name string) bool { return id.Name == name }

// checkUnique refuses a qualifier that two tables of FROM share.
func (r *relation) checkUnique(t *table, parts []ast.Ident) {
	for _, other := range r.tables {
		if other != t && other.name == t.name && other.covers(parts) > 0 {
			fail(perr.New(parts[0].Pos, "table %q occurs twice in FROM", t.name).WithHint("give each an alias"))
		}
	}
}

// only finds a column of one table.
func only(cols []column, id ast.Ident) (x expr.Expr, ok bool) {
	for _, c := range cols {
		if c.name != id.Name {
			continue
		}
		if ok {
			fail(perr.New(id.Pos, "column %q is ambiguous: the table has two of that name", id.Name).WithHint("rename one with AS"))
		}
		x, ok = c.x, true
	}
	return x, ok
}

// plain finds a column by its name alone.
func (r *relation) plain(id ast.Ident) (x expr.Expr, ok bool) {
	if x, ok := only(r.merged, id); ok {
		return x, true
	}
	var in []string
	for _, t := range r.tables {
		if y, found := only(t.cols, id); found {
			x, in = y, append(in, t.name)
		}
	}
	if len(in) > 1 {
		fail(perr.New(id.Pos, "column %q is ambiguous: it is in %s", id.Name, strings.Join(in, " and ")).WithHint("write %s.%s", in[0], id.Name))
	}
	return x, len(in) == 1
}

// notFound says what was meant, as far as one can guess.
func (e *env) notFound(c *ast.Column) error {
	id := c.Parts[0]
	if e.s.rel == nil {
		return perr.New(c.Pos, "column %q not found", id.Name).WithHint("there is no FROM to take it from")
	}
	if len(c.Parts) > 1 {
		if err := e.notFoundIn(c); err != nil {
			return err
		}
	}
	for _, a := range e.aliases {
		if a.Alias != nil && a.Alias.Name == id.Name && len(c.Parts) == 1 {
			return perr.New(c.Pos, "column %q not found: it is an alias of the SELECT list, which %s does not see", id.Name, e.clause).WithHint("repeat its expression here")
		}
	}
	return perr.New(c.Pos, "column %q not found", id.Name).WithHint("%s", suggest(id.Name, e.s.rel.names()))
}

// notFoundIn is about a path whose first part is a table, or should be.
func (e *env) notFoundIn(c *ast.Column) error {
	id, next := c.Parts[0], c.Parts[1]
	var aliases []string
	for _, t := range e.s.rel.tables {
		if t.name == id.Name {
			return perr.New(next.Pos, "table %q has no column %q", t.name, next.Name).WithHint("%s", suggest(next.Name, t.names()))
		}
		if t.hid == id.Name {
			return perr.New(c.Pos, "table %q is called %q here", id.Name, t.name).WithHint("write %s.%s", t.name, next.Name)
		}
		aliases = append(aliases, t.name)
	}
	if near := connectors.Nearest(id.Name, append(aliases, e.s.rel.names()...)); near != "" {
		return perr.New(c.Pos, "there is no table or column %q here", id.Name).WithHint("did you mean %q?", near)
	}
	return perr.New(c.Pos, "there is no table or column %q here", id.Name).WithHint("FROM has %s", strings.Join(aliases, ", "))
}

func (t *table) names() []string {
	var names []string
	for _, c := range t.cols {
		names = append(names, c.name)
	}
	return names
}

func (r *relation) names() []string {
	var names []string
	for _, t := range r.tables {
		names = append(names, t.names()...)
	}
	return names
}

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// suggest is the remedy for a name that is none of names.
func suggest(name string, names []string) string {
	if near := connectors.Nearest(name, names); near != "" {
		if strings.EqualFold(near, name) {
			return "names are case-sensitive: did you mean \"" + near + "\"?"
		}
		return "did you mean \"" + near + "\"?"
	}
	if len(names) == 0 {
		return "there are none"
	}
	names = slices.Clone(names)
	sort.Strings(names)
	names = slices.Compact(names)
	if len(names) == 1 {
		return "there is only " + names[0]
	}
	if len(names) > 12 {
		return "there are " + strings.Join(names[:12], ", ") + ", …"
	}
	return "there are " + strings.Join(names, ", ")
}

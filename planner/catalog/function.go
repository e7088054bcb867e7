package catalog

import (
	"fmt"
	"sort"
	"strings"
)

// upper is the path under which a function is kept: case does not count.
func upper(p Path) Path {
	p.Name = strings.ToUpper(p.Name)
	return p
}

// Function finds a function; nil if there is none.
func (c *Catalog) Function(p Path) *Function { return c.functions[upper(p)] }

// AddFunction adds a function. It fails if the database is missing or the name
// is taken.
func (c *Catalog) AddFunction(f *Function) error {
	switch {
	case f.Path.Catalog != DefaultCatalog || !c.databases[f.Path.Database]:
		return fmt.Errorf("database %s.%s does not exist", f.Path.Catalog, f.Path.Database)
	case c.Function(f.Path) != nil:
		return fmt.Errorf("function %q already exists", f.Path.Name)
	}
	c.functions[upper(f.Path)] = f
	return nil
}

// DropFunction removes a function and tells whether it was there.
func (c *Catalog) DropFunction(p Path) bool {
	ok := c.Function(p) != nil
	delete(c.functions, upper(p))
	return ok
}

// Functions returns the names of the current database's functions, sorted.
func (c *Catalog) Functions() []string {
	var names []string
	for p, f := range c.functions {
		if p.Database == c.Current.Database {
			names = append(names, f.Path.Name)
		}
	}
	sort.Strings(names)
	return names
}

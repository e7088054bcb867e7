package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// star expands *, t.* and row.*.
func (s *selection) star(x *ast.Star) {
	if s.s.rel == nil || len(s.s.rel.tables) == 0 {
		failf(x.Pos, "* needs a FROM")
	}
	if len(x.Qualifier) > 0 {
		s.qualifiedStar(x)
		return
	}
	for _, c := range s.s.rel.merged {
		s.starItem(c, x)
	}
	for _, t := range s.s.rel.tables {
		s.checkDistinct(t, x)
		for _, c := range t.cols {
			if !c.merged {
				s.starItem(c, x)
			}
		}
	}
}

func (s *selection) qualifiedStar(x *ast.Star) {
	for _, t := range s.s.rel.tables {
		if t.covers(x.Qualifier) == len(x.Qualifier) || t.isPath(x.Qualifier) {
			s.checkDistinct(t, x)
			for _, c := range t.cols {
				s.starItem(c, x)
			}
			return
		}
	}
	row := s.column(&ast.Column{Pos: x.Pos, Parts: x.Qualifier})
	if row.Type().Kind != types.Row {
		failf(x.Pos, "%s is no table and no ROW, but a %s", row, row.Type().Text())
	}
	for i, f := range row.Type().Fields {
		s.starItem(column{name: f.Name, x: expr.FieldAt(row, i)}, x)
	}
}

// isPath tells whether a qualifier is the table's whole name.
func (t *table) isPath(parts []ast.Ident) bool {
	if t.path == nil {
		return false
	}
	full := []string{t.path.Catalog, t.path.Database, t.path.Name}
	if len(parts) > len(full) {
		return false
	}
	for i, p := range parts {
		if p.Name != full[len(full)-len(parts)+i] {
			return false
		}
	}
	return true
}

// checkDistinct refuses * over a table with two columns of one name.
func (s *selection) checkDistinct(t *table, x *ast.Star) {
	seen := map[string]bool{}
	for _, c := range t.cols {
		if seen[c.name] {
			fail(perr.New(x.Pos, "column %q is ambiguous: %q has two of that name", c.name, t.name).WithHint("rename one with AS in the subquery"))
		}
		seen[c.name] = true
	}
}

func (s *selection) starItem(c column, x *ast.Star) {
	y := c.x
	if s.group != nil {
		k, ok := s.group.keyOf(y)
		if !ok {
			parts := strings.Split(c.name, ".")
			fail(s.group.notGrouped(&ast.Column{Pos: x.Pos, Parts: []ast.Ident{{Name: parts[len(parts)-1]}}}))
		}
		y = k
	}
	s.items = append(s.items, item{c.name, y})
}

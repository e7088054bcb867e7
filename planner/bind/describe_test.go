package bind_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// TestDescribe compares DESCRIBE with the rows of the reference system.
func TestDescribe(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "conformance", "cases", "ddl", "describe_*.sql"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		stmts, err := parser.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		b := bind.New(catalog.New(), bind.Options{})
		var got []string
		for _, s := range stmts {
			if d, ok := s.(*ast.Describe); ok {
				got = describeRows(t, b, d)
			} else if _, err := b.DDL(s); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".sql") + ".rows")
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(strings.TrimSpace(string(want)), "\n"); !slices.Equal(got, lines) {
			t.Errorf("%s\n%s\nnot\n%s", file, strings.Join(got, "\n"), want)
		}
	}
}

// describeRows are the rows as the suite writes them; the comment is a column
// only if there is one.
func describeRows(t *testing.T, b *bind.Binder, d *ast.Describe) []string {
	cols, err := b.Describe(d.Name)
	if err != nil {
		t.Fatal(err)
	}
	commented := slices.ContainsFunc(cols, func(c bind.SchemaColumn) bool { return c.Comment != "" })
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	var rows []string
	for _, c := range cols {
		row := []any{c.Name, c.Type, c.Null, null(c.Key), null(c.Extras), null(c.Watermark)}
		if commented {
			row = append(row, null(c.Comment))
		}
		var text strings.Builder
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.TrimSpace(text.String()))
	}
	slices.Sort(rows)
	return rows
}

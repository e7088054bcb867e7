package bind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// TestScripts runs testdata. A file is one session; "run" applies statements
// and prints the plan of each query and INSERT, or the error.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		b := bind.New(catalog.New(), bind.Options{})
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "run" {
				t.Fatalf("unknown command %q", d.Cmd)
			}
			return runScript(b, d.Input)
		})
	})
}

func runScript(b *bind.Binder, text string) string {
	stmts, err := parser.Parse(text)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var out strings.Builder
	for _, s := range stmts {
		text, err := runStatement(b, s)
		if err != nil {
			fmt.Fprintf(&out, "error: %s\n", err)
			continue
		}
		out.WriteString(text)
	}
	if out.Len() == 0 {
		return "ok\n"
	}
	return out.String()
}

func runStatement(b *bind.Binder, s ast.Statement) (string, error) {
	switch s := s.(type) {
	case *ast.QueryStmt:
		p, err := b.Query(s.Query)
		if err != nil {
			return "", err
		}
		return logical.Format(p), logical.Verify(p)
	case *ast.Insert:
		p, err := b.Insert(s)
		if err != nil {
			return "", err
		}
		return logical.Format(p), logical.Verify(p)
	case *ast.Describe:
		return describe(b, s.Name)
	case *ast.Show:
		if s.Kind == ast.ShowCreateView {
			text, err := b.ShowCreateView(*s.Name)
			return text + "\n", err
		}
		text, err := b.ShowCreateTable(*s.Name)
		return text + "\n", err
	}
	_, err := b.DDL(s)
	return "", err
}

func describe(b *bind.Binder, name ast.Path) (string, error) {
	cols, err := b.Describe(name)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, c := range cols {
		fmt.Fprintf(&out, "%s | %s | %t | %s | %s | %s | %s\n", c.Name, c.Type, c.Null, c.Key, c.Extras, c.Watermark, c.Comment)
	}
	return out.String(), nil
}

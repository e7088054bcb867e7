package bind_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/sqlstream/sqlstream/exec/fn/agg"
	_ "github.com/sqlstream/sqlstream/exec/fn/scalar"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/perr"
)

// TestConformance binds the last statement of every case and compares names
// and types with those of the reference system. What that refuses before it
// plans must be refused here, as the user's mistake.
func TestConformance(t *testing.T) {
	root := os.Getenv("CONFORMANCE")
	if root == "" {
		root = filepath.Join("..", "..", "conformance")
	}
	files, _ := filepath.Glob(filepath.Join(root, "cases", "*", "*.sql"))
	if len(files) == 0 {
		t.Skip("no conformance cases beside this package")
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".sql")
		name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(base)
		t.Run(name, func(t *testing.T) {
			err := runCase(base)
			reason, open := notYet[name]
			switch {
			case err == nil && open:
				t.Errorf("passes now: take it off the list (%s)", reason)
			case err != nil && missing.MatchString(err.Error()):
				t.Skip(err)
			case err != nil && !open:
				t.Error(err)
			}
		})
	}
}

func runCase(base string) error {
	text, err := os.ReadFile(base + ".sql")
	if err != nil {
		return err
	}
	fields, bindErr := bindScript(string(text))
	if want, err := os.ReadFile(base + ".error"); err == nil {
		return compareRefusal(string(want), bindErr)
	}
	if bindErr != nil {
		return bindErr
	}
	want, err := os.ReadFile(base + ".schema")
	if err != nil {
		return err
	}
	if fields == nil {
		return nil // DESCRIBE and SHOW: the session prints them
	}
	return compareSchema(string(want), fields)
}

// missing is about a function that is not written yet.
var missing = regexp.MustCompile(`function [A-Z0-9_ ]+ not found`)

// compareRefusal: the phases "plan" and "runtime" are those of later stages,
// so that such a case may bind.
func compareRefusal(want string, err error) error {
	early := strings.Contains(want, "parse") || strings.Contains(want, "validate")
	if err == nil {
		if early {
			return fmt.Errorf("bound, but must be refused: %s", want)
		}
		return nil
	}
	var p *perr.Error
	if errors.As(err, &p) && p.Kind != perr.User {
		return fmt.Errorf("refused as unsupported: %w", err)
	}
	if strings.Contains(want, "runtime") {
		return fmt.Errorf("refused too early: %w", err)
	}
	return nil
}

var insignificant = regexp.MustCompile(` NOT NULL| \*(ROWTIME|PROCTIME)\*`)

func compareSchema(want string, fields []types.Field) error {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%s %s\n", f.Name, f.Type)
	}
	got := insignificant.ReplaceAllString(strings.TrimSpace(b.String()), "")
	want = insignificant.ReplaceAllString(strings.TrimSpace(want), "")
	if got != want {
		return fmt.Errorf("columns are\n%s\nnot\n%s", got, want)
	}
	return nil
}

// bindScript binds the last statement and applies those before it.
func bindScript(text string) ([]types.Field, error) {
	stmts, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	b := bind.New(catalog.New(), bind.Options{})
	var fields []types.Field
	for _, s := range stmts {
		if fields, err = bindStatement(b, s); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func bindStatement(b *bind.Binder, s ast.Statement) ([]types.Field, error) {
	switch s := s.(type) {
	case *ast.QueryStmt:
		p, err := b.Query(s.Query)
		if err != nil {
			return nil, err
		}
		return p.Schema(), logical.Verify(p)
	case *ast.Insert:
		p, err := b.Insert(s)
		if err != nil {
			return nil, err
		}
		return p.Schema(), logical.Verify(p)
	case *ast.Set, *ast.Reset, *ast.Show:
		return nil, nil
	case *ast.Describe:
		_, err := b.Describe(s.Name)
		return nil, err
	}
	_, err := b.DDL(s)
	return nil, err
}

// notYet are the cases that do not pass, and why.
var notYet = map[string]string{
	"errors/bad_option_value":       "options are checked by package physical",
	"errors/missing_connector":      "options are checked by package physical",
	"errors/missing_format":         "options are checked by package physical",
	"errors/missing_path":           "options are checked by package physical",
	"errors/unknown_format":         "options are checked by package physical",
	"errors/unknown_option_key":     "options are checked by package physical",
	"errors/cdc_match":              "MATCH_RECOGNIZE",
	"window/match_recognize_basic":  "MATCH_RECOGNIZE",
	"window/match_recognize_within": "MATCH_RECOGNIZE",
}

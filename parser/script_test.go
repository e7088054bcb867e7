package parser

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// TestScripts runs testdata/*.txt. Commands:
//
//	parse     prints the statements, or the error with its caret; "text" adds what was kept as written
//	query     the same for one query
//	expr      prints an expression and its tree with positions
//	split     prints the fragments of a text
//	complete  tells whether a shell would read on
//
// What is printed must print the same again after another parse.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range files {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				return parseScript(t, d)
			case "query":
				q, err := ParseQuery(d.Input)
				return printed(t, d.Input, q, err) + "\n"
			case "expr":
				return exprScript(t, d)
			case "split":
				return splitScript(d)
			case "complete":
				return fmt.Sprintln(Complete(d.Input))
			default:
				t.Fatalf("unknown command %q", d.Cmd)
				return ""
			}
		})
	}
}

func parseScript(t *testing.T, d *datadriven.TestData) string {
	stmts, err := Parse(d.Input)
	var b strings.Builder
	for _, s := range stmts {
		fmt.Fprintln(&b, printed(t, d.Input, s, nil)+";")
		if d.HasArg("text") {
			fmt.Fprintf(&b, "  %v %q\n", s.Position(), s.SourceText())
		}
	}
	if err != nil {
		fmt.Fprintln(&b, err.(*Error).Render(d.Input))
	}
	return b.String()
}

// printed prints n, checks that the text prints the same after another parse, or renders err.
func printed(t *testing.T, input string, n ast.Node, err error) string {
	if err != nil {
		return err.(*Error).Render(input)
	}
	text := ast.Print(n)
	again, err := reparse(n, text)
	if err != nil {
		t.Errorf("printed as %s\nwhich does not parse: %v", text, err)
	} else if twice := ast.Print(again); twice != text {
		t.Errorf("printed as\n%s\nand then as\n%s", text, twice)
	}
	return text
}

// reparse parses text as the kind of thing that n is.
func reparse(n ast.Node, text string) (ast.Node, error) {
	switch n.(type) {
	case ast.Statement:
		stmts, err := Parse(text)
		if err != nil {
			return nil, err
		}
		if len(stmts) != 1 {
			return nil, fmt.Errorf("%d statements", len(stmts))
		}
		return stmts[0], nil
	case ast.Query:
		return ParseQuery(text)
	default:
		return ParseExpr(text)
	}
}

func exprScript(t *testing.T, d *datadriven.TestData) string {
	x, err := ParseExpr(d.Input)
	text := printed(t, d.Input, x, err)
	if err != nil {
		return text + "\n"
	}
	return text + "\n  " + tree(reflect.ValueOf(x)) + "\n"
}

func splitScript(d *datadriven.TestData) string {
	fragments, err := Split(d.Input)
	var b strings.Builder
	for _, f := range fragments {
		fmt.Fprintf(&b, "%d:%d %q terminated=%v\n", f.Line, f.Col, f.Text, f.Terminated)
	}
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return b.String()
}

// tree shows structure and positions: Binary@1:1{+ Column@1:1{a} NumberLit@1:5{1}}.
func tree(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return ""
		}
		return tree(v.Elem())
	case reflect.Struct:
		if id, ok := v.Interface().(ast.Ident); ok {
			return id.Name
		}
		return structTree(v)
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, tree(v.Index(i)))
		}
		if parts == nil {
			return ""
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.String:
		return v.String()
	default:
		if v.IsZero() {
			return ""
		}
		return fmt.Sprint(v.Interface())
	}
}

func structTree(v reflect.Value) string {
	name, parts := v.Type().Name(), []string{}
	for i := range v.NumField() {
		if pos, ok := v.Field(i).Interface().(ast.Pos); ok {
			if v.Type().Field(i).Anonymous && pos.IsValid() {
				name += fmt.Sprintf("@%d:%d", pos.Line, pos.Col)
			}
			continue
		}
		s := tree(v.Field(i))
		if v.Field(i).Kind() == reflect.Bool && s != "" {
			s = v.Type().Field(i).Name
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 && (name == "Alias" || name == "Tail") {
		return ""
	}
	return name + "{" + strings.Join(parts, " ") + "}"
}
